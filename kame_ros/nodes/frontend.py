"""The node ``frontend``: owns the session, and makes robot speech with a `Frontend`."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from rcl_interfaces.msg import SetParametersResult
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.parameter import Parameter as RosParameter
from std_srvs.srv import Trigger

from kame_ros.audio.framing import SampleOrder
from kame_ros.frontend.cascade_frontend import CascadeFrontend
from kame_ros.frontend.dialogue import Dialogue, DialogueView, Phase
from kame_ros.frontend.errors import FrontendError
from kame_ros.frontend.frontend import Frontend
from kame_ros.frontend.inputs import SAMPLE_RATE_HZ, InterruptRule, MicStopped, News, SayWhen
from kame_ros.frontend.outputs import Consumed, Cut, Failed, Floor, Loaded, OracleUse, Output, Said, Speech
from kame_ros.frontend.voices import Voices
from kame_ros.msg import (
    AudioConsumed,
    AudioFrame,
    DialogueState,
    Interrupt,
    OracleProgress,
    OracleText,
    RobotText,
    SpeakerState,
    Transcript,
    VoiceActivity,
)
from kame_ros.nodes import frontend_messages as messages
from kame_ros.nodes import qos
from kame_ros.nodes.base import KameNode, Level, NodeError, Part
from kame_ros.nodes.consumption import Consumption
from kame_ros.nodes.parameters import Value
from kame_ros.oracle.speakable import speakable
from kame_ros.srv import Say

_LOOK_S = 0.1
_INACTIVE = "the node is not active"
_NO_SESSION = "no session is open"


def make_frontend(values: Mapping[str, Value]) -> Frontend:
    """Make the kind of frontend that the parameters name; the table has let no other through."""
    return CascadeFrontend(
        Voices(str(values["voice"]), str(values["voice_model"])),
        lead_s=float(values["lead_s"]),
        rule=InterruptRule(values["interrupt"]),
    )


class FrontendNode(KameNode):
    """Tells a `Frontend` what comes over the topics, and publishes what it tells, on whatever thread it does."""

    def __init__(self, make: Callable[[Mapping[str, Value]], Frontend] = make_frontend, **node_arguments: Any) -> None:
        """Declare the parameters; ``make`` makes the frontend from them."""
        super().__init__("frontend", **node_arguments)
        self._make = make
        self._frontend: Frontend | None = None
        self._active = False
        self._newest_session = 0
        self._looked_s = 0.0
        self._order = SampleOrder()
        self._refused_frames = 0
        # Everything below is touched by the frontend's threads too. Never held while the frontend is called.
        self._telling = threading.RLock()
        self._dialogue = Dialogue()
        self._told_view: DialogueView | None = None
        self._stream = 0
        self._sent_samples = 0
        self._publish_to_topics()
        self._follow_topics()
        self._offer_services()
        self.add_on_set_parameters_callback(self._take_parameters)

    def configure(self) -> None:
        """Begin to load the frontend."""
        self._frontend = self._make(self.values)
        self._frontend.start(self._take_output)

    def activate(self) -> None:
        """Begin a session."""
        self._stream = time.time_ns()
        self._sent_samples = 0
        self._told_view = None
        self._active = True
        self._open_session()

    def deactivate(self) -> None:
        """End the session."""
        self._close_session()
        self._active = False

    def cleanup(self) -> None:
        """Unload the frontend."""
        if self._frontend:
            self._frontend.close()
            self._frontend = None
        with self._telling:
            self._dialogue = Dialogue()

    def parts(self) -> list[Part]:
        """Tell how the frontend and the sound that it hears are."""
        with self._telling:
            view, holds = self._dialogue.view, self._dialogue.holds
        level = {Phase.FAILED: Level.ERROR, Phase.HOLDING: Level.WARN}.get(view.phase, Level.OK)
        order = self._order
        return [
            Part(
                str(self.values["frontend"]),
                level,
                view.reason or view.phase.name.lower(),
                {"session": view.session, "phase": view.phase.name, "sent_samples": self._sent_samples},
            ),
            Part(
                "mic/audio",
                level if view.phase is Phase.HOLDING else Level.OK,
                values={
                    "missing_samples": order.missing_samples,
                    "dropped_samples": order.dropped_samples,
                    "refused_frames": self._refused_frames,
                    "stops": holds,
                },
            ),
        ]

    # Wiring

    def _publish_to_topics(self) -> None:
        self._speech = self.create_lifecycle_publisher(AudioFrame, "speaker/audio", qos.AUDIO)
        self._robot_text = self.create_lifecycle_publisher(RobotText, "robot/text", qos.TEXT)
        self._state = self.create_lifecycle_publisher(DialogueState, "dialogue/state", qos.STATE)
        self._progress = self.create_lifecycle_publisher(OracleProgress, "oracle/progress", qos.EVENT)
        self._interrupt = self.create_lifecycle_publisher(Interrupt, "speaker/interrupt", qos.INTERRUPT)
        self._consumption = Consumption(self, self.create_lifecycle_publisher(AudioConsumed, "mic/consumed", qos.EVENT))

    def _follow_topics(self) -> None:
        def follow(kind: type, topic: str, read: Callable[[Any], News | None], profile: Any) -> None:
            def take(message: Any) -> None:
                news = read(message)
                if news is not None and self._frontend:
                    self._frontend.tell(news)

            self.create_subscription(kind, topic, take, profile)

        follow(VoiceActivity, "mic/activity", messages.activity, qos.EVENT)
        follow(Transcript, "user/transcript", messages.user_turn, qos.TEXT)
        follow(OracleText, "oracle/text", messages.oracle, qos.TEXT)
        follow(SpeakerState, "speaker/state", messages.played, qos.STATE)
        self.create_subscription(AudioFrame, "mic/audio", self._hear, qos.AUDIO)
        self._watchdog = self.create_timer(_LOOK_S, self._look, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def _offer_services(self) -> None:
        self.create_service(Say, "say", self._serve_say)
        self.create_service(Trigger, "start_session", self._serve_start)
        self.create_service(Trigger, "stop_session", self._serve_stop)
        self.create_service(Trigger, "interrupt", self._serve_interrupt)

    # Sessions

    def _open_session(self) -> None:
        if self._frontend is None or not self._active:
            raise NodeError(_INACTIVE)
        # From the clock, so that no number comes twice, also after a restart.
        session = max(time.time_ns() // 1000, self._newest_session + 1)
        with self._telling:
            self._dialogue.open_session(session)
        try:
            self._frontend.open_session(session)
        except FrontendError as error:
            with self._telling:
                self._dialogue.close_session()
            raise NodeError(str(error)) from error
        self.session = self._newest_session = session
        self._looked_s = time.monotonic()
        self._tell_state()

    def _close_session(self) -> None:
        if self.session and self._frontend:
            self._frontend.close_session(self.session)
            self.session = 0
            with self._telling:
                self._dialogue.close_session()
            self._tell_state()

    # What comes in

    def _hear(self, message: AudioFrame) -> None:
        # While frames come, nobody needs to look whether they do: each look would hold up the frame beside it.
        self._watchdog.reset()
        if message.sample_rate != SAMPLE_RATE_HZ or message.channels != 1:
            self._refused_frames += 1
            self.get_logger().warning(
                f"mic/audio at {message.sample_rate} Hz with {message.channels} channels is refused: "
                f"it must have {SAMPLE_RATE_HZ} Hz and 1 channel",
                once=True,
            )
            return
        verdict = self._order.feed(message.stream, message.first_sample, len(message.samples))
        if not self.session or self._frontend is None or verdict.drop_samples >= len(message.samples):
            return
        with self._telling:
            self._dialogue.hear()
        self._tell_state()
        self._frontend.hear(messages.mic_frame(message, self.session, verdict.drop_samples))

    def _look(self) -> None:
        """See whether the microphone has stopped, and say that we are there to hear it before it begins."""
        now_s = time.monotonic()
        if not self.session or self._frontend is None:
            return
        with self._telling:
            stopped = self._dialogue.elapse(now_s - self._looked_s)
        self._looked_s = now_s
        if stopped:
            self.get_logger().warning("mic/audio has stopped; holding until its next frame")
            self._frontend.tell(MicStopped(self.session))
            self._tell_state()
        if self._order.stream is None:
            self._consumption.ready()

    def _serve_say(self, request: Say.Request, response: Say.Response) -> Say.Response:
        if not self.session or self._frontend is None:
            response.reason = _NO_SESSION if self._active else _INACTIVE
        elif request.when not in tuple(SayWhen):
            response.reason = f"when = {request.when}: must be 0 (NOW) or 1 (WHEN_QUIET)"
        else:
            reply = self._frontend.say(self.session, speakable(request.text), SayWhen(request.when))
            response.generation, response.reason = reply.generation, reply.reason
            response.accepted = reply.generation > 0
        return response

    def _serve_start(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        try:
            self._close_session()
            self._open_session()
        except NodeError as error:
            response.message = str(error)
        else:
            response.success, response.message = True, str(self.session)
        return response

    def _serve_stop(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success = self.session > 0
        response.message = "" if response.success else _NO_SESSION
        self._close_session()
        return response

    def _serve_interrupt(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.message = self._frontend.interrupt(self.session) if self._frontend else _INACTIVE
        response.success = not response.message
        return response

    def _take_parameters(self, changes: list[RosParameter[Any]]) -> SetParametersResult:
        for change in changes:
            # The table judges it, in a callback of its own.
            if change.name == "interrupt" and change.value in {rule.value for rule in InterruptRule}:
                self.values["interrupt"] = change.value
                if self._frontend:
                    self._frontend.set_interrupt(InterruptRule(change.value))
        return SetParametersResult(successful=True)

    # What goes out

    def _take_output(self, output: Output) -> None:
        """Publish what the frontend tells; on any thread."""
        with self._telling:
            match output:
                case Speech():
                    self._speech.publish(
                        messages.audio_frame(output, self.header("robot"), self._stream, self._sent_samples)
                    )
                    self._sent_samples += len(output.samples)
                case Said():
                    self._robot_text.publish(messages.robot_text(output, self.header()))
                case OracleUse():
                    self._progress.publish(messages.oracle_progress(output, self.header()))
                case Cut():
                    self._interrupt.publish(messages.interrupt(output, self.header()))
                case Consumed():
                    self._consumption.reached(output.stream, output.end_sample)
                case Floor():
                    self._dialogue.pass_floor(output.holder)
                case Loaded():
                    self._dialogue.load("" if output.best else output.with_what)
                    # Two lines, since rclpy ties a line of code to one severity.
                    if output.best:
                        self.get_logger().info(output.with_what)
                    else:
                        self.get_logger().warning(output.with_what)
                case Failed():
                    self._dialogue.fail(output.reason)
                    self.get_logger().error(output.reason)
            self._tell_state()

    def _tell_state(self) -> None:
        """Publish the state if it has changed."""
        with self._telling:
            view = self._dialogue.view
            if view != self._told_view:
                self._told_view = view
                self._state.publish(messages.dialogue_state(view, self.header(), str(self.values["frontend"])))
