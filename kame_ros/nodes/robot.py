"""One robot of the node ``frontend``: its topics, its services and its session."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rclpy.clock import Clock, ClockType
from std_srvs.srv import Trigger

from kame_ros.audio.framing import SampleOrder
from kame_ros.frontend.dialogue import Phase
from kame_ros.frontend.errors import FrontendError
from kame_ros.frontend.frontend import Frontend
from kame_ros.frontend.inputs import SAMPLE_RATE_HZ, MicStopped, News, SayWhen
from kame_ros.frontend.outputs import Output
from kame_ros.frontend.stop_words import StopWords
from kame_ros.models.step import STEP_S
from kame_ros.msg import AudioFrame, FrontendStats, OracleText, SpeakerState, Transcript, VoiceActivity
from kame_ros.nodes import frontend_messages as messages
from kame_ros.nodes import qos
from kame_ros.nodes.base import KameNode, Level, NodeError, Part
from kame_ros.nodes.recent import lost_on_the_way
from kame_ros.nodes.robot_numbers import RobotNumbers
from kame_ros.nodes.stats import Stats, number
from kame_ros.nodes.telling import Telling
from kame_ros.oracle.prompt.speakable import speakable
from kame_ros.srv import Say

_LOOK_S = 0.1
_INACTIVE = "the node is not active"
_NO_SESSION = "no session is open"


class Robot:
    """Tells a `Frontend` what comes from one robot; all but `take` and `parts` on the executor's thread."""

    def __init__(self, node: KameNode, name: str, new_session: Callable[[], int], silent_s: float | None) -> None:
        """Follow the topics below ``name``, the robot's namespace; empty: that of ``node``.

        ``new_session`` gives the number of a session. With ``silent_s`` a robot whose microphone has stopped for so
        long loses its session, and has a new one with its next frame.
        """
        self._node = node
        self._name = name
        self._prefix = f"{name}/" if name else ""
        self._new_session = new_session
        self._silent_s = silent_s
        self.follow_parameters()
        self._frontend: Frontend | None = None
        self.session = 0
        """The one that is open; 0: none."""
        self._went_silent = False
        self._looked_s = 0.0
        self._order = SampleOrder()
        self._refused_frames = 0
        self._telling = Telling(node, self._prefix)  # never busy while the frontend is called
        self._numbers = RobotNumbers()
        Stats(node, FrontendStats, f"{self._prefix}frontend/stats", self._stats)
        self._follow_topics()
        self._offer_services()

    def activate(self, frontend: Frontend) -> None:
        """Begin a session with ``frontend``; raise `NodeError` when it takes none."""
        self._telling.activate()
        self._frontend = frontend
        self._open_session()

    def deactivate(self) -> None:
        """End the session."""
        self._close_session()
        self._frontend = None

    def follow_parameters(self) -> None:
        """Follow the node's parameters that are live."""
        self._stop_words = StopWords(str(self._node.values["stop_words"]))

    def unload(self) -> None:
        """Forget how the frontend was."""
        self._telling.unload()

    def take(self, output: Output) -> None:
        """Publish what the frontend tells of this robot's session, or of itself; on any thread."""
        self._numbers.take(output, time.monotonic())
        self._telling.take(output)

    def parts(self) -> list[Part]:
        """Tell how the dialogue and the sound that is heard are."""
        view = self._telling.view
        level = {Phase.FAILED: Level.ERROR, Phase.HOLDING: Level.WARN}.get(view.phase, Level.OK)
        values = {"session": view.session, "phase": view.phase.name, "sent_samples": self._telling.counted[0]}
        name = f"{self._prefix}{self._node.values['frontend']}"
        return [Part(name, level, view.reason or view.phase.name.lower(), values), self._mic_part(view.phase)]

    def _mic_part(self, phase: Phase) -> Part:
        topic, order = f"{self._prefix}mic/audio", self._order
        values = {
            "missing_samples": order.missing_samples,
            "dropped_samples": order.dropped_samples,
            "refused_frames": self._refused_frames,
            "stops": self._telling.counted[1],
        }
        troubles = []
        if phase is Phase.HOLDING:
            troubles.append("it has stopped: see that the node microphone runs and its host can be reached")
        if self._node.lately(f"{topic} refused", self._refused_frames):
            troubles.append(f"sound of another format is refused: send {SAMPLE_RATE_HZ} Hz, 1 channel")
        if missing := self._node.lately(f"{topic} missing", order.missing_samples):
            troubles.append(lost_on_the_way(topic, missing))
        return Part(topic, Level.WARN if troubles else Level.OK, "; ".join(troubles), values)

    def _stats(self) -> FrontendStats:
        counters = self._frontend.counters() if self._frontend else {}
        return FrontendStats(
            header=self._node.header(),
            session=self.session,
            step_p50_s=number(counters, "step_p50_ms", 0.001),
            step_p95_s=number(counters, "step_p95_ms", 0.001),
            backlog_s=number(counters, "backlog_steps", STEP_S),
            oracle_age_s=self._numbers.oracle_age_s(time.monotonic()),
            answer_latency_s=self._numbers.answer_latency_s,
            sent_s=self._telling.counted[0] / SAMPLE_RATE_HZ,
            missing_s=self._order.missing_samples / SAMPLE_RATE_HZ,
        )

    # Wiring

    def _follow_topics(self) -> None:
        def follow(kind: type, topic: str, read: Callable[[Any], News | None], profile: Any) -> None:
            def take(message: Any) -> None:
                news = read(message)
                if news is not None and self._frontend:
                    if news.session == self.session:
                        self._numbers.hear(news, time.monotonic())
                    self._frontend.tell(news)

            self._node.create_subscription(kind, self._prefix + topic, take, profile)

        follow(VoiceActivity, "mic/activity", messages.activity, qos.EVENT)
        follow(Transcript, "user/transcript", self._user_turn, qos.TEXT)
        follow(OracleText, "oracle/text", messages.oracle, qos.TEXT)
        follow(SpeakerState, "speaker/state", messages.played, qos.STATE)
        self._node.create_subscription(AudioFrame, f"{self._prefix}mic/audio", self._hear, qos.AUDIO)
        self._watchdog = self._node.create_timer(_LOOK_S, self._look, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def _offer_services(self) -> None:
        for kind, service, serve in (
            (Say, "say", self._serve_say),
            (Trigger, "start_session", self._serve_start),
            (Trigger, "stop_session", self._serve_stop),
            (Trigger, "interrupt", self._serve_interrupt),
        ):
            self._node.create_service(kind, self._prefix + service, serve)

    def _user_turn(self, message: Transcript) -> News:
        return messages.user_turn(message, self._stop_words)

    # Sessions

    def _open_session(self) -> None:
        if self._frontend is None:
            raise NodeError(_INACTIVE)
        session = self._new_session()
        self._telling.open_session(session)
        self._numbers.begin()
        self.session = session  # before it is opened: what the frontend tells of it comes to us
        try:
            self._frontend.open_session(session)
        except FrontendError as error:
            self.session = 0
            self._telling.close_session(str(error))
            raise NodeError(str(error)) from error
        self._went_silent = False
        self._looked_s = time.monotonic()
        self._telling.tell_state()

    def _close_session(self, because: str = "") -> None:
        self._went_silent = False
        if self.session and self._frontend:
            self._frontend.close_session(self.session)
            self.session = 0
            self._telling.close_session(because)

    # What comes in

    def _hear(self, message: AudioFrame) -> None:
        # While frames come, nobody needs to look whether they do: each look would hold up the frame beside it.
        self._watchdog.reset()
        if message.sample_rate != SAMPLE_RATE_HZ or message.channels != 1:
            self._refused_frames += 1
            self._node.get_logger().warning(
                f"mic/audio at {message.sample_rate} Hz with {message.channels} channels is refused: "
                f"it must have {SAMPLE_RATE_HZ} Hz and 1 channel",
                once=True,
            )
            return
        verdict = self._order.feed(message.stream, message.first_sample, len(message.samples))
        if self._went_silent:
            self._open_session()
        if self.session and self._frontend and verdict.drop_samples < len(message.samples):
            self._telling.hear()
            self._frontend.hear(messages.mic_frame(message, self.session, verdict.drop_samples))

    def _look(self) -> None:
        """See whether the microphone has stopped, and say that we are there to hear it before it begins."""
        now_s = time.monotonic()
        if not self.session or self._frontend is None:
            return
        stopped, silent_s = self._telling.elapse(now_s - self._looked_s)
        self._looked_s = now_s
        if stopped:
            self._node.get_logger().warning(f"{self._prefix}mic/audio has stopped; holding until its next frame")
            self._frontend.tell(MicStopped(self.session))
        if self._silent_s is not None and silent_s >= self._silent_s:
            self._close_session(
                f"{self._name} was silent for silent_robot_s = {self._silent_s:g} s: "
                "its slot is free, and its next frame of mic/audio starts a session"
            )
            self._went_silent = True
        elif self._order.stream is None:
            self._telling.tell_ready(self.session)

    def _serve_say(self, request: Say.Request, response: Say.Response) -> Say.Response:
        if self._frontend is None or not self.session:
            response.reason = _NO_SESSION if self._frontend else _INACTIVE
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
