"""The page of faults names tests that exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path


def test_every_fault_has_tests_and_they_exist(root: Path) -> None:
    page = (root / "docs" / "faults.md").read_text()
    rows = [line for line in page.splitlines() if re.match(r"\| [A-Z]\d", line)]
    assert rows
    for row in rows:
        named = re.findall(r"`(test/[\w/]+\.py)::(\w+)`", row)
        assert named, f"no test: {row}"
        for file, name in named:
            tree = ast.parse((root / file).read_text())
            functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
            assert name in functions, f"{file} has no {name}"
