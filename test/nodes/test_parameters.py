"""The table of parameters holds together."""

from __future__ import annotations

import pytest

from kame_ros.nodes.parameters import ALL_NODES


@pytest.mark.parametrize("name", ALL_NODES)
def test_every_default_obeys_its_own_rule(name: str) -> None:
    for parameter in ALL_NODES[name]:
        assert parameter.check(parameter.default) == parameter.default
        assert parameter.meaning.endswith(".")
        numeric = type(parameter.default) in (int, float)
        assert numeric == (parameter.minimum is not None) == (parameter.maximum is not None), "numbers have a range"
        assert not parameter.unit or numeric
        assert len({p.name for p in ALL_NODES[name]}) == len(ALL_NODES[name])
