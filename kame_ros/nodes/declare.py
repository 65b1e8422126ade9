"""Declares a node's parameters from the table and judges changes, tolerant of the types that YAML gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor, ParameterType
from rclpy.node import Node
from rclpy.parameter import Parameter as RosParameter

from kame_ros.nodes.parameter import Parameter, ParameterError, Value

_OF_RCLPY = ("use_sim_time", "start_type_description_service", "qos_overrides.")
_TYPES = {
    bool: ParameterType.PARAMETER_BOOL,
    int: ParameterType.PARAMETER_INTEGER,
    float: ParameterType.PARAMETER_DOUBLE,
    str: ParameterType.PARAMETER_STRING,
}


def declare(node: Node, table: tuple[Parameter, ...]) -> dict[str, Value]:
    """Declare ``table`` on ``node`` and return the values.

    The node must have been made with ``automatically_declare_parameters_from_overrides``: what the user gave is read
    from there, converted by the table, and declared again with its description, unit and range.

    Raises:
        ParameterError: a value that the table refuses.
    """
    values: dict[str, Value] = {}
    known = {parameter.name: parameter for parameter in table}
    for parameter in table:
        value = parameter.default
        if node.has_parameter(parameter.name):
            value = parameter.check(node.get_parameter(parameter.name).value)
            node.undeclare_parameter(parameter.name)
        node.declare_parameter(parameter.name, value, descriptor(parameter), ignore_override=True)
        values[parameter.name] = value
    for name in [name for name in node._parameters if name not in known and not name.startswith(_OF_RCLPY)]:
        # A wrong name from a file for all nodes ("/**") must not stop this one.
        node.get_logger().warning(f"{name}: unknown parameter, ignored{_hint(name, known)}")
        node.undeclare_parameter(name)
    return values


def judge(
    table: tuple[Parameter, ...], values: Mapping[str, Value], changes: Sequence[RosParameter[Any]]
) -> list[RosParameter[Any]]:
    """Return ``changes`` of ``values`` in the types of ``table``, without fixed ones that change nothing.

    A file with all parameters can so be loaded into a node that runs.

    Raises:
        ParameterError: a value or name that the table refuses, or another value of one that is fixed.
    """
    known = {parameter.name: parameter for parameter in table}
    judged: list[RosParameter[Any]] = []
    for change in changes:
        parameter = known.get(change.name)
        if parameter is None:
            if not change.name.startswith(_OF_RCLPY):
                raise ParameterError(f"{change.name}: unknown parameter{_hint(change.name, known)}")
            judged.append(change)
            continue
        value = parameter.check(change.value)
        if parameter.live:
            judged.append(RosParameter(parameter.name, value=value))
        elif value != values[parameter.name]:
            raise ParameterError(
                f"{parameter.name} = {value!r}: it is {values[parameter.name]!r} as long as the node runs; "
                "give the other value at its start"
            )
    return judged


def _hint(name: str, known: Mapping[str, Parameter]) -> str:
    near = get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]}?" if near else ""


def descriptor(parameter: Parameter) -> ParameterDescriptor:
    """Describe ``parameter`` to ROS: type, meaning, unit, range, choices, live or fixed."""
    kind = type(parameter.default)
    unit = f" [{parameter.unit}]" if parameter.unit else ""
    says_more = parameter.choices or parameter.names or parameter.language
    described = ParameterDescriptor(
        name=parameter.name,
        type=_TYPES[kind],
        description=parameter.meaning + unit,
        additional_constraints=parameter.rule if says_more else "",
        read_only=not parameter.live,
    )
    if parameter.minimum is not None and parameter.maximum is not None:
        if kind is float:
            described.floating_point_range = [
                FloatingPointRange(from_value=float(parameter.minimum), to_value=float(parameter.maximum))
            ]
        elif kind is int:
            described.integer_range = [
                IntegerRange(from_value=int(parameter.minimum), to_value=int(parameter.maximum), step=1)
            ]
    return described
