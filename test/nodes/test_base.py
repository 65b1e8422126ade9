"""What the four nodes share, on a real rclpy node: parameters, failing transitions, diagnostics, sessions."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rcl_interfaces.msg import ParameterType
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.parameter import Parameter as RosParameter

from kame_ros.msg import DialogueState
from kame_ros.nodes import qos
from kame_ros.nodes.base import KameNode, Level, NodeError, Part
from kame_ros.nodes.parameter import ParameterError, Value
from kame_ros.nodes.parameters import NODES

pytestmark = pytest.mark.ros


class MicrophoneStandIn(KameNode):
    """A node that does what the test tells it."""

    def __init__(self, overrides: dict[str, Any] | None = None, name: str = "microphone") -> None:
        given = [RosParameter(name, value=value) for name, value in (overrides or {}).items()]
        super().__init__(name, parameter_overrides=given)
        self.steps: list[str] = []
        self.fail_with: Exception | None = None
        self.followed: list[Any] = []

    def check(self, values: Mapping[str, Value]) -> None:
        if values.get("gain_db") == 13.0:
            raise ParameterError("gain_db = 13.0: brings bad luck")

    def changed(self) -> None:
        self.followed.append(self.values["gain_db"])
        if self.fail_with:
            raise self.fail_with

    def configure(self) -> None:
        self.steps.append("configure")
        if self.fail_with:
            raise self.fail_with

    def activate(self) -> None:
        self.steps.append("activate")

    def deactivate(self) -> None:
        self.steps.append("deactivate")

    def cleanup(self) -> None:
        self.steps.append("cleanup")

    def parts(self) -> list[Part]:
        return [Part("source", Level.WARN, "muted", {"frames": 3})]


@pytest.fixture
def make() -> Iterator[Any]:
    rclpy.init()
    nodes: list[KameNode] = []

    def make_node(overrides: dict[str, Any] | None = None, name: str = "microphone") -> MicrophoneStandIn:
        nodes.append(MicrophoneStandIn(overrides, name))
        return nodes[-1]  # type: ignore[return-value]

    yield make_node
    for node in nodes:
        node.destroy_node()
    rclpy.try_shutdown()


TYPES = {
    bool: ParameterType.PARAMETER_BOOL,
    int: ParameterType.PARAMETER_INTEGER,
    float: ParameterType.PARAMETER_DOUBLE,
    str: ParameterType.PARAMETER_STRING,
}


@pytest.mark.parametrize("name", NODES)
def test_parameters_are_declared_as_the_table_says(make: Any, name: str) -> None:
    node = make(name=name)
    for parameter in NODES[name]:
        described = node.describe_parameter(parameter.name)
        assert described.type == TYPES[type(parameter.default)]
        assert described.description.startswith(parameter.meaning)
        assert parameter.unit in described.description
        assert described.read_only != parameter.live
        ranges = [*described.integer_range, *described.floating_point_range]
        expected = [] if parameter.minimum is None else [(parameter.minimum, parameter.maximum)]
        assert [(one.from_value, one.to_value) for one in ranges] == expected
        assert all(choice in described.additional_constraints for choice in parameter.choices)
        assert node.get_parameter(parameter.name).value == parameter.default


@pytest.mark.parametrize("name", NODES)
def test_the_file_of_all_parameters_is_read_by_ros_and_may_be_loaded_into_a_node_that_runs(
    root: Path, name: str
) -> None:
    rclpy.init(args=["--ros-args", "--params-file", str(root / "config" / "kame.yaml")])
    node = MicrophoneStandIn(name=name)
    try:
        assert node.values == {parameter.name: parameter.default for parameter in NODES[name]}
        again = [RosParameter(parameter.name, value=parameter.default) for parameter in NODES[name]]
        assert node.set_parameters_atomically(again).successful
        assert not node.followed
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


def test_a_file_for_all_nodes_says_to_each_what_it_knows(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "all.yaml"
    own = "/**/microphone:\n  ros__parameters: {vad_end_s: '1'}\n"
    file.write_text(f"/**:\n  ros__parameters: {{gain_db: 3, lead_s: 1, use_sim_time: false}}\n{own}")
    rclpy.init(args=["--ros-args", "--params-file", str(file), "-r", "__ns:=/r1"])
    node = MicrophoneStandIn()
    try:
        assert (node.values["gain_db"], node.values["vad_end_s"]) == (3.0, 1.0)
        assert "lead_s: unknown parameter, ignored" in capfd.readouterr().err
        assert not node.has_parameter("lead_s")
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


def test_a_whole_number_is_taken_for_a_float(make: Any) -> None:
    node = make({"rate": 2, "device": 8})
    assert node.values["rate"] == 2.0
    assert node.get_parameter("rate").value == 2.0
    assert node.values["device"] == "8"


def test_a_wrong_value_is_one_line(make: Any) -> None:
    with pytest.raises(ParameterError, match=r"^rate = 'fast': must be a number from 0 to 100$"):
        make({"rate": "fast"})


def test_an_unknown_name_is_said_and_the_node_lives(make: Any, capfd: pytest.CaptureFixture[str]) -> None:
    make({"sorce": "file"})
    assert "sorce: unknown parameter, ignored; did you mean source?" in capfd.readouterr().err


def test_a_change_is_taken_or_refused_with_the_reason_and_then_followed(make: Any) -> None:
    node = make()
    refused = node.set_parameters_atomically([RosParameter("gain_db", value=100.0)])
    assert (refused.successful, node.get_parameter("gain_db").value) == (False, 0.0)
    unlucky = node.set_parameters([RosParameter("vad_end_s", value=1), RosParameter("gain_db", value=13)])
    assert [result.successful for result in unlucky] == [True, False]
    assert unlucky[1].reason == "gain_db = 13.0: brings bad luck"
    assert node.followed == [0.0]
    assert node.set_parameters_atomically([RosParameter("gain_db", value=6)]).successful
    assert node.set_parameters_atomically([RosParameter("gain_db", value=6.0)]).successful
    assert node.followed == [0.0, 6.0], "what changes nothing is not followed"
    assert (node.values["gain_db"], node.get_parameter("gain_db").value) == (6.0, 6.0)
    assert node.set_parameters_atomically([RosParameter("use_sim_time", value=True)]).successful
    assert not node.set_parameters_atomically([RosParameter("gain_db")]).successful, "none can be taken away"


def test_a_fault_in_following_a_change_is_told_and_the_node_lives(make: Any, capfd: pytest.CaptureFixture[str]) -> None:
    node = make()
    node.fail_with = ValueError("broken")
    assert node.set_parameters_atomically([RosParameter("gain_db", value=6.0)]).successful
    assert "change of parameters: ValueError: broken" in capfd.readouterr().err
    assert node.faults == 1


def test_values_that_do_not_go_together_stop_the_configuration_in_one_line(
    make: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    node = make({"gain_db": 13})
    assert node.trigger_configure() is TransitionCallbackReturn.FAILURE
    assert "gain_db = 13.0: brings bad luck" in capfd.readouterr().err
    assert node.steps == ["cleanup"]


@pytest.mark.parametrize("fault", [NodeError("file = x: not there"), ValueError("broken")])
def test_a_fault_in_configure_is_said_cleaned_up_and_can_be_tried_again(
    make: Any, fault: Exception, capfd: pytest.CaptureFixture[str]
) -> None:
    node = make()
    node.fail_with = fault
    assert node.trigger_configure() is TransitionCallbackReturn.FAILURE
    assert str(fault) in capfd.readouterr().err
    assert node.steps == ["configure", "cleanup"]
    node.fail_with = None
    assert node.trigger_configure() is TransitionCallbackReturn.SUCCESS
    assert node.trigger_activate() is TransitionCallbackReturn.SUCCESS


def test_diagnostics_tell_each_part_and_the_last_fault(make: Any, wait_until: Any) -> None:
    node = make()
    node.fail_with = ValueError("broken")
    node.trigger_configure()
    received: list[DiagnosticArray] = []
    node.create_subscription(DiagnosticArray, "/diagnostics", received.append, 10)
    wait_until(node, lambda: received)
    source, fault = received[0].status
    assert (source.name, source.level, source.message) == ("microphone: source", DiagnosticStatus.WARN, "muted")
    assert (source.values[0].key, source.values[0].value) == ("frames", "3")
    assert (fault.name, fault.level, fault.message) == (
        "microphone: faults",
        DiagnosticStatus.ERROR,
        "configure: ValueError: broken",
    )


def test_the_session_is_followed_also_by_a_node_that_comes_late(make: Any, wait_until: Any) -> None:
    node = make()
    publisher = node.create_publisher(DialogueState, "dialogue/state", qos.STATE)
    publisher.publish(DialogueState(session=7))
    sessions: list[int] = []
    node.follow_session(sessions.append)
    wait_until(node, lambda: sessions)
    publisher.publish(DialogueState(session=7, floor=DialogueState.USER))
    publisher.publish(DialogueState(session=9))
    wait_until(node, lambda: len(sessions) == 2)
    assert sessions == [7, 9]
    assert node.session == 9


@pytest.fixture
def wait_until() -> Any:
    def wait(node: Any, holds: Any) -> None:
        end_s = time.monotonic() + 10
        while not holds():
            assert time.monotonic() < end_s, "nothing came within 10 s"
            rclpy.spin_once(node, timeout_sec=0.1)

    return wait
