"""The node ``oracle_bridge``: owns the user's turns, the oracle's revisions and the intents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from std_srvs.srv import Trigger

from kame_ros.audio.framing import SampleOrder
from kame_ros.msg import (
    AudioConsumed,
    AudioFrame,
    DialogueState,
    Intent,
    OracleText,
    RobotText,
    Transcript,
    VoiceActivity,
)
from kame_ros.nodes import oracle_messages as messages
from kame_ros.nodes import qos
from kame_ros.nodes.base import KameNode, Level, NodeError, Part
from kame_ros.nodes.bundled import config_file
from kame_ros.nodes.consumption import Consumption
from kame_ros.oracle import reports
from kame_ros.oracle.backend import Backend
from kame_ros.oracle.backends.choice import BackendFiles, make_backend
from kame_ros.oracle.bridge import Bridge, BridgeSettings, NotAcceptedError
from kame_ros.oracle.deadlines import Deadlines
from kame_ros.oracle.errors import OracleError
from kame_ros.oracle.transcriber import SAMPLE_RATE_HZ, Transcriber, TranscriberError
from kame_ros.oracle.transcribers.choice import make_transcriber
from kame_ros.oracle.turns import TurnSettings
from kame_ros.srv import Ask

_LOOK_S = 0.1
_FALLBACK = "knowledge"


class OracleBridgeNode(KameNode):
    """Tells a `Bridge` what comes over the topics, and publishes what it reports, on its threads."""

    def __init__(self, **node_arguments: Any) -> None:
        """Declare the parameters."""
        super().__init__("oracle_bridge", **node_arguments)
        self._bridge: Bridge | None = None
        self._active = False
        self._entities: list[Callable[[], object]] = []  # how each is destroyed
        self._order = SampleOrder()
        self._wrong_frames = 0
        self._consumption: Consumption | None = None
        self._recogniser = Part("transcriber")
        self._answerer = Part("backend")
        self._was_there = False  # when the session that runs began
        self._wants_session = False
        self._start_session: Any = self.create_client(Trigger, "start_session")
        self.follow_session(self._take_session)

    def configure(self) -> None:
        """Load recogniser and backend and make the topics."""
        backend = self._load_backend()
        # It comes last since it never fails: nothing that is half made is left behind.
        transcriber = self._load_transcriber()
        self._publish_to_topics()
        self._bridge = Bridge(transcriber, backend, self._settings(), self._publish, self._worked_through)
        self._follow_topics()
        service = self.create_service(Ask, "ask", self._serve_ask)
        self._entities.append(lambda: self.destroy_service(service))

    def activate(self) -> None:
        """Begin to understand what is said in the session that runs."""
        self._active = True
        self._begin()

    def deactivate(self) -> None:
        """Understand nothing any more; the models stay loaded."""
        self._active = self._was_there = False
        if self._bridge:
            self._bridge.start_session(0)

    def cleanup(self) -> None:
        """Unload recogniser and backend and take the topics down."""
        if self._bridge:
            self._bridge.close()
            self._bridge = None
        while self._entities:
            self._entities.pop()()
        self._order = SampleOrder()
        self._consumption = None

    def parts(self) -> list[Part]:
        """Tell how recogniser, backend and the sound that comes are."""
        counts = self._bridge.counts() if self._bridge else None
        lost = self._wrong_frames or (counts is not None and counts.dropped_frames)
        return [
            _with_counts(self._recogniser, counts.listening if counts else {}),
            _with_counts(self._answerer, counts.asking if counts else {}),
            Part(
                "mic/audio",
                Level.WARN if lost else Level.OK,
                values={
                    "missing_samples": self._order.missing_samples,
                    "dropped_samples": self._order.dropped_samples,
                    "refused_frames": self._wrong_frames,
                    "skipped_frames": counts.dropped_frames if counts else 0,
                    "waiting_frames": counts.waiting_frames if counts else 0,
                },
            ),
            Part(
                "worker",
                Level.WARN if counts and counts.faults else Level.OK,
                counts.last_fault if counts else "",
                {"faults": counts.faults if counts else 0},
            ),
        ]

    # Parts

    def _load_transcriber(self) -> Transcriber | None:
        try:
            transcriber = make_transcriber(str(self.values["transcriber"]), str(self.values["transcriber_model"]))
        except TranscriberError as error:
            line = f"{error}; until then only typed questions are understood"
            self._recogniser = Part("transcriber", Level.ERROR, line)
            self.get_logger().error(line)
            return None
        self._recogniser = Part("transcriber", Level.OK, transcriber.name)
        return transcriber

    def _load_backend(self) -> Backend:
        name = str(self.values["backend"])
        knowledge = Path(str(self.values["knowledge"])).expanduser() if self.values["knowledge"] else None
        model = Path(str(self.values["local_model"])).expanduser() if self.values["local_model"] else None
        files = BackendFiles(knowledge or config_file("knowledge.yaml"), model)
        try:
            backend = make_backend(name, files)
        except OracleError as error:
            if name == _FALLBACK:
                raise NodeError(str(error)) from error
            line = f"{error}; backend {_FALLBACK} answers instead"
            self.get_logger().warning(line)
            try:
                backend = make_backend(_FALLBACK, files)
            except OracleError as second:
                raise NodeError(str(second)) from second
            self._answerer = Part("backend", Level.WARN, line)
            return backend
        self._answerer = Part("backend", Level.OK, backend.name)
        return backend

    def _settings(self) -> BridgeSettings:
        def seconds(name: str) -> float:
            return float(self.values[name])

        turns = TurnSettings(
            pause_s=seconds("pause_s"),
            shortest_s=seconds("shortest_turn_s"),
            longest_s=seconds("longest_turn_s"),
            partial_interval_s=seconds("partial_interval_s"),
        )
        deadlines = Deadlines(seconds("first_token_s"), seconds("between_tokens_s"), seconds("answer_s"))
        return BridgeSettings(turns, deadlines, seconds("ask_interval_s"), str(self.values["locale"]))

    # Wiring

    def _publish_to_topics(self) -> None:
        def publisher(kind: type, topic: str, profile: Any) -> Any:
            made: Any = self.create_lifecycle_publisher(kind, topic, profile)
            self._entities.append(lambda: self.destroy_publisher(made))
            return made

        self._transcript = publisher(Transcript, "user/transcript", qos.TEXT)
        self._oracle = publisher(OracleText, "oracle/text", qos.TEXT)
        self._intent = publisher(Intent, "intent", qos.TEXT)
        self._consumption = Consumption(self, publisher(AudioConsumed, "mic/consumed", qos.EVENT))

    def _follow_topics(self) -> None:
        def follow(kind: type, topic: str, take: Callable[[Any], None], profile: Any) -> None:
            subscription = self.create_subscription(kind, topic, take, profile)
            self._entities.append(lambda: self.destroy_subscription(subscription))

        follow(AudioFrame, "mic/audio", self._hear, qos.AUDIO)
        follow(VoiceActivity, "mic/activity", self._take_activity, qos.EVENT)
        follow(RobotText, "robot/text", self._take_robot_text, qos.TEXT)
        timer = self.create_timer(_LOOK_S, self._look, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self._entities.append(lambda: self.destroy_timer(timer))

    # What comes in; on the executor's thread

    def _take_session(self, _session: int) -> None:
        if self._active:
            self._begin()

    def _begin(self) -> None:
        """Understand what is said in the session that runs, or have a new one started.

        Whoever comes into a session that was talked in already, after a restart, does not know its turns, and would
        count them from 1 again: the frontend would take a new answer for an old one.
        """
        if self._bridge is None:
            return
        used = self.dialogue.phase in (DialogueState.TALKING, DialogueState.HOLDING) and not self._was_there
        self._wants_session = used
        self._was_there = self.session > 0
        self._bridge.start_session(0 if used else self.session)

    def _hear(self, message: AudioFrame) -> None:
        if not self._active or self._bridge is None:
            return
        if message.sample_rate != SAMPLE_RATE_HZ or message.channels != 1:
            if not self._wrong_frames:
                self.get_logger().error(
                    f"mic/audio has {message.channels} channels at {message.sample_rate} Hz: "
                    f"1 at {SAMPLE_RATE_HZ} Hz is needed, as the node microphone gives it; refused"
                )
            self._wrong_frames += 1
            return
        verdict = self._order.feed(message.stream, message.first_sample, len(message.samples))
        if verdict.drop_samples < len(message.samples):
            self._bridge.hear(messages.frame(message, verdict.drop_samples))

    def _take_activity(self, message: VoiceActivity) -> None:
        activity = messages.activity(message)
        if activity and self._active and self._bridge:
            self._bridge.activity(activity)

    def _take_robot_text(self, message: RobotText) -> None:
        if self._active and self._bridge and message.session == self.session:
            self._bridge.robot_text(message.session, message.generation, message.text, message.heard_length)

    def _serve_ask(self, request: Ask.Request, response: Ask.Response) -> Ask.Response:
        if not self._active or self._bridge is None:
            response.reason = "the node is not active"
            return response
        try:
            response.turn = self._bridge.ask(request.text)
            response.accepted = True
        except NotAcceptedError as error:
            response.reason = str(error)
        return response

    # What goes out

    def _publish(self, report: reports.Report) -> None:
        """Publish what the worker reports; on its threads, never two at a time."""
        match report:
            case reports.Transcript():
                self._transcript.publish(messages.transcript(report, self.header()))
            case reports.Oracle():
                self._oracle.publish(messages.oracle_text(report, self.header()))
            case reports.IntentFound():
                self._intent.publish(messages.intent(report, self.header()))

    def _worked_through(self, stream: int, end_sample: int) -> None:
        """Tell how far the recogniser's thread, which calls this, has come."""
        if self._active and self._consumption:
            self._consumption.reached(self.session, stream, end_sample)

    def _look(self) -> None:
        """Have a new session started if one is needed, and say that this node consumes mic/audio, until it has."""
        if self._active and self._wants_session and self._start_session.service_is_ready():
            self._wants_session = False
            self._start_session.call_async(Trigger.Request())
        if self._active and self._consumption:
            self._consumption.ready(self.session)


def _with_counts(part: Part, counts: Mapping[str, object]) -> Part:
    """Return ``part`` with what it counted, and with its newest failure where it seemed well."""
    failure = str(counts.get("last_failure", ""))
    if failure and part.level is Level.OK:
        return Part(part.name, Level.WARN, failure, counts)
    return Part(part.name, part.level, part.message, counts)
