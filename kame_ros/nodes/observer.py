"""Follows a dialogue from outside: for the command kame, tests and benchmarks."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import numpy as np
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from lifecycle_msgs.msg import TransitionEvent
from lifecycle_msgs.srv import GetState
from rclpy.clock import Clock, ClockType
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

from kame_ros.frontend.dialogue import Phase
from kame_ros.frontend.inputs import OracleStatus, TurnStatus
from kame_ros.frontend.outputs import SaidStatus
from kame_ros.msg import AudioFrame, DialogueState, Intent, OracleText, RobotText, SpeakerState, Transcript
from kame_ros.nodes import qos
from kame_ros.nodes.calls import Calls
from kame_ros.nodes.events import (
    Answered,
    Diagnosed,
    DialogueChanged,
    Event,
    LifecycleChanged,
    Place,
    Sounded,
    SpeakerChanged,
    Spoke,
    Transcribed,
    Wanted,
)
from kame_ros.nodes.parameters import NODES
from kame_ros.srv import Ask, Say

_SPIN_S = 1.0
_STATE_EVERY_S = 0.5
_STATE_TIMEOUT_S = 1.0


class Observer:
    """A plain node of this process, spun by a thread of its own, that tells of a dialogue as plain events."""

    def __init__(
        self,
        take: Callable[[Event], None],
        *,
        namespace: str = "/",
        sound: bool = True,
        lifecycle: bool = True,
    ) -> None:
        """Follow the dialogue in ``namespace`` and call ``take`` with each event, on the observer's thread.

        ``sound`` adds the frames of microphone and loudspeaker, ``lifecycle`` the states of the four nodes.
        """
        self._take = take
        self._context = rclpy.Context()
        rclpy.init(args=[], context=self._context, signal_handler_options=SignalHandlerOptions.NO)
        self._node = rclpy.create_node(
            f"observer_{os.getpid()}",
            namespace=namespace,
            context=self._context,
            use_global_arguments=False,
            start_parameter_services=False,
            enable_rosout=False,
        )
        self._namespace = namespace.strip("/")
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._calls = Calls(self._node)
        self._diagnosed: dict[tuple[str, str], tuple[int, str]] = {}
        self._subscribe(sound)
        self._states: dict[str, str] = {}
        self._asked: dict[str, Future[Any]] = {}
        if lifecycle:
            self._follow_lifecycle()
            self._node.create_timer(_STATE_EVERY_S, self._ask_states, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._spin, name="observer", daemon=True)
        self._thread.start()

    def ask(self, text: str, timeout_s: float) -> Future[Any]:
        """Type ``text`` as the user; the answer has ``accepted``, ``turn``, ``reason``. Fails with `NoAnswerError`."""
        return self._calls.call(Ask, "ask", Ask.Request(text=text), timeout_s)

    def say(self, text: str, timeout_s: float, *, when_quiet: bool = False) -> Future[Any]:
        """Have the robot speak; the answer has ``accepted``, ``generation``, ``reason``. Fails with `NoAnswerError`."""
        when = Say.Request.WHEN_QUIET if when_quiet else Say.Request.NOW
        return self._calls.call(Say, "say", Say.Request(text=text, when=when), timeout_s)

    def forget(self, node: str) -> None:
        """Take ``node`` for not active until it says otherwise: its process has ended. Any thread."""
        self._executor.create_task(self._states.pop, node, None)

    def close(self) -> None:
        """Leave the graph; again does nothing."""
        if self._stop.is_set():
            return
        self._stop.set()
        self._executor.wake()
        self._thread.join()
        self._executor.remove_node(self._node)
        self._node.destroy_node()
        rclpy.try_shutdown(context=self._context)

    def _spin(self) -> None:
        while not self._stop.is_set():
            try:
                self._executor.spin_once(timeout_sec=_SPIN_S)
            except ExternalShutdownException:
                return
            except ValueError as error:  # a status or phase that a newer version knows
                self._node.get_logger().warning(f"a message was not understood: {error}")

    def _subscribe(self, sound: bool) -> None:
        node = self._node
        node.create_subscription(Transcript, "user/transcript", self._transcript, qos.TEXT)
        node.create_subscription(OracleText, "oracle/text", self._oracle, qos.TEXT)
        node.create_subscription(RobotText, "robot/text", self._robot, qos.TEXT)
        node.create_subscription(Intent, "intent", self._intent, qos.TEXT)
        node.create_subscription(DialogueState, "dialogue/state", self._dialogue, qos.STATE)
        node.create_subscription(SpeakerState, "speaker/state", self._speaker, qos.STATE)
        node.create_subscription(DiagnosticArray, "/diagnostics", self._diagnostics, qos.TEXT)
        if sound:
            node.create_subscription(AudioFrame, "mic/audio", self._sound(Place.MICROPHONE), qos.AUDIO)
            node.create_subscription(AudioFrame, "speaker/played", self._sound(Place.LOUDSPEAKER), qos.AUDIO)

    def _transcript(self, message: Transcript) -> None:
        self._take(
            Transcribed(
                at_ns=time.monotonic_ns(),
                session=message.session,
                turn=message.turn,
                revision=message.revision,
                status=TurnStatus(message.status),
                text=message.text,
                stable_length=message.stable_length,
                stream=message.stream,
                first_sample=message.first_sample,
                end_sample=message.end_sample,
            )
        )

    def _oracle(self, message: OracleText) -> None:
        self._take(
            Answered(
                at_ns=time.monotonic_ns(),
                session=message.session,
                turn=message.turn,
                revision=message.revision,
                status=OracleStatus(message.status),
                text=message.text,
                transcript_revision=message.transcript_revision,
                turn_final=message.turn_final,
                backend=message.backend,
                latency_s=None if message.latency_s < 0 else message.latency_s,
            )
        )

    def _robot(self, message: RobotText) -> None:
        self._take(
            Spoke(
                at_ns=time.monotonic_ns(),
                session=message.session,
                turn=message.turn,
                generation=message.generation,
                revision=message.revision,
                status=SaidStatus(message.status),
                text=message.text,
                heard_length=message.heard_length,
            )
        )

    def _intent(self, message: Intent) -> None:
        self._take(
            Wanted(
                at_ns=time.monotonic_ns(),
                session=message.session,
                turn=message.turn,
                intent=message.intent,
                data=message.data,
            )
        )

    def _dialogue(self, message: DialogueState) -> None:
        self._take(
            DialogueChanged(
                at_ns=time.monotonic_ns(),
                session=message.session,
                phase=Phase(message.phase),
                frontend=message.frontend,
                reason=message.reason,
            )
        )

    def _speaker(self, message: SpeakerState) -> None:
        self._take(
            SpeakerChanged(
                at_ns=time.monotonic_ns(),
                session=message.session,
                generation=message.generation,
                playing=message.playing,
                played_samples=message.played_samples,
                underruns=message.underruns,
                flushed=message.flushed,
            )
        )

    def _sound(self, place: Place) -> Callable[[AudioFrame], None]:
        def take(message: AudioFrame) -> None:
            self._take(
                Sounded(
                    at_ns=time.monotonic_ns(),
                    session=message.session,
                    place=place,
                    stream=message.stream,
                    first_sample=message.first_sample,
                    steady_ns=message.steady_ns or None,
                    sample_rate_hz=message.sample_rate,
                    generation=message.generation,
                    muted=message.muted,
                    samples=np.frombuffer(message.samples, np.int16),
                )
            )

        return take

    def _diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            node, _, part = status.name.partition(": ")
            inside, _, name = node.rpartition("/")
            if inside != self._namespace or name not in NODES:
                continue
            level = status.level[0] if isinstance(status.level, bytes) else int(status.level)
            if self._diagnosed.get((name, part)) != (level, status.message):
                self._diagnosed[name, part] = (level, status.message)
                self._take(Diagnosed(time.monotonic_ns(), 0, name, part, level, status.message))

    def _follow_lifecycle(self) -> None:
        for name in NODES:
            # The lambda's default holds this turn's name.
            self._node.create_subscription(
                TransitionEvent,
                f"{name}/transition_event",
                lambda event, name=name: self._note_state(name, event.goal_state.label),
                qos.TEXT,
            )

    def _ask_states(self) -> None:
        """Ask every node that is not known to be active: its transitions may have come before we heard of it."""
        for node in NODES:
            asked = self._asked.get(node)
            if asked is not None and not asked.done():
                continue
            if asked is not None:
                del self._asked[node]
                if asked.exception() is None:
                    self._note_state(node, asked.result().current_state.label)
            if self._states.get(node) != "active":
                self._asked[node] = self._calls.call(
                    GetState, f"{node}/get_state", GetState.Request(), _STATE_TIMEOUT_S
                )

    def _note_state(self, node: str, state: str) -> None:
        if self._states.get(node) != state:
            self._states[node] = state
            self._take(LifecycleChanged(time.monotonic_ns(), 0, node, state == "active", state))
