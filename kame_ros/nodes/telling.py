"""What the node ``frontend`` publishes of one robot."""

from __future__ import annotations

import threading
import time
from typing import Any

from kame_ros.frontend.dialogue import Dialogue, DialogueView
from kame_ros.frontend.outputs import Consumed, Cut, Failed, Floor, Loaded, OracleUse, Output, Said, Speech
from kame_ros.msg import AudioConsumed, AudioFrame, DialogueState, Interrupt, OracleProgress, RobotText
from kame_ros.nodes import frontend_messages as messages
from kame_ros.nodes import qos
from kame_ros.nodes.base import KameNode
from kame_ros.nodes.consumption import Consumption


class Telling:
    """Publishes what the frontend tells, and the state of the dialogue when it changes. Any thread."""

    def __init__(self, node: KameNode, prefix: str) -> None:
        """Publish as ``node``, to topics whose names begin with ``prefix``."""
        self._node = node
        self._changed = threading.RLock()  # for all below
        self._dialogue = Dialogue()
        self._told_view: DialogueView | None = None
        self._stream = 0
        self._sent_samples = 0

        def publisher(kind: type, topic: str, profile: Any) -> Any:
            return node.create_lifecycle_publisher(kind, prefix + topic, profile)

        self._speech = publisher(AudioFrame, "speaker/audio", qos.AUDIO)
        self._robot_text = publisher(RobotText, "robot/text", qos.TEXT)
        self._state = publisher(DialogueState, "dialogue/state", qos.STATE)
        self._progress = publisher(OracleProgress, "oracle/progress", qos.EVENT)
        self._interrupt = publisher(Interrupt, "speaker/interrupt", qos.INTERRUPT)
        self._consumption = Consumption(node, publisher(AudioConsumed, "mic/consumed", qos.EVENT))

    @property
    def view(self) -> DialogueView:
        """The state of the dialogue."""
        with self._changed:
            return self._dialogue.view

    @property
    def counted(self) -> tuple[int, int]:
        """Samples of speech sent, and how often the microphone has stopped."""
        with self._changed:
            return self._sent_samples, self._dialogue.holds

    def activate(self) -> None:
        """Begin a stream of speech; whatever was told before is told again."""
        with self._changed:
            self._stream = time.time_ns()
            self._sent_samples = 0
            self._told_view = None

    def unload(self) -> None:
        """Forget how the frontend was."""
        with self._changed:
            self._dialogue = Dialogue()

    def open_session(self, session: int) -> None:
        """A session begins; it is told once something has come of it, or with `tell_state`."""
        with self._changed:
            self._dialogue.open_session(session)

    def close_session(self, because: str = "") -> None:
        """The session is over."""
        with self._changed:
            self._dialogue.close_session(because)
            self.tell_state()

    def hear(self) -> None:
        """A frame of the microphone has come."""
        with self._changed:
            self._dialogue.hear()
            self.tell_state()

    def elapse(self, duration_s: float) -> tuple[bool, float]:
        """Let time pass; return whether the microphone has just stopped, and how long it has sent nothing."""
        with self._changed:
            stopped = self._dialogue.elapse(duration_s)
            self.tell_state()
            return stopped, self._dialogue.mic_silent_s

    def tell_ready(self, session: int) -> None:
        """Say that the node is there to hear, once it can speak, or is known not to."""
        with self._changed:
            loading = self._dialogue.loading
        if not loading:
            self._consumption.ready(session)

    def take(self, output: Output) -> None:
        """Publish what the frontend tells of the robot's session, or of itself."""
        header = self._node.header
        with self._changed:
            match output:
                case Speech():
                    self._speech.publish(
                        messages.audio_frame(output, header("robot"), self._stream, self._sent_samples)
                    )
                    self._sent_samples += len(output.samples)
                case Said():
                    self._robot_text.publish(messages.robot_text(output, header()))
                case OracleUse():
                    self._progress.publish(messages.oracle_progress(output, header()))
                case Cut():
                    self._interrupt.publish(messages.interrupt(output, header()))
                case Consumed():
                    self._consumption.reached(output.session, output.stream, output.end_sample)
                case Floor():
                    self._dialogue.pass_floor(output.holder)
                case Loaded():
                    self._dialogue.load("" if output.best else output.with_what)
                case Failed():
                    self._dialogue.fail(output.reason)
            self.tell_state()

    def tell_state(self) -> None:
        """Publish the state if it has changed."""
        with self._changed:
            view = self._dialogue.view
            if view != self._told_view:
                self._told_view = view
                kind = str(self._node.values["frontend"])
                self._state.publish(messages.dialogue_state(view, self._node.header(), kind))
