"""kame doctor: the table, and the command on this machine as it is."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from kame_ros.app.checks.finding import Finding, State
from kame_ros.app.doctor import all_values, lines, summary
from kame_ros.app.settings import resolve

Kame = Callable[..., "subprocess.Popen[str]"]


def finished(process: subprocess.Popen[str]) -> tuple[int, str]:
    output, _ = process.communicate(timeout=60)
    assert "Traceback" not in output
    return process.returncode, output


def rows(output: str) -> dict[str, str]:
    """The state of each part."""
    table = [line for line in output.splitlines()[1:-1] if not line.startswith(" ")]
    return {line[:24].strip(): line[24:34].strip() for line in table}


def test_a_row_says_what_is_wrong_and_below_it_what_to_do() -> None:
    told = lines(Finding("middleware", State.FAILS, "no message came " * 6, "try another"))
    assert told[0].startswith("middleware              FAILS     no message came")
    assert told[-1] == " " * 34 + "-> try another"
    assert all(len(line) <= 100 for line in told)


def test_the_last_line_counts_what_fails() -> None:
    assert summary(0) == "all that kame run needs works"
    assert "1 fails" in summary(1)
    assert "2 fail;" in summary(2)


def test_what_is_not_given_is_the_tables_default() -> None:
    values = all_values(resolve({"backend": "openai", "microphone.gain_db": "3"}))
    assert values["oracle_bridge"]["backend"] == "openai"
    assert values["microphone"]["gain_db"] == 3.0
    assert values["speaker"]["sink"] == "device"


@pytest.mark.ros
@pytest.mark.sound
def test_on_a_machine_with_everything_all_works(sound_server: Any, kame: Kame) -> None:
    words = ["microphone_device:=pulse", "speaker_device:=pulse"]
    code, output = finished(kame("doctor", *words, OPENAI_API_KEY="sk-do-not-show"))
    found = rows(output)
    assert code == 0, output
    assert {found[part] for part in ("microphone", "speaker", "recogniser", "ROS", "middleware")} == {"works"}
    assert "do-not-show" not in output
    assert output.endswith("all that kame run needs works\n")


@pytest.mark.ros
def test_what_the_arguments_need_and_is_not_there_fails(kame: Kame) -> None:
    words = ["source:=file", "sink:=file", "backend:=openai", "frontend:=tandem", "frontend.checkpoint:=/nowhere/here"]
    code, output = finished(kame("doctor", *words, OPENAI_API_KEY="", PULSE_SERVER="unix:/nowhere/at/all"))
    found = rows(output)
    assert code == 1
    assert {found["service openai"], found["speech-to-speech model"]} == {"FAILS"}
    assert "FAILS" not in {found["microphone"], found["speaker"]}, "files are used in their place"
    assert "of what kame run needs" in output.splitlines()[-1]


def test_a_wrong_argument_is_one_line(kame: Kame) -> None:
    code, output = finished(kame("doctor", "backend:=oracle"))
    assert (code, output.count("\n")) == (2, 1)
