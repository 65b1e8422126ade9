"""The table of parameters holds together."""

from __future__ import annotations

import pytest

from kame_ros.nodes.parameters import NODES


@pytest.mark.parametrize("name", NODES)
def test_every_default_obeys_its_own_rule(name: str) -> None:
    for parameter in NODES[name]:
        assert parameter.check(parameter.default) == parameter.default
        assert parameter.meaning.endswith(".")
        assert len({p.name for p in NODES[name]}) == len(NODES[name])
