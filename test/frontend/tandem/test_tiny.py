"""The tiny checkpoint: made and loaded like a real one, and what it says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch: Any = pytest.importorskip("torch", reason="the tandem's tests need torch and moshi")
models: Any = pytest.importorskip("moshi.models", reason="the tandem's tests need torch and moshi")

from moshi.utils.compile import no_compile  # noqa: E402

from kame_ros.frontend.tandem.checkpoint import Loaded, load_checkpoint  # noqa: E402
from kame_ros.frontend.tandem.tiny import write_tiny_checkpoint  # noqa: E402
from kame_ros.models.checkpoint_files import find_checkpoint  # noqa: E402
from kame_ros.models.step import STEP_SAMPLES  # noqa: E402

TEXT = "We open at ten, and close at six in the evening."


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def load(folder: Path) -> Loaded:
    return load_checkpoint(find_checkpoint(str(folder)), torch.device("cpu"), torch.float32)


def talk(loaded: Loaded, oracle: list[int], *, greedy: bool) -> tuple[list[int], Any, Any]:
    """Step the checkpoint by moshi's own classes; return text tokens, sound, and the codes of what it heard."""
    torch.manual_seed(0)
    heard = np.random.default_rng(0).standard_normal((len(oracle), STEP_SAMPLES)).astype(np.float32) * 0.1
    generator = models.LMGen(loaded.lm, use_sampling=not greedy)
    tokens = loaded.lm.open_oracle(1)
    text, sound, codes = [], [], []
    with no_compile(), torch.no_grad(), loaded.mimi.streaming(1), generator.streaming(1):
        for token, step in zip(oracle, heard, strict=True):
            tokens.fill_(token)
            codes.append(loaded.mimi.encode(torch.from_numpy(step)[None, None]))
            out = generator.step(codes[-1])
            if out is not None:
                text.append(int(out[0, 0, 0]))
                sound.append(loaded.mimi.decode(out[:, 1:])[0, 0].numpy())
    return text, np.concatenate(sound), torch.cat(codes, 2)[0]


@pytest.mark.parametrize("greedy", [True, False])
def test_it_says_what_the_oracle_tells_it_and_nothing_else(greedy: bool, tiny_checkpoint: Path) -> None:
    loaded = load(tiny_checkpoint)
    words = loaded.tokenizer.encode(TEXT).ids
    padding = [loaded.ids.padding] * 10
    text, _, _ = talk(loaded, [*padding, loaded.ids.oracle_start, *words, *padding], greedy=greedy)
    assert text == [*padding, loaded.ids.padding, *words, *padding[1:]]


def test_its_sound_is_there_and_in_range(tiny_checkpoint: Path) -> None:
    loaded = load(tiny_checkpoint)
    _, sound, codes = talk(loaded, [loaded.ids.padding] * 40, greedy=False)
    assert np.isfinite(sound).all()
    assert np.abs(sound).max() < 0.9
    assert float(np.sqrt(np.mean(sound**2))) > 0.005
    assert abs(float(sound.mean())) < 1e-3
    assert min(len(set(row.tolist())) for row in codes) > 3, "what it hears does not reach every codebook"


def test_a_plain_one_says_words_at_random(tmp_path: Path) -> None:
    write_tiny_checkpoint(tmp_path, seed=2, oracle=False)
    loaded = load(tmp_path)
    assert loaded.lm.oracle_emb is None
    text, _, _ = talk(loaded, [loaded.ids.padding] * 60, greedy=False)
    spoken = sum(token != loaded.ids.padding for token in text)
    assert 0 < spoken < 50


def test_one_seed_gives_one_checkpoint(tiny_checkpoint: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "kame_ros.frontend.tandem.tiny", str(tmp_path / "again")]
    subprocess.run(command, check=True)
    write_tiny_checkpoint(tmp_path / "other", seed=1)
    first, again, other = (
        {path.name: path.read_bytes() for path in folder.iterdir()}
        for folder in (tiny_checkpoint, tmp_path / "again", tmp_path / "other")
    )
    assert first == again
    assert first["model.safetensors"] != other["model.safetensors"]
    assert sum(map(len, first.values())) < 5_000_000


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    command = [sys.executable, "-m", "kame_ros.frontend.tandem.tiny", str(tmp_path / "file")]
    result = subprocess.run(command, check=False, capture_output=True, text=True)
    assert result.returncode == 1
    assert result.stderr == f"{tmp_path / 'file'}: File exists\n"
