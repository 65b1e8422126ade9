"""The published models' size, against moshi's own table."""

from __future__ import annotations

from typing import Any

import pytest

loaders: Any = pytest.importorskip("moshi.models.loaders", reason="the tandem's tests need torch and moshi")

from kame_ros.models.full_size import FULL_SIZE  # noqa: E402


def test_it_is_what_moshi_takes_for_a_checkpoint_without_a_config() -> None:
    assert loaders._lm_kwargs == FULL_SIZE
