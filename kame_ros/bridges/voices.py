"""The user's voice as REP-155 has it."""

from __future__ import annotations

from std_msgs.msg import Bool, Header

from kame_ros.bridges.bridge import Bridge, find
from kame_ros.msg import Transcript, VoiceActivity
from kame_ros.nodes import qos
from kame_ros.nodes.base import KameNode

VOICE = "anonymous_speaker"
"""The id of REP-155 for voices that are not told apart."""


class VoicesBridge(Bridge):
    """Publishes what the user says below /humans/voices too: who is tracked, the words, and whether they speak."""

    def __init__(self, node: KameNode) -> None:
        """Find the types, or raise `NodeError`."""
        super().__init__(node)
        speech = ("header", "incremental", "final", "confidence")
        self._speech_kind = find("voices", "hri_msgs", ("LiveSpeech", speech))
        self._ids_kind = find("voices", "hri_msgs", ("IdsList", ("header", "ids")))
        self._fields = set(self._speech_kind.get_fields_and_field_types())
        below = f"/humans/voices/{VOICE}"
        self._tracked = self.publisher(self._ids_kind, "/humans/voices/tracked", qos.STATE)
        self._speech = self.publisher(self._speech_kind, f"{below}/speech", qos.TEXT)
        self._speaking = self.publisher(Bool, f"{below}/is_speaking", qos.STATE)
        self.subscribe(Transcript, "user/transcript", self._take_transcript, qos.TEXT)
        self.subscribe(VoiceActivity, "mic/activity", self._take_activity, qos.EVENT)
        self.look()

    def look(self) -> None:
        """Tell the voices again, as REP-155 asks for once a second."""
        self._tracked.publish(self._ids_kind(header=self.node.header(), ids=[VOICE]))

    def _take_transcript(self, transcript: Transcript) -> None:
        if not transcript.text:
            return  # not understood: there are no words to tell
        final = transcript.status == Transcript.FINAL
        speech = self._speech_kind(
            header=Header(stamp=transcript.header.stamp, frame_id=f"voice_{VOICE}"),
            incremental="" if final else transcript.text,
            final=transcript.text if final else "",
            confidence=max(0.0, float(transcript.confidence)),  # 0 is "unknown" there
        )
        # Older ones name the language only, newer ones both.
        if "language" in self._fields:
            speech.language = transcript.locale.partition("-")[0]
        if "locale" in self._fields:
            speech.locale = transcript.locale.replace("-", "_")
        self._speech.publish(speech)
        self.passed += 1

    def _take_activity(self, activity: VoiceActivity) -> None:
        if activity.event in (VoiceActivity.ONSET, VoiceActivity.END):
            self._speaking.publish(Bool(data=activity.event == VoiceActivity.ONSET))
            self.passed += 1
