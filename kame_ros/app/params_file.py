"""A ROS parameter file, read as ROS reads it and checked against the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from kame_ros.app.arguments import did_you_mean
from kame_ros.app.error import UsageError
from kame_ros.nodes.parameter import ParameterError
from kame_ros.nodes.parameters import ALL_NODES

# rclpy's own parameters, which every node has.
_OF_ROS = ("use_sim_time", "start_type_description_service", "qos_overrides")


@dataclass(frozen=True)
class _Section:
    """The parameters below one ``ros__parameters``."""

    pattern: tuple[str, ...]
    parameters: Mapping[str, Any]


def read(file: str, namespace: str) -> dict[str, dict[str, Any]]:
    """Return what ``file`` says about each of our nodes in ``namespace``, as {node: {parameter: value}}.

    A section is meant for a node when its key is ``/**``, the node's bare name in whatever namespace, or the full
    name, in which ``*`` stands for one part and ``**`` for any; the more exact key wins. Sections of other nodes are
    left alone, since one file often serves a whole robot.

    Raises:
        UsageError: no such file, no YAML, no parameters in it, or a parameter that the table refuses.
    """
    try:
        sections = sorted(_sections(_load(file), (), file), key=lambda section: _exactness(section.pattern))
    except RecursionError as error:  # YAML can name a part of the file within itself
        raise UsageError(f"params_file = {file!r}: nested without end, an alias (*) is in its own anchor") from error
    given: dict[str, dict[str, Any]] = {node: {} for node in ALL_NODES}
    for section in sections:
        nodes = [node for node in ALL_NODES if _matches(section.pattern, [*filter(None, namespace.split("/")), node])]
        for name, value in section.parameters.items():
            known = [node for node in nodes if name in _table(node)]
            if nodes and not known and not name.startswith(_OF_ROS):
                names = {known_name for node in nodes for known_name in _table(node)}
                hint = did_you_mean(name, names)
                raise UsageError(
                    f"params_file = {file!r}: {'/'.join(section.pattern)}: {name}: unknown parameter{hint}"
                )
            for node in known or nodes:
                given[node][name] = _checked(file, node, name, value)
    return given


def _load(file: str) -> Any:
    try:
        with Path(file).expanduser().open("rb") as stream:
            return yaml.safe_load(stream)
    except OSError as error:
        raise UsageError(f"params_file = {file!r}: {error.strerror}") from error
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise UsageError(f"params_file = {file!r}: {line}{error.problem}") from error
    # PyYAML lets out what Python says of an impossible date, time or bool.
    except (yaml.YAMLError, ValueError, AttributeError, LookupError, RecursionError) as error:
        raise UsageError(f"params_file = {file!r}: not YAML: {' '.join(str(error).split())}") from error
    except RuntimeError as error:  # a home that is unknown
        raise UsageError(f"params_file = {file!r}: {error}") from error


def _sections(content: Any, above: tuple[str, ...], file: str) -> Iterator[_Section]:
    where = "/".join(above) or "its top"
    if not isinstance(content, dict) or not content:
        raise UsageError(f"params_file = {file!r}: {where}: must hold node names and, below them, ros__parameters")
    for key, value in content.items():
        if key == "ros__parameters":
            if not isinstance(value, dict | None):
                raise UsageError(f"params_file = {file!r}: {where}: ros__parameters must hold name: value")
            yield _Section(above, dict(_flat(value or {}, "")))
        else:
            yield from _sections(value, (*above, *filter(None, str(key).split("/"))), file)


def _flat(parameters: Mapping[Any, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in parameters.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _matches(pattern: tuple[str, ...], name: list[str]) -> bool:
    if len(pattern) == 1 and "*" not in pattern[0]:
        return pattern[0] == name[-1]
    if not pattern or not name:
        return not pattern and not name
    if pattern[0] == "**":
        # As in ROS, where a lone /** is every node.
        return pattern == ("**",) or any(_matches(pattern[1:], name[skip:]) for skip in range(len(name)))
    return pattern[0] in ("*", name[0]) and _matches(pattern[1:], name[1:])


def _exactness(pattern: tuple[str, ...]) -> tuple[int, int]:
    return -sum("*" in part for part in pattern), len(pattern)


def _table(node: str) -> dict[str, Any]:
    return {parameter.name: parameter for parameter in ALL_NODES[node]}


def _checked(file: str, node: str, name: str, value: Any) -> Any:
    parameter = _table(node).get(name)
    if parameter is None:
        return value
    try:
        return parameter.check(value)
    except ParameterError as error:
        raise UsageError(f"params_file = {file!r}: {node}: {error}") from error
