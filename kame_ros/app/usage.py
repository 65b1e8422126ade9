"""What ``kame --help`` and the help of each command say, made from the description."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable

from kame_ros.app.description import ARGUMENTS, ASK_ARGUMENTS, DEMO_ARGUMENTS, DEVICES_ARGUMENTS, Argument
from kame_ros.app.verify import options
from kame_ros.nodes.parameters import ALL_NODES

_WIDTH = 100
_COLUMN = 30


def overview() -> str:
    """Return the help of ``kame``."""
    return "\n".join(
        [
            "kame lets a robot talk while it thinks.",
            "",
            "  kame run [NAME:=VALUE ...]         start the four nodes, and watch them until Ctrl-C",
            "  kame demo [NAME:=VALUE ...]        ask a spoken question, and show how it is answered",
            '  kame ask "TEXT" [NAME:=VALUE ...]  type to nodes that run already',
            "  kame verify FOLDER [--OPTION ...]  replay a recorded run of the model on this machine's device",
            "  kame devices [--test]              list the sound devices; record and play back",
            "  kame doctor [NAME:=VALUE ...]      what works on this machine, and what to do about the rest",
            "  kame --version",
            "",
            "kame COMMAND --help lists what can be given.",
        ]
    )


def of(command: str) -> str:
    """Return the help of ``command``: run, demo, ask, verify, devices or doctor."""
    match command:
        case "run":
            head = "kame run [NAME:=VALUE ...]: start the four nodes, and watch them until Ctrl-C"
            return "\n".join([head, "", *_arguments(ARGUMENTS), *_parameters()])
        case "demo":
            head = "kame demo [NAME:=VALUE ...]: ask a spoken question, and show how it is answered"
            return "\n".join([head, "", *_arguments(DEMO_ARGUMENTS), "", "and everything that kame run --help lists"])
        case "verify":
            return options().format_help().rstrip()
        case "devices":
            head = "kame devices [--test] [NAME:=VALUE ...]: list the sound devices, and what kame run would choose"
            test = _entry("--test", "Record with the chosen microphone and play it back on the chosen loudspeaker.")
            return "\n".join([head, "", *test, *_arguments(DEVICES_ARGUMENTS)])
        case "doctor":
            head = "kame doctor [NAME:=VALUE ...]: what works on this machine, and what to do about the rest"
            return "\n".join([head, "", "takes what kame run --help lists, and looks at what that would need"])
        case _:
            head = 'kame ask "TEXT" [NAME:=VALUE ...]: type to nodes that run already, and print the answer'
            return "\n".join([head, "", *_arguments(ASK_ARGUMENTS)])


def _arguments(arguments: Iterable[Argument]) -> list[str]:
    return [line for argument in arguments for line in _entry(f"{argument.name}:=", argument.help)]


def _parameters() -> list[str]:
    lines = ["", "and any parameter of a node, as NODE.PARAMETER:=VALUE", ""]
    for node, table in ALL_NODES.items():
        for parameter in table:
            default = parameter.default if parameter.default != "" else "empty"
            shown = json.dumps(default) if isinstance(default, bool) else default
            text = f"{parameter.meaning} Default: {shown}{' ' * bool(parameter.unit)}{parameter.unit}."
            lines += _entry(f"{node}.{parameter.name}:=", text)
    return lines


def _entry(name: str, text: str) -> list[str]:
    head = f"  {name}".ljust(_COLUMN)
    indent = " " * _COLUMN
    if len(head) > _COLUMN:
        return [head, *textwrap.wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=indent)]
    return textwrap.wrap(text, _WIDTH, initial_indent=head, subsequent_indent=indent)
