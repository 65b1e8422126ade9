"""Makes docs/parameters.md and config/kame.yaml from the table: ``python -m kame_ros.app.reference``."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable
from pathlib import Path

import kame_ros
from kame_ros.app.description import ARGUMENTS, ASK_ARGUMENTS, DEMO_ARGUMENTS, Argument
from kame_ros.nodes.parameter import Parameter
from kame_ros.nodes.parameters import ALL_NODES

_MADE = "Made from the table in kame_ros/nodes/parameters.py by `python -m kame_ros.app.reference`; do not edit."


def files() -> dict[str, str]:
    """Return the made files by their path in the project."""
    return {"docs/parameters.md": markdown(), "config/kame.yaml": parameter_file()}


def markdown() -> str:
    """Return the page of all arguments and parameters."""
    lines = [
        "# Arguments and parameters",
        "",
        f"<!-- {_MADE} -->",
        "",
        "`kame run` and `ros2 launch kame_ros kame.launch.py` take the same arguments, written `name:=value`, and any",
        "parameter of a node as `node.parameter:=value`. What is given goes before the `params_file`, and that before",
        "the defaults.",
        "",
        "A parameter marked *live* may change while its node runs, as with `ros2 param set`; the others need a",
        "restart. What several are changed to at once (`set_parameters_atomically`) is taken whole or refused whole,",
        "with the reason, and `ros2 param load` takes a file with all parameters, of which only live ones may differ.",
        "A whole number is taken for a number with a point, and a text for what it says. What must be loaded, a",
        "recogniser or backend, is loaded beside the talk, and no turn is lost; until then the one before goes on.",
        "",
        "In a parameter file `kame run` and the launch file take a bare node name for that node in any namespace.",
        "`ros2 run` with `--params-file` reads it as ROS does: of a node in a namespace write `/**/frontend` or `/**`.",
        "",
        "## `kame run` and the launch file",
        "",
        *_argument_table(ARGUMENTS),
        "",
        "## `kame demo`, besides",
        "",
        *_argument_table(DEMO_ARGUMENTS),
        "",
        "## `kame ask`",
        "",
        *_argument_table(ASK_ARGUMENTS),
    ]
    for node, table in ALL_NODES.items():
        lines += ["", f"## Node `{node}`", "", *_table(("parameter", "default", "range", "meaning"), map(_row, table))]
    return "\n".join(lines) + "\n"


def parameter_file() -> str:
    """Return a parameter file with every parameter at its default."""
    lines = [
        "# Every parameter of the nodes at its default. Copy it, keep what you change, give it as params_file:=",
        "# to kame run or the launch file. Nodes are named bare, in whatever namespace they run. What is marked Live",
        "# may change while the node runs.",
        f"# {_MADE}",
    ]
    for node, table in ALL_NODES.items():
        lines += ["", f"{node}:", "  ros__parameters:"]
        for parameter in table:
            lines += textwrap.wrap(_described(parameter), 116, initial_indent="    # ", subsequent_indent="    # ")
            lines.append(f"    {parameter.name}: {json.dumps(parameter.default)}")
    return "\n".join(lines) + "\n"


def _described(parameter: Parameter) -> str:
    allowed = _allowed(parameter)
    unit = f" In {parameter.unit}." if parameter.unit and not allowed else ""
    live = " Live." if parameter.live else ""
    return f"{parameter.meaning}{unit}" + (f" {allowed[0].upper()}{allowed[1:]}." if allowed else "") + live


def _allowed(parameter: Parameter) -> str:
    several = "or more " if parameter.names else ""
    return f"one {several}of {', '.join(parameter.choices)}" if parameter.choices else parameter.span


def _row(parameter: Parameter) -> tuple[str, ...]:
    default = json.dumps(parameter.default) if parameter.default != "" else ""
    unit = f" {parameter.unit}" if parameter.unit else ""
    live = " *Live.*" if parameter.live else ""
    return f"`{parameter.name}`", f"{default.strip(chr(34))}{unit}", _allowed(parameter), parameter.meaning + live


def _argument_table(arguments: Iterable[Argument]) -> list[str]:
    rows = ((f"`{one.name}`", one.default or one.own_default, ", ".join(one.choices), one.meaning) for one in arguments)
    return _table(("argument", "default", "choices", "meaning"), rows)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    return [f"| {' | '.join(cells)} |" for cells in (head, ("---",) * len(head), *rows)]


if __name__ == "__main__":
    for name, text in files().items():
        Path(kame_ros.__file__).resolve().parents[1].joinpath(name).write_text(text, encoding="utf-8")
