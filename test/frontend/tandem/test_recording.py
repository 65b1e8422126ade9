"""The folder of a recorded run, and what is said when it is none."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("safetensors", reason="the tandem's tests need torch and moshi")

from safetensors.numpy import load_file, save_file

from kame_ros.frontend.tandem.recording import read_recording
from kame_ros.models.errors import CheckpointError


@pytest.fixture
def copy(reference: Path, tmp_path: Path) -> Path:
    shutil.copytree(reference, tmp_path / "run")
    return tmp_path / "run"


def test_the_reference_is_read(reference: Path) -> None:
    recording = read_recording(reference)
    assert recording.oracle
    assert recording.user_codes.shape == (60, 8)
    assert recording.tokens.shape == (59, 9)
    assert recording.text_logits.shape == (60, 128)
    assert list(recording.oracle_tokens[5:8]) == [128, 20, 21]


def test_delayed_streams_are_chosen_later_than_given_out(reference: Path) -> None:
    recording = read_recording(reference)
    said = recording.said()
    np.testing.assert_array_equal(said[:59, 0], recording.tokens[:, 0])
    np.testing.assert_array_equal(said[1:, 2], recording.tokens[:, 2])
    assert said[59, 0] == said[59, 1] == said[0, 2] == -1


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("config.json", None, "config.json: No such file or directory; a recorded run has config.json and"),
        ("config.json", "{", "must be JSON with lm_kwargs"),
        ("config.json", json.dumps({"lm_kwargs": {"text_card": 128}, "first_output_step": 1}), "must be JSON with lm"),
        (
            "config.json",
            json.dumps({"lm_kwargs": {"text_card": 128, "delays": ["a"] * 9}, "first_output_step": 1}),
            "must",
        ),
        ("fixture.safetensors", None, "fixture.safetensors: no such file"),
        ("fixture.safetensors", "not tensors", "no safetensors file"),
    ],
)
def test_a_folder_that_is_no_recording_is_refused(copy: Path, name: str, content: str | None, expected: str) -> None:
    if content is None:
        (copy / name).unlink()
    else:
        (copy / name).write_text(content)
    with pytest.raises(CheckpointError, match=expected) as caught:
        read_recording(copy)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["user_codes", "oracle_tokens_per_step", "expected_tokens", "expected_text_logits"])
def test_tensors_that_do_not_fit_together_are_refused(copy: Path, name: str) -> None:
    tensors = load_file(copy / "fixture.safetensors")
    whole = tensors.pop(name)
    save_file(tensors, copy / "fixture.safetensors")
    with pytest.raises(CheckpointError, match=f"no tensor {name}"):
        read_recording(copy)
    save_file({**tensors, name: np.ascontiguousarray(whole[:, :3])}, copy / "fixture.safetensors")
    with pytest.raises(CheckpointError, match=r"has the shape \(1, .*; must be"):
        read_recording(copy)


@pytest.mark.parametrize("first", [-1, 0, 60, 1000])
def test_a_first_output_that_cannot_be_is_refused(copy: Path, first: int) -> None:
    config = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps({**config, "first_output_step": first}))
    with pytest.raises(CheckpointError, match=f"first_output_step = {first}: must be 1 .* less than its 60 steps$"):
        read_recording(copy)


def test_a_run_without_steps_is_refused(copy: Path) -> None:
    tensors = load_file(copy / "fixture.safetensors")
    save_file({**tensors, "user_codes": np.array(5)}, copy / "fixture.safetensors")
    with pytest.raises(CheckpointError, match="less than its 0 steps"):
        read_recording(copy)
