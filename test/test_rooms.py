"""The package's own modules and messages: where they may be imported, and that the two build files agree."""

from __future__ import annotations

import ast
from pathlib import Path
from xml.etree import ElementTree

import pytest

import kame_ros

PURE_ROOMS = ("audio", "frontend", "models", "oracle", "app")


def imported_names(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


@pytest.mark.parametrize("room", PURE_ROOMS)
def test_no_message_is_imported_outside_nodes(root: Path, room: str) -> None:
    files = list((root / "kame_ros" / room).rglob("*.py"))
    assert files
    for path in files:
        messages = {name for name in imported_names(path) if name.startswith(("kame_ros.msg", "kame_ros.srv"))}
        assert not messages, f"{path.name} imports {messages}"


def test_package_xml_and_python_tell_one_version(root: Path) -> None:
    assert ElementTree.parse(root / "package.xml").findtext("version") == kame_ros.__version__


def test_every_message_field_is_documented(root: Path) -> None:
    interfaces = [*root.glob("msg/*.msg"), *root.glob("srv/*.srv")]
    assert len(interfaces) >= 13
    for path in interfaces:
        lines = path.read_text().splitlines()
        assert lines[0].startswith("# "), f"{path.name} does not say what it is"
        for before, line in zip(["", *lines], lines, strict=False):
            is_field = line and not line.startswith(("#", "---"))
            if is_field and "=" not in line:
                assert before.startswith("#"), f"{path.name}: no comment above: {line}"
