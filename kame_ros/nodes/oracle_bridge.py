"""The node ``oracle_bridge``: owns the user's turns, the oracle's revisions and the intents."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from typing import Any

from rclpy.clock import Clock, ClockType
from std_srvs.srv import Trigger

from kame_ros.audio.framing import SampleOrder
from kame_ros.msg import (
    AudioConsumed,
    AudioFrame,
    DialogueState,
    Intent,
    OracleBridgeStats,
    OracleText,
    RobotContext,
    RobotText,
    Transcript,
    VoiceActivity,
)
from kame_ros.nodes import oracle_messages as messages
from kame_ros.nodes import qos
from kame_ros.nodes.base import KameNode, Level, NodeError, Part
from kame_ros.nodes.consumption import Consumption
from kame_ros.nodes.live_parts import LiveParts
from kame_ros.nodes.oracle_parts import TOPIC, OracleParts
from kame_ros.nodes.oracle_stats import oracle_stats
from kame_ros.nodes.parameter import ParameterError, Value
from kame_ros.nodes.recent import lost_on_the_way
from kame_ros.nodes.stats import Stats
from kame_ros.nodes.told_topic import ToldTopic, check_told_topic
from kame_ros.oracle import reports
from kame_ros.oracle.bridge import Bridge, NotAcceptedError
from kame_ros.oracle.talk import Spoken, heard_part
from kame_ros.oracle.told import Told
from kame_ros.oracle.transcriber import SAMPLE_RATE_HZ
from kame_ros.srv import Ask

_LOOK_S = 0.1


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
        self._frame_samples = 0  # of the newest frame
        self._consumption: Consumption | None = None
        self._parts = OracleParts(self.values, self.warn)
        self._told: ToldTopic | None = None
        self._live_parts: LiveParts | None = None
        self._was_there = False  # when the session that runs began
        self._wants_session = False
        self._start_session: Any = self.create_client(Trigger, "start_session")
        self.own("user/transcript", "oracle/text", "intent")
        self.follow_session(self._take_session)
        Stats(self, OracleBridgeStats, "~/stats", self._stats)

    def configure(self) -> None:
        """Load intents, backends and recogniser and make the topics."""
        catalogue = self._parts.load_catalogue()
        transcriber = self._parts.load_transcriber(str(self.values["locale"]))
        try:
            backend = self._parts.load_backend(str(self.values["backend"]), catalogue)
        except NodeError:
            if transcriber:
                transcriber.close()
            raise
        self._publish_to_topics()
        settings = self._parts.bridge_settings()
        self._bridge = Bridge(transcriber, backend, catalogue, settings, self._publish, self._worked_through)
        self._live_parts = LiveParts(self, self._parts, self._bridge, catalogue)
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
        if self._live_parts:
            self._live_parts.close()
            self._live_parts = None
        if self._bridge:
            self._bridge.close()
            self._bridge = None
        while self._entities:
            self._entities.pop()()
        self._order = SampleOrder()
        self._consumption = None
        gc.collect()  # backends are rings of objects, and large; nobody waits now

    def parts(self) -> list[Part]:
        """Tell how recogniser, backend and the sound that comes are."""
        counts = self._bridge.counts() if self._bridge else None
        # Both count calls: what was asked, and what was asked of each backend for it.
        chain = {f"chain_{name}": value for name, value in self._parts.chain.values().items()}
        return [
            _with_counts(self._transcriber_part(), {**(counts.listening if counts else {}), **self._parts.sessions()}),
            _with_counts(self._parts.backend, {**(counts.asking if counts else {}), **chain}),
            self._mic_part(counts.dropped_frames if counts else 0, counts.waiting_frames if counts else 0),
            self._worker_part(counts.faults if counts else 0, counts.last_fault if counts else ""),
        ]

    def _mic_part(self, skipped_frames: int, waiting_frames: int) -> Part:
        values = {
            "missing_samples": self._order.missing_samples,
            "dropped_samples": self._order.dropped_samples,
            "refused_frames": self._wrong_frames,
            "skipped_frames": skipped_frames,
            "waiting_frames": waiting_frames,
        }
        troubles = []
        if self.lately("refused_frames", self._wrong_frames):
            troubles.append(f"sound of another format is refused: send {SAMPLE_RATE_HZ} Hz, 1 channel")
        if skipped := self.lately("skipped_frames", skipped_frames):
            line = f"{skipped:.0f} frames in 10 s were heard by nobody: the recogniser is too slow"
            troubles.append(f"{line}; set another transcriber, or raise partial_interval_s")
        if missing := self.lately("missing_samples", self._order.missing_samples):
            troubles.append(lost_on_the_way("mic/audio", missing))
        return Part("mic/audio", Level.WARN if troubles else Level.OK, "; ".join(troubles), values)

    def _worker_part(self, faults: int, last_fault: str) -> Part:
        lately = self.lately("worker_faults", faults) > 0
        message = f"{last_fault}; the talk goes on without what brought it: please report it" if lately else ""
        return Part("worker", Level.WARN if lately else Level.OK, message, {"faults": faults, "last_fault": last_fault})

    def _stats(self) -> OracleBridgeStats:
        if self._bridge is None:
            return OracleBridgeStats(header=self.header(), session=self.session)
        counts, missing = self._bridge.counts(), self._order.missing_samples
        return oracle_stats(counts, self._frame_samples, missing, self.header(), self.session)

    def _transcriber_part(self) -> Part:
        trouble = self._told.trouble if self._told else ""
        return Part("transcriber", Level.WARN, trouble) if trouble else self._parts.transcriber

    # Live parameters

    def check(self, values: Mapping[str, Value]) -> None:
        """Refuse a recogniser that would take its words from no topic."""
        if values["transcriber"] == TOPIC:
            try:
                check_told_topic(self, str(values["transcript_topic"]))
            except NodeError as error:
                raise ParameterError(str(error)) from error

    def changed(self) -> None:
        """Follow the live parameters; parts that must be loaded follow when they are."""
        if self._bridge:
            self._bridge.set_settings(self._parts.bridge_settings())
            self._follow_told()

    def _follow_told(self) -> None:
        topic = str(self.values["transcript_topic"]) if self.values["transcriber"] == TOPIC else ""
        if self._told and self._told.name != topic:
            self._leave_told()
        if topic and not self._told:
            self._told = ToldTopic(self, topic, self._take_told)

    def _leave_told(self) -> None:
        if self._told:
            self._told.close()
            self._told = None

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
        follow(RobotContext, "robot/context", self._take_context, qos.TEXT)
        self._follow_told()
        self._entities.append(self._leave_told)
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
        self._frame_samples = len(message.samples)
        verdict = self._order.feed(message.stream, message.first_sample, self._frame_samples)
        if verdict.drop_samples < self._frame_samples:
            self._bridge.hear(messages.frame(message, verdict.drop_samples))

    def _take_activity(self, message: VoiceActivity) -> None:
        activity = messages.activity(message)
        if activity and self._active and self._bridge:
            self._bridge.activity(activity)

    def _take_robot_text(self, message: RobotText) -> None:
        if self._active and self._bridge and message.session == self.session:
            heard = heard_part(message.text, message.heard_length)
            interrupted = message.status == RobotText.INTERRUPTED
            self._bridge.robot_spoke(Spoken(message.session, message.turn, message.generation, heard, interrupted))

    def _take_context(self, message: RobotContext) -> None:
        if self._bridge and message.session in (0, self.session):
            self._bridge.context(message.name, message.value, message.valid_for_s or None)

    def _take_told(self, told: Told) -> None:
        if self._active and self._bridge:
            self._bridge.told(told)

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
        """See to what no message tells: a live parameter, a topic that has come up, a session that is needed.

        Says too that this node consumes mic/audio, until it has.
        """
        if self._live_parts:
            self._live_parts.look()
        if self._told:
            self._told.look()
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
