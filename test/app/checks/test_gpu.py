"""Who needs a GPU, and what is said of one."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path
from typing import Any

import pytest

from kame_ros.app.checks import gpu
from kame_ros.app.checks.finding import State, Values
from kame_ros.app.doctor import all_values
from kame_ros.app.settings import resolve


def values(**given: str) -> Values:
    return all_values(resolve({name.replace("__", "."): value for name, value in given.items()}))


@pytest.mark.parametrize(
    ("given", "needed"),
    [
        ({}, False),
        ({"frontend": "tandem"}, True),
        ({"frontend": "moshi", "frontend__device": "cpu"}, False),
        ({"transcriber": "kyutai"}, True),
        ({"transcriber": "kyutai", "oracle_bridge__transcriber_device": "cpu"}, False),
    ],
)
def test_only_a_model_that_shall_run_there_needs_one(given: dict[str, str], needed: bool) -> None:
    assert gpu.wanted_by(values(**given)) is needed


def test_a_machine_without_a_driver_is_told_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (finding,) = gpu.check(values(frontend="tandem"))
    assert (finding.state, finding.told) == (State.FAILS, "the driver's nvidia-smi tells of no NVIDIA GPU")
    (finding,) = gpu.check(values())
    assert finding.state is State.NOT_NEEDED


def test_a_gpu_without_torch_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    driver = tmp_path / "nvidia-smi"
    driver.write_text("#!/bin/sh\necho 'NVIDIA Thor, 128000 MiB, 580.1'\n")
    driver.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    find: Any = importlib.util.find_spec
    monkeypatch.setattr(gpu, "find_spec", lambda name: None if name == "torch" else find(name))
    (finding,) = gpu.check(values())
    assert finding.told == "NVIDIA Thor, 128000 MiB, 580.1; torch is not installed"
    assert finding.remedy == "pip install '.[tandem]'"


def test_a_driver_that_hangs_is_no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(*_words: Any, **_options: Any) -> Any:
        raise subprocess.TimeoutExpired("nvidia-smi", 10)

    monkeypatch.setattr(subprocess, "run", hang)
    (finding,) = gpu.check(values())
    assert finding.state is State.NOT_NEEDED
