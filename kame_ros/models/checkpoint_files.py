"""Which files a checkpoint consists of, in a folder or in a Hugging Face repository."""

from __future__ import annotations

import json
import os
import re
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kame_ros.models.errors import CheckpointError
from kame_ros.models.full_size import FULL_SIZE

# What a Moshi checkpoint's config.json holds besides the arguments of the LM, and its files' names where it names none.
_LM_NAME = "model.safetensors"
_MIMI_NAME = "tokenizer-e351c8d8-checkpoint125.safetensors"
_TOKENIZER_NAME = "tokenizer_spm_32k_3.model"
_NOT_THE_LM_S = (
    *("model_type", "model_id", "tts_config"),
    "lm_gen_config",  # how to choose tokens: the node's parameters say that
    *("fuser", "lora_rank", "lora_scaling"),  # of what is refused below, and without it of no use
    "depformer_causal",  # of old checkpoints, and always true
)
_UNSUPPORTED = {
    "conditioners": "conditioners",
    "lora": "LoRA weights, which must be merged first",
    "lora_name": "LoRA weights, which must be merged first",
    "quantize": "8-bit weights",
}
_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")
_OTHER_REPOSITORY = re.compile(r"hf://(?P<repository>[\w.-]+/[\w.-]+)/(?P<file>.+)")


@dataclass(frozen=True)
class Wanted:
    """What is looked for, as errors call it."""

    parameter: str = "checkpoint"
    """It holds the checkpoint's name, and one like it with ``_revision`` its revision."""
    kind: str = "a KAME or Moshi checkpoint"


_TALKING = Wanted()


@dataclass(frozen=True)
class CheckpointFiles:
    """The files of one checkpoint, all there, and what its config.json says."""

    name: str
    """The folder or repository, as it was asked for."""
    lm: Path
    mimi: Path
    tokenizer: Path
    lm_arguments: dict[str, Any]
    """Arguments of moshi's ``LMModel``."""
    mimi_arguments: dict[str, Any] | None
    """Arguments of the codec's parts (``seanet``, ``quantizer``, ``transformer``, rates); None: the published Mimi."""
    recogniser: dict[str, Any] = field(default_factory=dict)
    """What ``stt_config`` says: how a recogniser of speech is to be fed; empty for a model that talks."""


def is_local(checkpoint: str) -> bool:
    """Tell whether ``checkpoint`` names a folder of this machine, there or not, and so needs no download."""
    return _mode(Path(checkpoint).expanduser()) != 0 or not _REPOSITORY.fullmatch(checkpoint)


def find_checkpoint(checkpoint: str, revision: str = "", wanted: Wanted = _TALKING) -> CheckpointFiles:
    """Find the files of ``checkpoint``, a local folder or a Hugging Face repository as ``owner/name``.

    A folder needs no network. A repository is downloaded once, at ``revision`` (commit, tag or branch; empty: newest).

    Raises:
        CheckpointError: what is missing, and the parameter to change.
    """
    source = _Source(checkpoint, revision, wanted)
    where = f"{wanted.parameter} = {checkpoint!r}"
    described = source.find("config.json")
    if described is None and source.find(_LM_NAME) is None:
        source.get("config.json")
    # Moshi's first checkpoints had none, and were all of one size.
    config = _read_json(described) if described else dict(FULL_SIZE)
    unsupported = [text for key, text in _UNSUPPORTED.items() if config.pop(key, None)]
    if unsupported:
        raise CheckpointError(f"{where}: its config.json asks for {unsupported[0]}; not supported")
    names = [config.pop(f"{part}_name", None) or "" for part in ("moshi", "mimi", "tokenizer", "mimi_config")]
    if not all(isinstance(name, str) for name in names):
        raise CheckpointError(f"{where}: its config.json must have text for each file's name")
    recogniser = config.pop("stt_config", None) or {}
    if not isinstance(recogniser, dict):
        raise CheckpointError(f"{where}: its config.json has stt_config = {recogniser!r}; must be a JSON object")
    for key in (*_NOT_THE_LM_S, *_UNSUPPORTED):
        config.pop(key, None)
    lm, mimi, tokenizer, mimi_config = names
    return CheckpointFiles(
        name=checkpoint,
        lm=source.get(lm or _LM_NAME),
        mimi=source.get(mimi or _MIMI_NAME),
        tokenizer=source.get(tokenizer or _TOKENIZER_NAME),
        lm_arguments=config,
        mimi_arguments=_read_json(source.get(mimi_config)) if mimi_config else None,
        recogniser=recogniser,
    )


class _Source:
    """The folder or repository that files are taken from."""

    def __init__(self, checkpoint: str, revision: str, wanted: Wanted) -> None:
        self._name = checkpoint
        self._wanted = wanted
        self._where = f"{wanted.parameter} = {checkpoint!r}"
        self._revision = revision
        self._folder = Path(checkpoint).expanduser() if is_local(checkpoint) else None
        if self._folder is None:
            return
        mode = _mode(self._folder)
        if not stat.S_ISDIR(mode):
            wrong = "not a folder" if mode else "no such folder"
            raise CheckpointError(
                f"{self._where}: {wrong}; must be a checkpoint's folder, or a repository as owner/name"
            )
        if not os.access(self._folder, os.R_OK | os.X_OK):
            raise CheckpointError(f"{self._where}: no permission to read this folder")
        if revision:
            raise CheckpointError(
                f"{wanted.parameter}_revision = {revision!r}: a folder has no revisions; leave it empty"
            )

    def get(self, file: str) -> Path:
        """Return where ``file`` is: in the folder or repository, or in another one as ``hf://owner/name/file``."""
        path = self.find(file)
        if path is None:
            raise CheckpointError(f"{self._where}: no {file} in it; must be {self._wanted.kind}")
        return path

    def find(self, file: str) -> Path | None:
        """Return what `get` does, None if there is no such file."""
        other = _OTHER_REPOSITORY.fullmatch(file)
        if other:
            return _download(other["repository"], other["file"], "", self._wanted.parameter)
        if self._folder is None:
            return _download(self._name, file, self._revision, self._wanted.parameter)
        path = self._folder / file.removeprefix("file://")
        if not stat.S_ISREG(_mode(path)):
            return None
        if not os.access(path, os.R_OK):  # safetensors would say that there is none
            raise CheckpointError(f"{self._where}: no permission to read {file}")
        return path


def _mode(path: Path) -> int:
    """Return what ``path`` is; 0: nothing that can be seen, as a name too long or in a closed folder."""
    try:
        return path.stat().st_mode
    except (OSError, ValueError):
        return 0


def _download(repository: str, file: str, revision: str, parameter: str) -> Path | None:
    # Imported here: a folder does without the library.
    from kame_ros.models.hub import download  # noqa: PLC0415

    return download(repository, file, revision, parameter)


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CheckpointError(f"checkpoint: {path} cannot be read: {error}") from error
    if not isinstance(content, dict):
        raise CheckpointError(f"checkpoint: {path} holds no JSON object")
    return content
