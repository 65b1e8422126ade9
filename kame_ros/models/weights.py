"""A model's weights, from a safetensors file onto a device."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open

from kame_ros.models.errors import CheckpointError


def fill(model: torch.nn.Module, path: Path, device: torch.device, dtype: torch.dtype, prefix: str = "") -> None:
    """Give ``model`` the tensors of a safetensors file, those whose names begin with ``prefix``.

    Each is cast on the CPU and then moved alone, so the device never holds more than the finished model.

    Raises:
        CheckpointError: the file is none, or its tensors are not exactly those of the model.
    """
    shapes = {
        name.removeprefix(prefix): shape for name, shape in tensor_shapes(path).items() if name.startswith(prefix)
    }
    _compare(model, shapes, path)
    state = {}
    try:
        with safe_open(path, framework="pt", device="cpu") as file:
            for name in shapes:
                tensor = file.get_tensor(prefix + name)
                state[name] = tensor.to(dtype if tensor.is_floating_point() else tensor.dtype).to(device)
    except torch.OutOfMemoryError as error:
        raise CheckpointError(f"device = {str(device)!r}: its memory is full: {str(error).splitlines()[0]}") from error
    try:
        model.load_state_dict(state, assign=True)
    except RuntimeError as error:  # whole numbers where weights should be
        raise CheckpointError(f"checkpoint: {path}: {str(error).splitlines()[-1].strip()}") from error
    model.eval().requires_grad_(False)


def tensor_shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """Return the shape of each tensor in a safetensors file; raise `CheckpointError` where it is none."""
    try:
        with safe_open(path, framework="pt", device="cpu") as file:
            return {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118 (no mapping)
    except (OSError, SafetensorError) as error:
        raise CheckpointError(f"checkpoint: {path} is no safetensors file: {error}") from error


def size_bytes(model: torch.nn.Module) -> int:
    """Return what all tensors of ``model`` take together, on ``meta`` too."""
    return sum(tensor.numel() * tensor.dtype.itemsize for tensor in model.state_dict().values())


def _compare(model: torch.nn.Module, shapes: Mapping[str, tuple[int, ...]], path: Path) -> None:
    """Refuse a file whose tensors are not the model's, by a load without contents: moshi renames some of old files."""
    try:
        result = model.load_state_dict(
            {name: torch.empty(s, device="meta") for name, s in shapes.items()}, strict=False
        )
    except RuntimeError as error:  # several lines, the first without any name
        raise CheckpointError(f"checkpoint: {path}: {str(error).splitlines()[-1].strip()}") from error
    for names, what in ((result.missing_keys, "missing"), (result.unexpected_keys, "not the model's")):
        if names:
            raise CheckpointError(f"checkpoint: {path}: {what}: {names[0]}, and {len(names) - 1} tensors more")
