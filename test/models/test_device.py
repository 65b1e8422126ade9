"""Device and number format: on this machine, and on GPUs that are made up."""

from __future__ import annotations

from typing import Any

import pytest

torch: Any = pytest.importorskip("torch", reason="the tandem's tests need torch and moshi")

from kame_ros.models.device import check_memory, choose_device, choose_dtype, settle  # noqa: E402
from kame_ros.models.errors import CheckpointError  # noqa: E402


@pytest.fixture
def gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make up two GPUs: one that calculates in bfloat16, an older one that does not."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: ((9, 0), (7, 5))[device.index])
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: "GPU")
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (15_000_000_000, 16_000_000_000))


def test_the_cpu_is_there_and_calculates_in_float32() -> None:
    device = choose_device("cpu", "device", "another")
    assert device.type == "cpu"
    assert choose_dtype("auto", device) is torch.float32
    check_memory(device, 10**15, "context = 3000", "another GPU")


@pytest.mark.parametrize("name", ["auto", "cuda", "cuda:0"])
def test_without_cuda_one_line_says_what_to_set(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(
        CheckpointError, match=rf"^device = '{name}': no CUDA, since torch .*; set device to cpu .*cascade$"
    ):
        choose_device(name, "device", "frontend to cascade")


@pytest.mark.parametrize(("name", "index"), [("auto", 0), ("cuda", 0), ("cuda:1", 1)])
def test_a_gpu_is_chosen_by_its_number(name: str, index: int, gpus: None) -> None:
    assert choose_device(name, "device", "frontend to cascade") == torch.device("cuda", index)


def test_the_thread_s_own_gpu_is_the_one_that_was_chosen(gpus: None, monkeypatch: pytest.MonkeyPatch) -> None:
    settled: list[Any] = []
    monkeypatch.setattr(torch.cuda, "set_device", settled.append)
    settle(choose_device("cuda:1", "device", "another"))
    assert settled == [torch.device("cuda", 1)]


def test_a_gpu_that_is_not_there_is_refused(gpus: None) -> None:
    with pytest.raises(CheckpointError, match="device = 'cuda:2': the last GPU of this machine is cuda:1"):
        choose_device("cuda:2", "device", "another")


@pytest.mark.parametrize("name", ["", "gpu", "cuda:", "cuda:-1", "mps", "cpu:0"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(CheckpointError, match="must be auto, cuda, cuda:N or cpu"):
        choose_device(name, "device", "frontend to cascade")


def test_auto_is_the_best_that_a_gpu_calculates_in(gpus: None) -> None:
    assert choose_dtype("auto", torch.device("cuda", 0)) is torch.bfloat16
    assert choose_dtype("auto", torch.device("cuda", 1)) is torch.float16
    assert choose_dtype("float32", torch.device("cuda", 0)) is torch.float32


def test_errors_name_the_parameter_and_what_else_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(CheckpointError, match=r"^ears_device = .*; set ears_device to cpu .*, or ears to none$"):
        choose_device("auto", "ears_device", "ears to none")


def test_other_formats_are_refused() -> None:
    with pytest.raises(CheckpointError, match=r"^dtype = 'int4': must be auto, bfloat16, float16, float32$"):
        choose_dtype("int4", torch.device("cpu"))


def test_too_little_memory_is_one_line_with_what_to_set(gpus: None) -> None:
    device = torch.device("cuda", 0)
    check_memory(device, 15_000_000_000, "context = 3000", "lower it")
    with pytest.raises(
        CheckpointError, match=r"^context = 3000: needs 19\.2 GB .* 15\.0 of 16\.0 GB free; set it lower$"
    ):
        check_memory(device, 19_200_000_000, "context = 3000", "set it lower")
