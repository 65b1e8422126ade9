"""Which frontend the parameters make."""

from __future__ import annotations

import pytest

from kame_ros.frontend.cascade_frontend import CascadeFrontend
from kame_ros.nodes import frontends
from kame_ros.nodes.frontends import make_frontend
from kame_ros.nodes.parameter import check_all
from kame_ros.nodes.parameters import FRONTEND


def test_the_default_is_the_cascade() -> None:
    assert isinstance(make_frontend(check_all(FRONTEND, {})), CascadeFrontend)


@pytest.mark.parametrize(
    ("kind", "checkpoint"), [("tandem", "SakanaAI/kame"), ("moshi", "kyutai/moshiko-pytorch-bf16")]
)
def test_the_kind_alone_chooses_model_and_defaults(kind: str, checkpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frontends, "TandemFrontend", lambda settings: settings)
    settings = make_frontend(check_all(FRONTEND, {"frontend": kind}))
    assert (settings.kind, settings.checkpoint) == (kind, checkpoint)
    assert settings.context is None
    assert settings.most_steps == 3
    assert not settings.sampling.greedy


def test_what_is_given_reaches_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frontends, "TandemFrontend", lambda settings: settings)
    given = {"frontend": "tandem", "checkpoint": "/models/mine", "context": 750, "max_sessions": 8, "temperature": 0}
    settings = make_frontend(check_all(FRONTEND, given))
    assert (settings.checkpoint, settings.context, settings.slots) == ("/models/mine", 750, 8)
    assert settings.sampling.greedy
