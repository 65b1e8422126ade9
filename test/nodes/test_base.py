"""What the four nodes share, on a real rclpy node: parameters, failing transitions, diagnostics, sessions."""

from __future__ import annotations

import time
from collections.abc import Iterator
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
from kame_ros.nodes.parameter import ParameterError

pytestmark = pytest.mark.ros


class MicrophoneStandIn(KameNode):
    """A node that does what the test tells it."""

    def __init__(self, overrides: dict[str, Any] | None = None) -> None:
        given = [RosParameter(name, value=value) for name, value in (overrides or {}).items()]
        super().__init__("microphone", parameter_overrides=given)
        self.steps: list[str] = []
        self.fail_with: Exception | None = None

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

    def make_node(overrides: dict[str, Any] | None = None) -> MicrophoneStandIn:
        nodes.append(MicrophoneStandIn(overrides))
        return nodes[-1]  # type: ignore[return-value]

    yield make_node
    for node in nodes:
        node.destroy_node()
    rclpy.try_shutdown()


def test_parameters_are_declared_with_type_meaning_and_range(make: Any) -> None:
    node = make()
    described = node.describe_parameter("rate")
    assert described.type == ParameterType.PARAMETER_DOUBLE
    assert described.description.startswith("Speed of a file source")
    assert described.floating_point_range[0].to_value == 100.0
    assert described.read_only
    assert not node.describe_parameter("gain_db").read_only


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


def test_a_live_change_out_of_range_is_refused_with_the_reason(make: Any) -> None:
    node = make()
    refused = node.set_parameters_atomically([RosParameter("gain_db", value=100.0)])
    assert not refused.successful
    assert node.get_parameter("gain_db").value == 0.0
    assert node.set_parameters_atomically([RosParameter("gain_db", value=6.0)]).successful


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
