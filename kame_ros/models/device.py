"""The device and the number format that a model runs in."""

from __future__ import annotations

import re

import torch

from kame_ros.models.errors import CheckpointError

DTYPES = {"bfloat16": torch.bfloat16, "float16": torch.float16, "float32": torch.float32}
_BFLOAT16_CAPABILITY = (8, 0)  # the first GPUs that calculate in it: Ampere


def choose_device(device: str, parameter: str, otherwise: str) -> torch.device:
    """Return the device named ``device``: ``auto`` (the first GPU), ``cuda``, ``cuda:N`` or ``cpu``.

    ``parameter`` is its name in errors, and ``otherwise`` what to set where there is no GPU at all.

    Raises:
        CheckpointError: there is no such device.
    """
    if device == "cpu":
        return torch.device("cpu")
    gpu = re.fullmatch(r"auto|cuda(?::(\d+))?", device)
    if gpu is None:
        raise CheckpointError(f"{parameter} = {device!r}: must be auto, cuda, cuda:N or cpu")
    if not torch.cuda.is_available():
        why = "finds no NVIDIA GPU or driver" if torch.version.cuda else "was built without CUDA"
        raise CheckpointError(
            f"{parameter} = {device!r}: no CUDA, since torch {torch.__version__} {why}; "
            f"set {parameter} to cpu (quick enough for a tiny model only), or {otherwise}"
        )
    number = int(gpu[1] or 0)
    if number >= torch.cuda.device_count():
        raise CheckpointError(
            f"{parameter} = {device!r}: the last GPU of this machine is cuda:{torch.cuda.device_count() - 1}"
        )
    return torch.device("cuda", number)


def settle(device: torch.device) -> None:
    """Prepare the thread that will step a model: on the CPU for one core, on a GPU for this one.

    More cores make the steps of a tiny model late whenever the others are busy: with two threads on two busy cores, one
    step in twenty took 416 ms; with one thread 23 ms. A CUDA graph records what is done on the thread's own GPU.
    """
    if device.type == "cpu":
        torch.set_num_threads(1)
    else:
        torch.cuda.set_device(device)


def choose_dtype(dtype: str, device: torch.device, parameter: str = "dtype") -> torch.dtype:
    """Return the format named ``dtype``; ``auto`` is what ``device`` does best.

    That is bfloat16 on a GPU that calculates in it, else float16, and float32 on the CPU.

    Raises:
        CheckpointError: it is not one of ours.
    """
    if dtype == "auto":
        if device.type == "cpu":
            return torch.float32
        native = torch.cuda.get_device_capability(device) >= _BFLOAT16_CAPABILITY
        return torch.bfloat16 if native else torch.float16
    if dtype not in DTYPES:
        raise CheckpointError(f"{parameter} = {dtype!r}: must be auto, {', '.join(DTYPES)}")
    return DTYPES[dtype]


def check_memory(device: torch.device, needed_bytes: int, asked: str, remedy: str) -> None:
    """Refuse what a GPU's free memory cannot hold; ``asked`` are the parameters that want it.

    Raises:
        CheckpointError: with both sizes and ``remedy``, what to set.
    """
    if device.type != "cuda":
        return
    free_bytes, total_bytes = torch.cuda.mem_get_info(device)
    if needed_bytes > free_bytes:
        raise CheckpointError(
            f"{asked}: needs {needed_bytes / 1e9:.1f} GB of GPU memory, "
            f"and {device} ({torch.cuda.get_device_name(device)}) has {free_bytes / 1e9:.1f} of "
            f"{total_bytes / 1e9:.1f} GB free; {remedy}"
        )
