"""The codec that is built without weights."""

from __future__ import annotations

import pytest

pytest.importorskip("moshi", reason="the models' tests need torch and moshi")

from kame_ros.models.mimi import build_mimi


@pytest.mark.parametrize("codebooks", [8, 32])
def test_the_published_one_has_as_many_codebooks_as_are_wanted(codebooks: int) -> None:
    mimi = build_mimi(None, codebooks)
    assert mimi.num_codebooks == codebooks
    assert all(tensor.is_meta for tensor in mimi.parameters())
