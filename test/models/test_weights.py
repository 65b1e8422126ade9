"""Weights from a safetensors file: a part of it, and the sizes that are known before it is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch", reason="the models' tests need torch and moshi")

from safetensors.torch import save_file  # noqa: E402

from kame_ros.models.errors import CheckpointError  # noqa: E402
from kame_ros.models.weights import fill, size_bytes, tensor_shapes  # noqa: E402

CPU = torch.device("cpu")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Give a file with the tensors of a linear layer under ``part.``, and one tensor more."""
    path = tmp_path / "weights.safetensors"
    save_file({"part.weight": torch.arange(6.0).reshape(2, 3), "part.bias": torch.ones(2), "rest": torch.ones(1)}, path)
    return path


def test_a_model_is_filled_from_a_part_of_a_file(file: Path) -> None:
    layer = torch.nn.Linear(3, 2, device="meta")
    fill(layer, file, CPU, torch.float16, prefix="part.")
    assert torch.equal(layer.weight, torch.arange(6.0).reshape(2, 3).half())
    assert not layer.weight.requires_grad


def test_tensors_that_are_not_the_model_s_are_named(file: Path) -> None:
    with pytest.raises(CheckpointError, match=r"missing: weight, and 1 tensors more$"):
        fill(torch.nn.Linear(3, 2, device="meta"), file, CPU, torch.float32)


def test_sizes_are_known_before_anything_is_loaded(file: Path) -> None:
    assert tensor_shapes(file) == {"part.weight": (2, 3), "part.bias": (2,), "rest": (1,)}
    assert size_bytes(torch.nn.Linear(3, 2, device="meta", dtype=torch.float16)) == 2 * (6 + 2)


def test_a_file_that_is_none_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no weights")
    with pytest.raises(CheckpointError, match="text is no safetensors file") as caught:
        tensor_shapes(tmp_path / "text")
    assert "\n" not in str(caught.value)
