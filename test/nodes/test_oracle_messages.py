"""What the oracle's worker says and hears, against the conventions of the message files."""

from __future__ import annotations

import json
from array import array

import pytest
from std_msgs.msg import Header

from kame_ros.msg import AudioFrame, Intent, OracleText, Transcript, VoiceActivity
from kame_ros.nodes import oracle_messages as messages
from kame_ros.oracle import reports
from kame_ros.oracle.inbox import ActivityKind
from kame_ros.oracle.reports import OracleStatus, TranscriptStatus

pytestmark = pytest.mark.ros
HEADER = Header(frame_id="test")


def test_what_is_unknown_follows_the_convention_of_its_field() -> None:
    report = reports.Transcript(7, 1, 2, TranscriptStatus.PARTIAL, "where", first_sample=480, stream=5)
    message = messages.transcript(report, HEADER)
    assert (message.confidence, message.end_sample, message.stream) == (-1.0, 480, 5)
    typed = messages.transcript(reports.Transcript(7, 1, 1, TranscriptStatus.FINAL, "hello"), HEADER)
    assert (typed.stream, typed.status, typed.locale) == (0, Transcript.FINAL, "")
    assert messages.intent(reports.IntentFound(7, 1, "SUSPEND", {}, False, None), HEADER).confidence == -1.0


def test_every_status_has_its_number() -> None:
    for status in TranscriptStatus:
        message = messages.transcript(reports.Transcript(7, 1, 1, status, ""), HEADER)
        assert message.status == getattr(Transcript, status.name)
    for oracle_status in OracleStatus:
        answer = messages.oracle_text(reports.Oracle(7, 1, 1, oracle_status, "", 1, False, "script", 0.5), HEADER)
        assert answer.status == getattr(OracleText, oracle_status.name)


def test_an_intent_carries_its_roles_as_json() -> None:
    report = reports.IntentFound(7, 3, "BRING_OBJECT", {"object": "Schlüssel"}, True, 0.5)
    message: Intent = messages.intent(report, HEADER)
    assert json.loads(message.data) == {"object": "Schlüssel"}
    assert (message.modality, message.priority, message.turn, message.confidence) == ("text", 128, 3, 0.5)


def test_a_frame_is_read_from_where_it_is_new() -> None:
    message = AudioFrame(stream=5, first_sample=100, samples=array("h", [1, 2, 3, 4]))
    frame = messages.frame(message, skip_samples=1)
    assert (frame.stream, frame.first_sample, frame.samples.tolist()) == (5, 101, [2, 3, 4])


def test_voice_activity_is_read_without_what_is_not_about_turns() -> None:
    assert messages.activity(VoiceActivity(event=VoiceActivity.INTERRUPT)) is None
    onset = messages.activity(VoiceActivity(event=VoiceActivity.ONSET, stream=5, at_sample=9, probability=-1.0))
    assert onset is not None
    assert (onset.kind, onset.stream, onset.at_sample, onset.probability) == (ActivityKind.ONSET, 5, 9, None)
    level = messages.activity(VoiceActivity(event=VoiceActivity.NONE, probability=0.25))
    assert level is not None
    assert (level.kind, level.probability) == (ActivityKind.LEVEL, 0.25)
