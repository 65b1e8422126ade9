from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import Any

import pytest
import soundfile
import soxr

pytest.importorskip("launch_ros", reason="launch and launch_ros come with a ROS workspace and are not on PyPI")

ANSWER_S = 60.0


def transcript_of(launched: Any, *words: str) -> str:
    from kame_ros.frontend.inputs import TurnStatus
    from kame_ros.nodes.events import Event, Transcribed
    from kame_ros.nodes.observer import Observer

    process = launched(*words, file="replay.launch.py")
    events: list[Event] = []
    observer = Observer(events.append, namespace="/r1", sound=False)
    finals: list[str] = []
    try:
        end_s = time.monotonic() + ANSWER_S
        while not finals and time.monotonic() < end_s:
            time.sleep(0.1)
            finals = [it.text for it in list(events) if isinstance(it, Transcribed) and it.status is TurnStatus.FINAL]
    finally:
        observer.close()
        process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=20)
    assert "Traceback" not in output, output
    assert finals, output
    return finals[0]


@pytest.mark.ros
def test_a_recording_is_heard_and_answered_without_devices(launched: Any, root: Path, tmp_path: Path) -> None:
    from make_bag import write_bag

    question = root / "config" / "question.wav"
    reply = f"speaker_file:={tmp_path / 'reply.wav'}"
    spoken = transcript_of(launched, f"recording:={question}", "namespace:=r1", reply)
    assert "museum" in spoken
    bag = tmp_path / "bag"
    sound = soxr.resample(soundfile.read(question, dtype="int16")[0], 16_000, 24_000)
    write_bag(bag, {"/r1/mic/audio": sound})
    assert transcript_of(launched, f"recording:={bag}", "namespace:=r1", reply) == spoken
    assert (tmp_path / "reply.wav").exists()


@pytest.mark.ros
@pytest.mark.parametrize(
    ("words", "why"),
    [
        ((), "recording is empty: give recording:=FILE"),
        (("recording:=/nowhere.mcap",), "recording = '/nowhere.mcap'"),
        (("recording:=~nobody-here/a.wav",), "nobody here has that home"),
    ],
)
def test_what_cannot_be_replayed_is_said_in_one_line(launched: Any, words: tuple[str, ...], why: str) -> None:
    output, _ = launched(*words, file="replay.launch.py").communicate(timeout=30)
    assert why in output
    assert "process started" not in output
