"""Which files a checkpoint consists of: from real folders, without torch."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from kame_ros.models.checkpoint_files import Wanted, find_checkpoint, is_local
from kame_ros.models.errors import CheckpointError
from kame_ros.models.full_size import FULL_SIZE

PARTS = ("model.safetensors", "tokenizer-e351c8d8-checkpoint125.safetensors", "tokenizer_spm_32k_3.model")


def make_folder(folder: Path, config: Any, files: tuple[str, ...] = PARTS) -> str:
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(config if isinstance(config, str) else json.dumps(config))
    for name in files:
        (folder / name).touch()
    return str(folder)


def test_files_without_names_have_those_of_moshi(tmp_path: Path) -> None:
    files = find_checkpoint(make_folder(tmp_path, {"dim": 64, "context": 24}))
    assert tuple(path.name for path in (files.lm, files.mimi, files.tokenizer)) == PARTS
    assert files.lm_arguments == {"dim": 64, "context": 24}
    assert files.mimi_arguments is None


def test_files_are_those_that_config_names_and_the_rest_is_the_lm_s(tmp_path: Path) -> None:
    names = {"moshi_name": "lm.safetensors", "mimi_name": "codec.safetensors", "tokenizer_name": "words.model"}
    others = {"model_type": "moshi", "model_id": {"sig": "a"}, "lora_name": None, "quantize": False, "tts_config": {}}
    others |= {"lora": False, "lora_rank": 128, "lora_scaling": 2.0, "conditioners": {}, "depformer_causal": True}
    config = {**names, **others, "mimi_config_name": "codec.json", "lm_gen_config": {"temp": 0.5}, "dim": 8}
    name = make_folder(tmp_path, config, tuple(names.values()))
    (tmp_path / "codec.json").write_text('{"sample_rate": 24000}')
    files = find_checkpoint(name)
    assert [files.lm.name, files.mimi.name, files.tokenizer.name] == list(names.values())
    assert files.lm_arguments == {"dim": 8}
    assert files.mimi_arguments == {"sample_rate": 24_000}


@pytest.mark.parametrize(
    "name", ["", "/no/such/folder", "x" * 5000, "./missing", "~/missing", "one/two/three", "nothing here/x"]
)
def test_what_is_no_repository_is_a_folder_that_must_be_there(name: str, tmp_path: Path) -> None:
    assert is_local(name)
    if name:
        with pytest.raises(CheckpointError, match=r"^checkpoint = .*: no such folder; must be .*owner/name$"):
            find_checkpoint(name)


def test_a_repository_needs_a_download_unless_a_folder_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert not is_local("SakanaAI/kame")
    (tmp_path / "SakanaAI").mkdir()
    make_folder(tmp_path / "SakanaAI" / "kame", {})
    assert is_local("SakanaAI/kame")
    assert find_checkpoint("SakanaAI/kame").lm.is_file()


def test_a_file_instead_of_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").touch()
    with pytest.raises(CheckpointError, match="not a folder"):
        find_checkpoint(str(tmp_path / "model.safetensors"))


def test_a_folder_has_no_revision(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"^checkpoint_revision = 'main': .*leave it empty$"):
        find_checkpoint(make_folder(tmp_path, {}), "main")


@pytest.mark.parametrize("missing", PARTS)
def test_a_missing_file_is_named(missing: str, tmp_path: Path) -> None:
    name = make_folder(tmp_path, {})
    (tmp_path / missing).unlink()
    with pytest.raises(CheckpointError, match=f"^checkpoint = .*: no {missing} in it; must be"):
        find_checkpoint(name)


def test_without_a_config_it_is_one_of_the_first_checkpoints_or_none(tmp_path: Path) -> None:
    name = make_folder(tmp_path, {})
    (tmp_path / "config.json").unlink()
    assert find_checkpoint(name).lm_arguments == FULL_SIZE
    (tmp_path / "model.safetensors").unlink()
    with pytest.raises(CheckpointError, match=r"no config\.json in it; must be a KAME or Moshi checkpoint$"):
        find_checkpoint(name)


@pytest.mark.parametrize("content", ["", "not JSON", "[1]", "\x00"])
def test_a_config_that_is_no_json_object_is_named(content: str, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"^checkpoint: .*config\.json"):
        find_checkpoint(make_folder(tmp_path, content))


@pytest.mark.parametrize("asked", [{"lora_name": "x"}, {"lora": True}, {"conditioners": {"a": 1}}, {"quantize": True}])
def test_what_the_loader_cannot_do_is_said(asked: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"asks for .*; not supported$"):
        find_checkpoint(make_folder(tmp_path, asked))


@pytest.mark.parametrize("asked", [{"moshi_name": 1}, {"mimi_config_name": ["a"]}])
def test_names_that_are_no_text_are_refused(asked: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"its config\.json must have text for each file's name"):
        find_checkpoint(make_folder(tmp_path, asked))


def test_a_file_whose_name_is_too_long_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"no x{3000} in it"):
        find_checkpoint(make_folder(tmp_path, {"moshi_name": "x" * 3000}))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_named(tmp_path: Path) -> None:
    name = make_folder(tmp_path / "closed", {})
    (tmp_path / "closed" / PARTS[0]).chmod(0)
    with pytest.raises(CheckpointError, match=f"no permission to read {PARTS[0]}$"):
        find_checkpoint(name)
    (tmp_path / "closed").chmod(0)
    with pytest.raises(CheckpointError, match=r"no permission to read this folder$"):
        find_checkpoint(name)
    with pytest.raises(CheckpointError, match="no such folder"):
        find_checkpoint(f"{name}/inner")


def test_what_a_recogniser_needs_is_kept_apart_from_the_lm_s(tmp_path: Path) -> None:
    files = find_checkpoint(make_folder(tmp_path, {"dim": 8, "stt_config": {"audio_delay_seconds": 0.5}}))
    assert files.recogniser == {"audio_delay_seconds": 0.5}
    assert files.lm_arguments == {"dim": 8}
    assert find_checkpoint(make_folder(tmp_path / "talks", {"stt_config": None})).recogniser == {}
    with pytest.raises(CheckpointError, match=r"has stt_config = \[1\]; must be a JSON object$"):
        find_checkpoint(make_folder(tmp_path, {"stt_config": [1]}))


def test_errors_name_the_parameter_and_what_is_wanted(tmp_path: Path) -> None:
    wanted = Wanted("ears", "a checkpoint with ears")
    with pytest.raises(CheckpointError, match=r"^ears = '/no/where': no such folder"):
        find_checkpoint("/no/where", wanted=wanted)
    with pytest.raises(CheckpointError, match=r"^ears_revision = 'main': "):
        find_checkpoint(str(tmp_path), "main", wanted)
    with pytest.raises(CheckpointError, match=r"^ears = .*: no config\.json in it; must be a checkpoint with ears$"):
        find_checkpoint(str(tmp_path), wanted=wanted)
