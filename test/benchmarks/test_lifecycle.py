"""Nothing is left over when the nodes are taken around their lifecycle with a talk each time."""

from __future__ import annotations

from dataclasses import astuple
from pathlib import Path

import pytest

from benchmarks.lifecycle import Held, Result, Start, cycles, markdown
from kame_ros.nodes.parameters import NODES

pytestmark = pytest.mark.ros


def test_after_each_clean_up_a_node_has_the_same_threads_files_and_processes(tmp_path: Path) -> None:
    first, second = cycles(tmp_path, 2, 0.0)[0]
    assert {name: astuple(held)[:3] for name, held in second.items()} == {
        name: astuple(held)[:3] for name, held in first.items()
    }


def test_the_tables_tell_every_node() -> None:
    held = {name: Held(17, 18, 0, 75.0) for name in NODES}
    told = markdown(
        Result({name: Start(0.3, 0.1, 0.0) for name in NODES}, [held], {"inactive": dict.fromkeys(NODES, 1.0)})
    )
    assert "| microphone | 0.30 | 0.10 | 0.00 |" in told
    assert "| inactive | 1.0 | 1.0 | 1.0 | 1.0 | 4.0 |" in told
    assert "| 1 | " + " | ".join(["17, 18, 0, 75.0"] * 4) + " |" in told
