"""Declares a node's parameters from the table, tolerant of the types that YAML and launch files give."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    ParameterType,
    SetParametersResult,
)
from rclpy.node import Node
from rclpy.parameter import Parameter as RosParameter

from kame_ros.nodes.parameter import Parameter, ParameterError, Value

_OF_RCLPY = ("use_sim_time", "start_type_description_service")
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
    for name in node._parameters:
        # A wrong name from a file for all nodes ("/**") must not stop this one.
        if (
            name not in known
            and name != "use_sim_time"
            and "." not in name
            and name != "start_type_description_service"
        ):
            near = get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            node.get_logger().warning(f"{name}: unknown parameter, ignored{hint}")
    node.add_on_set_parameters_callback(lambda changes: _judge(known, changes))
    return values


def descriptor(parameter: Parameter) -> ParameterDescriptor:
    """Describe ``parameter`` to ROS: type, meaning, unit, range, choices, live or fixed."""
    kind = type(parameter.default)
    unit = f" [{parameter.unit}]" if parameter.unit else ""
    described = ParameterDescriptor(
        name=parameter.name,
        type=_TYPES[kind],
        description=parameter.meaning + unit,
        additional_constraints=", ".join(parameter.choices),
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


def _judge(known: dict[str, Parameter], changes: list[RosParameter[Any]]) -> SetParametersResult:
    """Take a change whole or refuse it whole."""
    for change in changes:
        parameter = known.get(change.name)
        if parameter is None:
            continue
        try:
            parameter.check(change.value)
        except ParameterError as error:
            return SetParametersResult(successful=False, reason=str(error))
    return SetParametersResult(successful=True)
