"""The loader on real files: a tiny checkpoint, whole and damaged."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch", reason="the tandem's tests need torch and moshi")
pytest.importorskip("moshi", reason="the tandem's tests need torch and moshi")

from safetensors.torch import load_file, save_file  # noqa: E402

from kame_ros.frontend.tandem.checkpoint import Loaded, build_lm, load_checkpoint  # noqa: E402
from kame_ros.models.checkpoint_files import find_checkpoint  # noqa: E402
from kame_ros.models.errors import CheckpointError  # noqa: E402

CPU = torch.device("cpu")
CODES_KEY = "quantizer.rvq_first.vq.layers.0._codebook.cluster_usage"


@pytest.fixture
def folder(tiny_checkpoint: Path, tmp_path: Path) -> Path:
    """Give a copy of the tiny checkpoint that a test may damage."""
    return Path(shutil.copytree(tiny_checkpoint, tmp_path / "checkpoint"))


def load(folder: Path, dtype: Any = torch.float32, context: int | None = None) -> Loaded:
    return load_checkpoint(find_checkpoint(str(folder)), CPU, dtype, context)


def refusal(folder: Path, context: int | None = None) -> str:
    with pytest.raises(CheckpointError) as caught:
        load(folder, context=context)
    line = str(caught.value)
    assert "\n" not in line
    return line


def change_config(folder: Path, name: str = "config.json", **changes: Any) -> None:
    config = json.loads((folder / name).read_text())
    (folder / name).write_text(json.dumps({**config, **changes}))


def change_tensors(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    tensors = load_file(path)
    change(tensors)
    save_file(tensors, path)


def test_every_tensor_is_loaded_as_it_is_in_the_file(tiny_checkpoint: Path) -> None:
    loaded = load(tiny_checkpoint)
    for model, file in ((loaded.lm, "model.safetensors"), (loaded.mimi, "mimi.safetensors")):
        tensors = load_file(tiny_checkpoint / file)
        state = model.state_dict()
        assert set(state) == set(tensors)
        assert all(torch.equal(state[name], tensors[name]) for name in state)
        assert not model.training
        assert not any(tensor.is_meta or tensor.requires_grad for tensor in [*model.parameters(), *model.buffers()])


def test_the_ids_are_the_checkpoint_s(tiny_checkpoint: Path) -> None:
    loaded = load(tiny_checkpoint)
    assert (loaded.ids.padding, loaded.ids.end_of_padding) == (3, 0)
    assert loaded.ids.oracle_start == loaded.lm.text_card


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_the_lm_is_cast_and_the_codec_stays(dtype: Any, tiny_checkpoint: Path) -> None:
    loaded = load(tiny_checkpoint, dtype)
    assert {tensor.dtype for tensor in loaded.lm.state_dict().values()} == {dtype}
    assert {tensor.dtype for tensor in loaded.mimi.state_dict().values()} == {torch.float32}


def test_a_checkpoint_without_the_oracle_s_table_is_moshi(folder: Path) -> None:
    change_tensors(folder / "model.safetensors", lambda tensors: tensors.pop("oracle_emb.weight"))
    assert load(folder).lm.oracle_emb is None


def test_context_is_the_checkpoint_s_or_shorter(folder: Path) -> None:
    assert load(folder).lm.context == 96
    assert load(folder, context=10).lm.context == 10
    for wrong in (0, -1, 97):
        assert refusal(folder, wrong).startswith(f"context = {wrong}: must be 1 to 96")
    change_config(folder, context=None)
    assert "its config.json names no context" in refusal(folder)


def test_old_names_of_the_codec_s_tensors_are_understood(folder: Path) -> None:
    old = CODES_KEY.replace("cluster_usage", "cluster_size")
    change_tensors(folder / "mimi.safetensors", lambda tensors: tensors.update({old: tensors.pop(CODES_KEY)}))
    assert CODES_KEY in load(folder).mimi.state_dict()


@pytest.mark.parametrize("file", ["model.safetensors", "mimi.safetensors"])
def test_tensors_that_do_not_fit_are_named(file: str, folder: Path) -> None:
    name = min(load_file(folder / file))
    changes: dict[str, Callable[[dict[str, Any]], Any]] = {
        f"{file}: missing: {name}, and 0": lambda tensors: tensors.pop(name),
        f"{file}: not the model's: extra, and 1": lambda t: t.update(extra=torch.ones(1), extra2=torch.ones(1)),
        f"{file}: size mismatch for {name}": lambda tensors: tensors.update({name: torch.ones(3, 5)}),
    }
    whole = (folder / file).read_bytes()
    for line, change in changes.items():
        (folder / file).write_bytes(whole)
        change_tensors(folder / file, change)
        assert line in refusal(folder)


@pytest.mark.parametrize("file", ["model.safetensors", "mimi.safetensors"])
@pytest.mark.parametrize("left", [0, 5, 1000, -1])
def test_a_file_that_was_cut_off_is_named(file: str, left: int, folder: Path) -> None:
    content = (folder / file).read_bytes()
    (folder / file).write_bytes(content[:left])
    assert f"{file} is no safetensors file" in refusal(folder)


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"unheard_of": 1}, "its config.json does not describe Moshi's LM"),
        ({"delays": [0, 1]}, "its config.json does not describe Moshi's LM"),
        ({"n_q": 8, "delays": [0] * 9}, "dep_q 8 and n_q 8; must be 8 and 16"),
        ({"card": 128}, "the LM knows 128 codes, the codec 256"),
        ({"text_card": 100}, "pieces, the LM knows 100"),
        ({"dim": 128}, "size mismatch for"),
        ({"dim": -1}, "its config.json does not describe Moshi's LM: RuntimeError: "),
        ({"dim": 0}, "its config.json does not describe Moshi's LM: ZeroDivisionError: "),
        ({"dim": 10**9}, "its config.json does not describe Moshi's LM: RuntimeError: "),
        (
            {"existing_text_padding_id": None},
            "does not describe Moshi's LM: ValueError: existing_text_padding_id = None",
        ),
        ({"existing_text_padding_id": 10**6}, "ValueError: existing_text_padding_id = 1000000"),
    ],
)
def test_a_config_that_does_not_fit_is_refused(changes: dict[str, Any], line: str, folder: Path) -> None:
    change_config(folder, **changes)
    assert line in refusal(folder)


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"seanet": {"unheard_of": 1}}, "mimi_config_name names no Mimi: TypeError"),
        ({"quantizer": None}, "mimi_config_name names no Mimi: TypeError"),
        ({"frame_rate": 0}, "mimi_config_name names no Mimi: ZeroDivisionError"),
        ({"frame_rate": -1}, "mimi_config_name names no Mimi: RuntimeError"),
        ({"frame_rate": 25}, "steps of 960 samples at 24000 Hz; must be 1920 at 24000"),
    ],
)
def test_a_codec_that_does_not_fit_is_refused(changes: dict[str, Any], line: str, folder: Path) -> None:
    change_config(folder, "mimi.json", **changes)
    assert line in refusal(folder)


@pytest.mark.parametrize("file", ["model.safetensors", "mimi.safetensors"])
def test_weights_that_are_whole_numbers_are_refused(file: str, folder: Path) -> None:
    change_tensors(folder / file, lambda tensors: tensors.update({n: t.to(torch.int8) for n, t in tensors.items()}))
    assert f"{file}: " in refusal(folder)


def test_arguments_that_the_lm_has_a_default_for_may_be_left_out(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    del config["existing_text_padding_id"], config["dep_q"]
    (folder / "config.json").write_text(json.dumps(config))
    assert load(folder).ids.padding == 3
    del config["dim"]
    (folder / "config.json").write_text(json.dumps(config))
    assert "size mismatch" in refusal(folder)


def test_nothing_of_the_lm_is_built_outside_of_meta(reference: Path) -> None:
    arguments = json.loads((reference / "config.json").read_text())["lm_kwargs"]
    lm = build_lm(arguments, torch.bfloat16, oracle=True)
    assert all(tensor.is_meta for tensor in lm.parameters())
