from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

import kame_ros
from kame_ros.app.cli import COMMANDS
from kame_ros.app.description import ARGUMENTS

Kame = Callable[..., "subprocess.Popen[str]"]


def finished(process: subprocess.Popen[str]) -> tuple[int, str]:
    output, _ = process.communicate(timeout=30)
    assert "Traceback" not in output
    return process.returncode, output


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"], ["help"]])
def test_the_help_names_every_command(kame: Kame, words: list[str]) -> None:
    code, output = finished(kame(*words))
    assert code == 0
    assert all(f"  kame {command} " in output for command in COMMANDS)


def test_the_help_of_run_lists_what_the_description_has(kame: Kame) -> None:
    code, output = finished(kame("run", "--help"))
    assert code == 0
    assert all(f"  {argument.name}:=" in output for argument in ARGUMENTS)
    assert "frontend.lead_s:=" in output


@pytest.mark.parametrize(
    ("command", "argument"),
    [
        ("demo", "question:="),
        ("ask", "limit_s:="),
        ("verify", "--device"),
        ("devices", "--test"),
        ("doctor", "kame run --help"),
    ],
)
def test_every_command_has_a_help(kame: Kame, command: str, argument: str) -> None:
    code, output = finished(kame(command, "--help"))
    assert (code, argument in output) == (0, True)


def test_the_version_is_the_packages(kame: Kame) -> None:
    assert finished(kame("--version")) == (0, f"kame_ros {kame_ros.__version__}\n")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["fly"], "unknown command"),
        (["run", "voice"], "name:=value"),
        (["run", "voise:=piper"], "did you mean voice?"),
        (["run", "frontend.lead_s:=long"], "must be a number"),
        (["run", "params_file:=FOLDER/nothing.yaml"], "No such file"),
        (["run", "params_file:=FOLDER/broken.yaml"], "line 2"),
        (["run", "params_file:=FOLDER/unknown.yaml"], "unknown parameter; did you mean lead_s?"),
        (["run", "namespace:=a b"], "must be a ROS name"),
        (["ask"], "nothing to ask"),
        (["ask", "where", "voice:=piper"], "voice: unknown argument"),
        (["ask", "where", "limit_s:=soon"], "must be a number"),
        (["demo", "question:=FOLDER/nothing.wav"], "No such file"),
        (["demo", "question:=FOLDER"], "a folder"),
        (["demo", "question:=FOLDER/empty.wav"], "0 bytes"),
        (["demo", "question:=FOLDER/text.wav"], "not a sound file"),
        (["demo", "question:=FOLDER/silent.wav"], "without any sound"),
        (["demo", "mic:=perhaps"], "must be true or false"),
        (["demo", "mic:=true", "question:=a.wav"], "cannot be had together"),
        (["demo", "folder:=FOLDER/text.wav/x"], "Not a directory"),
        (["demo", "limit_s:=0"], "from 1 to 3600"),
        (["demo", "backend:=oracle"], "must be one or more of"),
    ],
)
def test_bad_input_is_one_line_before_anything_starts(kame: Kame, tmp_path: Path, words: list[str], why: str) -> None:
    (tmp_path / "broken.yaml").write_text("frontend: [\n")
    (tmp_path / "unknown.yaml").write_text("frontend:\n  ros__parameters:\n    leads: 1\n")
    (tmp_path / "empty.wav").touch()
    (tmp_path / "text.wav").write_text("this is no sound")
    soundfile.write(tmp_path / "silent.wav", np.zeros(0), 16_000)
    code, output = finished(kame(*(word.replace("FOLDER", str(tmp_path)) for word in words)))
    assert code == 2
    assert output.startswith("kame: ")
    assert output.count("\n") == 1
    assert why in output


def test_a_python_without_ros_is_told_what_to_do(kame: Kame) -> None:
    blind = (
        "import importlib.util; find = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *more: None if name == 'rclpy' else find(name, *more)\n"
        "from kame_ros.app.cli import main; main(['run'])"
    )
    code, output = finished(kame(code=blind))
    assert code == 1
    assert output.count("\n") == 1
    assert "rclpy cannot be imported by" in output


def test_a_python_that_lacks_a_package_is_named(kame: Kame) -> None:
    without = "import sys; sys.modules['soundfile'] = None; from kame_ros.app.cli import main; main(['demo'])"
    code, output = finished(kame(code=without))
    assert code == 1
    assert output.count("\n") == 1
    assert "soundfile" in output
    assert sys.executable in output


def test_a_reader_that_goes_away_is_no_traceback(kame: Kame) -> None:
    process = kame("run", "--help")
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait(timeout=30) == 0


def test_a_closed_output_is_no_traceback(kame: Kame) -> None:
    closing = "import os, sys; os.close(1); sys.stdout = None; from kame_ros.app.cli import main; main(['{}'])"
    assert finished(kame(code=closing.format("--help"))) == (0, "")
    code, output = finished(kame(code=closing.format("fly")))
    assert (code, output.count("\n")) == (2, 1)


def test_a_full_disk_behind_the_output_is_one_line(kame: Kame) -> None:
    full = "import sys; sys.stdout = open('/dev/full', 'w', 1); from kame_ros.app.cli import main; main(['--help'])"
    assert finished(kame(code=full)) == (1, "kame: output: No space left on device\n")
