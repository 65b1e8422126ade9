from __future__ import annotations

import json

import pytest

from kame_ros.app.record import TalkRecord
from kame_ros.app.report import latencies_s, report, table
from kame_ros.frontend.dialogue import Phase
from kame_ros.nodes.events import DialogueChanged


@pytest.fixture
def record(made_up) -> TalkRecord:
    """A talk whose question ends 3.0 s after the clock's zero."""
    talk = TalkRecord()
    for event in (
        *made_up.microphone(1.0, 150),
        made_up.heard(2.5, "when do", "PARTIAL", revision=1),
        made_up.answered(2.8, "At ten.", turn_final=False, revision=1),
        made_up.heard(3.52, "when do you open", revision=2, end_sample=48_000),
        made_up.answered(3.54, "At ten.", revision=2),
        made_up.spoke(3.55, "At ten.", revision=1),
        made_up.frame(3.65, "LOUDSPEAKER", generation=1, level=5000),
        made_up.spoke(4.5, "At ten.", "COMPLETE", revision=2, heard_length=7),
        made_up.diagnosed("oracle_bridge", "backend", 1, "no local LLM; backend knowledge answers instead"),
        made_up.diagnosed("oracle_bridge", "mic/audio", 1, "ok"),
        made_up.diagnosed("oracle_bridge", "transcriber", 0, "moonshine"),
        DialogueChanged(0, 5, phase=Phase.TALKING, frontend="cascade", reason="flite speaks, Piper is not installed"),
    ):
        talk.take(event)
    return talk


def test_latencies_count_from_the_end_of_speech(record: TalkRecord) -> None:
    assert latencies_s(record.turns[0]) == pytest.approx(
        {"final_s": 0.52, "first_oracle_s": -0.2, "oracle_complete_s": 0.54, "first_sound_s": 0.65}
    )


def test_what_did_not_happen_has_no_latency(made_up) -> None:
    talk = TalkRecord()
    talk.take(made_up.heard(2.0, "typed", stream=0))
    assert set(latencies_s(talk.turns[0]).values()) == {None}


def test_the_report_holds_all_texts_and_is_json(record: TalkRecord) -> None:
    made = json.loads(json.dumps(report(record, "", {"question": "a.wav"})))
    assert made["question"] == "a.wav"
    assert made["succeeded"] is True
    (turn,) = made["turns"]
    assert (turn["user"], turn["oracle"], turn["robot"]) == ("when do you open", "At ten.", "At ten.")
    assert [one["status"] for one in turn["transcripts"]] == ["partial", "final"]
    assert [one["revision"] for one in turn["oracles"]] == [1, 2]
    assert turn["speech"][-1] == {"revision": 2, "at_s": pytest.approx(3.5), "status": "complete", "text": "At ten."}
    assert made["played_s"] == pytest.approx(0.02)


def test_a_part_that_is_the_next_best_is_said(record: TalkRecord) -> None:
    made = report(record, "", {})
    assert made["replaced"] == [
        "no local LLM; backend knowledge answers instead",
        "flite speaks, Piper is not installed",
    ]
    assert made["parts"]["oracle_bridge: transcriber"] == {"level": "good", "message": "moonshine"}


def test_what_was_missing_is_said() -> None:
    made = report(TalkRecord(), "no speech was heard", {})
    assert (made["succeeded"], made["missing"], made["turns"]) == (False, "no speech was heard", [])


def test_the_table_tells_each_turn_that_was_understood(record: TalkRecord, made_up) -> None:
    record.take(made_up.heard(9.0, "", "NOT_UNDERSTOOD", turn=2))
    record.take(made_up.heard(10.0, "and where", turn=3, stream=0))
    assert table(record) == [
        '"when do you open"',
        "  final transcript      0.52 s after the end of speech",
        "  first oracle          0.20 s before the end of speech",
        "  oracle complete       0.54 s after the end of speech",
        "  first sound played    0.65 s after the end of speech",
        '"and where"',
        "  final transcript         -",
        "  first oracle             -",
        "  oracle complete          -",
        "  first sound played       -",
    ]
