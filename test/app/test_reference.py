from __future__ import annotations

from pathlib import Path

import pytest

from kame_ros.app import params_file
from kame_ros.app.reference import files
from kame_ros.nodes.parameters import ALL_NODES


@pytest.mark.parametrize("name", files())
def test_the_committed_file_is_what_the_table_makes(root: Path, name: str) -> None:
    assert (root / name).read_text() == files()[name], "run: python -m kame_ros.app.reference"


def test_the_parameter_file_reads_back_as_all_defaults(root: Path) -> None:
    given = params_file.read(str(root / "config" / "kame.yaml"), "/any")
    assert given == {node: {one.name: one.default for one in table} for node, table in ALL_NODES.items()}


def test_every_parameter_has_a_row(root: Path) -> None:
    lines = (root / "docs" / "parameters.md").read_text().splitlines()
    for table in ALL_NODES.values():
        for parameter in table:
            assert any(line.startswith(f"| `{parameter.name}` |") and parameter.meaning in line for line in lines)
