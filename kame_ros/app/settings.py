"""What the four nodes are started with, checked before anything starts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kame_ros.app import params_file
from kame_ros.app.arguments import did_you_mean
from kame_ros.app.description import ARGUMENTS, CHOSEN_NODES, START_ORDER
from kame_ros.app.error import UsageError
from kame_ros.nodes.parameter import ParameterError
from kame_ros.nodes.parameters import ALL_NODES

_NAMESPACE = re.compile(r"(/[A-Za-z_][A-Za-z0-9_]*)+")


@dataclass(frozen=True)
class Instance:
    """One node to start."""

    node: str
    namespace: str
    """Absolute."""
    parameters: Mapping[str, Any]
    robot: str = ""
    """The robot that has it to itself, of several; empty: there is one, or all share it."""

    @property
    def name(self) -> str:
        """Its name among the others: the node's, behind its robot's."""
        return f"{self.robot}/{self.node}" if self.robot else self.node


@dataclass(frozen=True)
class Settings:
    """A checked description of what to start."""

    namespace: str
    """Absolute, such as /r1; / for none."""
    log_level: str
    discovery: str
    """local or network."""
    respawn: bool
    parameters: Mapping[str, Mapping[str, Any]]
    """What was given, as {node: {parameter: value}}; the nodes' own defaults hold for the rest."""
    instances: tuple[Instance, ...]
    """The nodes to start here, in this order."""

    @property
    def talks(self) -> tuple[str, ...]:
        """The namespaces in which a robot talks."""
        robots = str(self.parameters["frontend"].get("robots", ""))
        return tuple(_below(self.namespace, robot) for robot in robots.split(", ")) if robots else (self.namespace,)


def resolve(given: Mapping[str, str]) -> Settings:
    """Check the arguments ``given`` (those of the description, and NODE.PARAMETER) and what they name.

    An argument goes before the params_file, and NODE.PARAMETER before an argument.

    Raises:
        UsageError: the first thing that is wrong, in one line.
    """
    general = {argument.name: argument.default for argument in ARGUMENTS}
    exact: dict[str, str] = {}
    for name, value in given.items():
        if name in general:
            general[name] = value
        elif "." in name:
            exact[name] = value
        else:
            raise UsageError(f"{name}: unknown argument{_hint(name, general)}")
    _check_choices(general)
    namespace = absolute(general["namespace"])
    arguments = {name: general[name] for name in given if name in general}
    parameters = _parameters(namespace, general["params_file"], arguments, exact)
    robots = str(parameters["frontend"].get("robots", ""))
    if robots:
        parameters["frontend"].setdefault("max_sessions", len(robots.split(", ")))
    try:
        chosen = str(CHOSEN_NODES.check(general["nodes"])).split(", ")
    except ParameterError as error:
        raise UsageError(str(error)) from error
    instances = []
    for node in START_ORDER:
        if node not in chosen and not (node == "bridges" and parameters[node].get("bridges")):
            continue
        if not robots or node == "frontend":
            instances.append(Instance(node, namespace, parameters[node]))
            continue
        for robot in robots.split(", "):
            of_robot = _parameters(_below(namespace, robot), general["params_file"], arguments, exact)
            instances.append(Instance(node, _below(namespace, robot), of_robot[node], robot.strip("/")))
    return Settings(
        namespace=namespace,
        log_level=general["log_level"],
        discovery=general["discovery"],
        respawn=general["respawn"] == "true",
        parameters=parameters,
        instances=tuple(instances),
    )


def _parameters(
    namespace: str, file: str, arguments: Mapping[str, str], exact: Mapping[str, str]
) -> dict[str, dict[str, Any]]:
    """Return what is given for the nodes in ``namespace``: the file, then the arguments, then the exact ones."""
    parameters: dict[str, dict[str, Any]] = {node: {} for node in ALL_NODES}
    if file:
        parameters = params_file.read(file, namespace)
    for argument in ARGUMENTS:
        if arguments.get(argument.name, "") != "":
            for node, parameter in argument.sets:
                parameters[node][parameter] = _checked(node, parameter, arguments[argument.name], argument.name)
    for name, value in exact.items():
        node, parameter = name.split(".", 1)
        if node not in ALL_NODES:
            nodes = f"the nodes are {', '.join(ALL_NODES)}{did_you_mean(node, ALL_NODES)}"
            raise UsageError(f"{name}: no node {node!r}; {nodes}")
        parameters[node][parameter] = _checked(node, parameter, value, name)
    return parameters


def _below(namespace: str, robot: str) -> str:
    """Return the namespace of ``robot``, as ROS resolves its name in ``namespace``."""
    return robot if robot.startswith("/") else f"{namespace.rstrip('/')}/{robot}"


def _check_choices(general: Mapping[str, str]) -> None:
    for argument in ARGUMENTS:
        value = general[argument.name]
        # What sets a node's parameter is checked by the table, and empty leaves it to the node.
        if argument.choices and not argument.sets and value not in argument.choices:
            raise UsageError(f"{argument.name} = {value!r}: must be one of {', '.join(argument.choices)}")


def absolute(value: str) -> str:
    """Return the namespace ``value`` as ROS writes it, such as /r1; raise `UsageError` when it cannot be one."""
    name = "/" + value.strip("/")
    if name != "/" and not _NAMESPACE.fullmatch(name):
        raise UsageError(
            f"namespace = {value!r}: must be a ROS name: letters, digits and _, none beginning with a digit, parts by /"
        )
    return name


def _hint(name: str, known: Iterable[str]) -> str:
    for node, table in ALL_NODES.items():
        if any(parameter.name == name for parameter in table):
            return f"; a node's own parameter is written {node}.{name}:=VALUE"
    return did_you_mean(name, known)


def _checked(node: str, name: str, value: str, argument: str) -> Any:
    table = {parameter.name: parameter for parameter in ALL_NODES[node]}
    if name not in table:
        raise UsageError(f"{argument}: {node} has no parameter {name!r}{did_you_mean(name, table)}")
    try:
        return table[name].check(value)
    except ParameterError as error:
        # The table names the parameter; whoever typed an argument of another name looks for that.
        _, _, why = str(error).partition(f"{name} = ")
        raise UsageError(f"{argument} = {why}") from error
