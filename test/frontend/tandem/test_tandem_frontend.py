"""Tandem and moshi from a checkpoint: what is refused before loading, and a talk with the tiny model."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kame_ros.frontend.inputs import MicFrame, Oracle, OracleStatus, SayWhen
from kame_ros.frontend.outputs import Consumed, Failed, Loaded, Output, Said, Speech
from kame_ros.frontend.tandem import tandem_frontend
from kame_ros.frontend.tandem.sampling import Sampling
from kame_ros.frontend.tandem.tandem_frontend import TandemFrontend, TandemSettings
from kame_ros.models.errors import CheckpointError

TEXT = "We open at ten in the morning, and close at six."


class Talk:
    """A frontend with one session, and what it told."""

    def __init__(self, settings: TandemSettings) -> None:
        self.frontend = TandemFrontend(settings)
        self.outputs: list[Output] = []
        self.frontend.start(self.outputs.append)
        self.wait_for(lambda: self.of(Loaded) or self.of(Failed))
        self.frontend.open_session(7)

    def of(self, kind: Any) -> list[Any]:
        return [output for output in list(self.outputs) if isinstance(output, kind)]

    def wait_for(self, holds: Callable[[], object]) -> None:
        end_s = time.monotonic() + 60
        while not holds():
            assert time.monotonic() < end_s, self.outputs
            time.sleep(0.01)

    def hear(self, steps: int) -> None:
        done = len(self.of(Consumed))
        for first in range(done * 1920, (done + steps) * 1920, 480):
            self.frontend.hear(MicFrame(7, 5, first, np.zeros(480, np.int16)))
        self.wait_for(lambda: len(self.of(Consumed)) == done + steps)

    def oracle(self) -> None:
        self.frontend.tell(Oracle(7, 1, 1, OracleStatus.COMPLETE, TEXT, turn_final=True))


@pytest.fixture
def settings(tiny_checkpoint: Path) -> TandemSettings:
    return TandemSettings(
        kind="tandem", checkpoint=str(tiny_checkpoint), device="cpu", most_steps=200, sampling=Sampling(greedy=True)
    )


@pytest.fixture
def talk() -> Iterator[Callable[[TandemSettings], Talk]]:
    made: list[Talk] = []

    def make(settings: TandemSettings) -> Talk:
        made.append(Talk(settings))
        return made[-1]

    yield make
    for one in made:
        one.frontend.close()


def test_without_torch_one_line_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tandem_frontend, "find_spec", lambda _name: None)
    frontend = TandemFrontend(TandemSettings("tandem", "SakanaAI/kame"))
    with pytest.raises(CheckpointError) as refused:
        frontend.start(lambda _output: None)
    assert str(refused.value) == ("frontend = tandem: torch is not installed; pip install '.[tandem]', or set cascade")
    frontend.close()


def test_a_folder_that_is_not_there_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tandem_frontend, "find_spec", lambda name: name)
    with pytest.raises(CheckpointError, match=r"^checkpoint = '/no/where': no such folder"):
        TandemFrontend(TandemSettings("moshi", "/no/where")).start(lambda _output: None)


def test_a_gpu_that_is_not_there_is_told(settings: TandemSettings, talk: Any) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    failed = talk(replace(settings, device="cuda"))
    assert [failure.reason.partition(":")[0] for failure in failed.of(Failed)] == ["device = 'cuda'"]


def test_the_tiny_model_says_the_oracle(settings: TandemSettings, talk: Any) -> None:
    tandem = talk(settings)
    assert tandem.of(Loaded) == [Loaded(f"tandem {settings.checkpoint} on cpu, float32", best=True)]
    tandem.hear(3)
    tandem.oracle()
    tandem.hear(40)
    assert TEXT in [said.text for said in tandem.of(Said)]
    assert len(tandem.of(Speech)) == 4 * 42
    assert any(frame.samples.any() for frame in tandem.of(Speech))
    assert tandem.frontend.counters()["oracle_tokens_superseded"] == 0


def test_moshi_has_no_use_for_the_oracle(settings: TandemSettings, talk: Any) -> None:
    moshi = talk(replace(settings, kind="moshi"))
    moshi.oracle()
    moshi.hear(30)
    assert not moshi.of(Said)
    assert moshi.frontend.counters()["oracle_tokens_fed"] == 0
    assert moshi.frontend.say(7, TEXT, SayWhen.NOW).generation == 0


def test_a_checkpoint_without_an_oracle_table_runs_as_moshi_and_that_is_told(
    tmp_path: Path, settings: TandemSettings, talk: Any
) -> None:
    from kame_ros.frontend.tandem.tiny import write_tiny_checkpoint

    write_tiny_checkpoint(tmp_path, oracle=False)
    plain = talk(replace(settings, checkpoint=str(tmp_path)))
    (loaded,) = plain.of(Loaded)
    assert not loaded.best
    assert "no oracle table" in loaded.with_what
    plain.oracle()
    plain.hear(5)
    assert plain.frontend.counters()["oracle_tokens_fed"] == 0
