"""The whole demo path, with another question than the bundled one: heard, answered, spoken, and understood again."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
import soxr

from kame_ros.oracle.transcriber import SAMPLE_RATE_HZ
from kame_ros.oracle.transcribers.choice import TranscriberSettings, make_transcriber

pytestmark = pytest.mark.talk


@pytest.fixture(scope="module")
def talk(root: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Run the demo once, with a question as over the telephone; give the folder that it wrote and what it printed."""
    folder = tmp_path_factory.mktemp("demo")
    sound, rate_hz = soundfile.read(root / "test" / "data" / "question.flac", dtype="float32")
    narrow = soxr.resample(sound, rate_hz, 8000)
    question = folder / "telephone.wav"
    soundfile.write(question, np.stack([narrow, narrow], axis=1), 8000, "FLOAT")
    done = subprocess.run(
        [sys.executable, "-m", "kame_ros.app", "demo", f"question:={question}", f"folder:={folder}"],
        capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    return folder, done.stdout


@pytest.fixture(scope="module")
def turn(talk: tuple[Path, str]) -> Any:
    """Give the only turn of the report."""
    report = json.loads((talk[0] / "report.json").read_text())
    assert len(report["turns"]) == 1
    return report["turns"][0]


def test_the_question_is_heard_and_answered_from_the_knowledge_file(turn: Any) -> None:
    assert "ticket" in turn["user"].lower()
    assert "eight euros" in turn["oracle"]
    assert turn["robot"] == turn["oracle"]


def test_partials_and_oracles_grew_before_the_final(turn: Any) -> None:
    statuses = [one["status"] for one in turn["transcripts"]]
    assert statuses.count("partial") >= 2
    assert statuses.count("final") == 1
    assert statuses[-1] == "final"
    final_s = turn["transcripts"][-1]["at_s"]
    assert turn["oracles"][0]["at_s"] < final_s < turn["oracles"][-1]["at_s"]
    for texts in (turn["transcripts"], turn["oracles"], turn["speech"]):
        revisions = [one["revision"] for one in texts]
        assert revisions == sorted(set(revisions))


def test_the_latencies_are_told_in_their_order(turn: Any) -> None:
    latencies_s = turn["latencies_s"]
    assert None not in latencies_s.values()
    assert 0 < latencies_s["final_s"] <= latencies_s["oracle_complete_s"] <= latencies_s["first_sound_s"]


def test_the_reply_is_all_that_was_played_and_can_be_understood_again(talk: tuple[Path, str]) -> None:
    samples, rate_hz = soundfile.read(talk[0] / "reply.wav", dtype="int16")
    assert (rate_hz, samples.ndim) == (SAMPLE_RATE_HZ, 1)
    assert np.abs(samples).max() > 1000
    report = json.loads((talk[0] / "report.json").read_text())
    assert len(samples) / SAMPLE_RATE_HZ == pytest.approx(report["played_s"])
    transcriber = make_transcriber("moonshine", TranscriberSettings(), lambda _: None)
    try:
        transcriber.begin()
        transcriber.feed(samples)
        heard = transcriber.read(speech_ended=True).text.lower()
    finally:
        transcriber.close()
    # Words of the answer, not its text: what a recogniser hears of a synthetic voice is not exact.
    assert "euro" in heard


def test_the_report_names_every_part_and_its_version(talk: tuple[Path, str]) -> None:
    report = json.loads((talk[0] / "report.json").read_text())
    named = {"kame_ros", "python", "rclpy", "moonshine-voice", "silero-vad", "onnxruntime"}
    assert named <= set(report["versions"])
    assert (report["succeeded"], report["missing"]) == (True, None)
    if importlib.util.find_spec("piper") is not None:
        assert report["replaced"] == []


def test_the_talk_is_shown_as_it_happens(talk: tuple[Path, str]) -> None:
    shown = talk[1]
    places = [shown.index(text) for text in ("loading [", "  you  ", "  oracle  ", "  robot  ", "first sound played")]
    assert places == sorted(places)
