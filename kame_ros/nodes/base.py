"""What the four nodes share: parameters, lifecycle, session, diagnostics."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rcl_interfaces.msg import SetParametersResult
from rclpy.clock import Clock, ClockType
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.parameter import Parameter as RosParameter
from std_msgs.msg import Header

from kame_ros.msg import DialogueState
from kame_ros.nodes import qos
from kame_ros.nodes.declare import declare, judge
from kame_ros.nodes.ownership import Ownership
from kame_ros.nodes.parameter import ParameterError, Value
from kame_ros.nodes.parameters import ALL_NODES
from kame_ros.nodes.process import Stopped
from kame_ros.nodes.recent import Recent

_UNKNOWN_NAME = "_NODE_NAME_UNKNOWN_"  # as rmw writes it


class Level(IntEnum):
    """How a part is, in the levels of diagnostic_msgs."""

    OK = 0
    WARN = 1
    ERROR = 2


@dataclass(frozen=True)
class Part:
    """One line of diagnostics: a part of a node, how it is, why, and its counters."""

    name: str
    level: Level = Level.OK
    message: str = ""
    """Why it is so; of what is not well also what to do, and never empty."""
    values: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise ValueError when it is not well and does not say why."""
        if self.level is not Level.OK and not self.message:
            raise ValueError(f"part {self.name}: {self.level.name} needs a message")


class NodeError(Exception):
    """Why a node could not take a lifecycle step, in one line that says what to change."""


class KameNode(LifecycleNode, ABC):
    """A lifecycle node whose parameters come from the table and whose faults become one line each.

    A subclass gives `configure`, `activate`, `deactivate`, `cleanup` and `parts`. All run on the executor's thread.
    """

    def __init__(self, name: str, **node_arguments: Any) -> None:
        """Declare the parameters of node ``name``.

        Raises:
            ParameterError: a parameter that the table refuses.
        """
        super().__init__(name, automatically_declare_parameters_from_overrides=True, **node_arguments)
        self._table = ALL_NODES[name]
        self.values: dict[str, Value] = declare(self, self._table)
        self.session = 0
        self.dialogue = DialogueState()  # the newest that came, once `follow_session` was called
        self.faults = 0  # exceptions that reached a callback or a transition
        self.last_fault = ""
        # Audio is stamped with the system clock, also under use_sim_time: a clock that has not started would stamp 0.
        self._wall = Clock(clock_type=ClockType.SYSTEM_TIME)
        self._recent = Recent()
        self._owned: tuple[str, ...] = ()
        self._ownership = Ownership(self.get_fully_qualified_name(), self.warn)
        # A plain publisher: diagnostics are told in every lifecycle state.
        self._diagnostics = self.create_publisher(DiagnosticArray, "/diagnostics", qos.TEXT)
        self.create_timer(1.0, self._publish_diagnostics, clock=Clock(clock_type=ClockType.STEADY_TIME))

    @abstractmethod
    def configure(self) -> None:
        """Check, open devices, load models; raise `NodeError` with what to change.

        Half-made parts are left to `cleanup`, which is called then.
        """

    @abstractmethod
    def activate(self) -> None:
        """Start the worker."""

    @abstractmethod
    def deactivate(self) -> None:
        """Stop the worker, so that nothing is published afterwards; must bear being called twice."""

    @abstractmethod
    def cleanup(self) -> None:
        """Release everything; must bear being called twice and after a failed `configure`."""

    @abstractmethod
    def parts(self) -> list[Part]:
        """Tell how the parts of this node are."""

    def check(self, values: Mapping[str, Value]) -> None:
        """Raise `ParameterError` where ``values`` do not go together; before `configure`, and before a change."""

    def changed(self) -> None:
        """Follow a change of live parameters; the new ``values`` hold already."""

    def set_parameters(self, parameter_list: list[RosParameter[Any]]) -> list[SetParametersResult]:
        """Take each change by itself, see `set_parameters_atomically`."""
        return [self.set_parameters_atomically([change]) for change in parameter_list]

    def set_parameters_atomically(self, parameter_list: list[RosParameter[Any]]) -> SetParametersResult:
        """Take a change whole or refuse it whole, with the reason; both of rclpy's services end here.

        rclpy's own callbacks would not do: none may put 6 right to 6.0 in Humble, and of several the last comes first.
        """
        try:
            changes = judge(self._table, self.values, parameter_list)
            ours = {change.name: change.value for change in changes if change.name in self.values}
            self.check({**self.values, **ours})
        except ParameterError as error:
            return SetParametersResult(successful=False, reason=str(error))
        result = super().set_parameters_atomically(changes) if changes else SetParametersResult(successful=True)
        if result.successful and any(self.values[name] != value for name, value in ours.items()):
            self.values.update(ours)
            self._take("change of parameters", self.changed)
        return result

    def lately(self, counter: str, count: float) -> float:
        """Return by how much ``counter``, now at ``count``, has risen in the last 10 s; `parts` calls it each time."""
        return self._recent.rise(counter, count, time.monotonic())

    def follow_session(self, changed: Callable[[int], None]) -> None:
        """Subscribe to dialogue/state and call ``changed`` with the number of each new session."""

        def take(state: DialogueState) -> None:
            self.dialogue = state
            if state.session != self.session:
                self.session = state.session
                changed(state.session)

        self.create_subscription(DialogueState, "dialogue/state", take, qos.STATE)

    def own(self, *topics: str) -> None:
        """Have other publishers on ``topics``, which this node alone may write, told of in the diagnostics."""
        self._owned = tuple(self.resolve_topic_name(topic) for topic in topics)

    def warn(self, line: str) -> None:
        """Log a warning; from any thread."""
        self.get_logger().warning(line)

    def header(self, frame_id: str = "") -> Header:
        """Make a header with the system's wall time."""
        return Header(stamp=self._wall.now().to_msg(), frame_id=frame_id)

    def report_fault(self, where: str, fault: BaseException) -> None:
        """Count an unexpected exception and say it in one line."""
        self.faults += 1
        self.last_fault = f"{where}: {type(fault).__name__}: {fault}"
        self.get_logger().error(self.last_fault)

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Take the step *configure*."""
        result = self._take("configure", self._check_and_configure)
        if result is not TransitionCallbackReturn.SUCCESS:
            self._take("cleanup", self.cleanup)
            return result
        return super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Take the step *activate*: publishers are enabled before the worker starts."""
        result = super().on_activate(state)
        return self._take("activate", self.activate) if result is TransitionCallbackReturn.SUCCESS else result

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Take the step *deactivate*."""
        self._take("deactivate", self.deactivate)
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Take the step *clean up*."""
        self._take("cleanup", self.cleanup)
        return super().on_cleanup(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop and release, from any state."""
        self.stop()
        return super().on_shutdown(state)

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Release everything and become unconfigured again, so that the step can be tried anew."""
        self.stop()
        super().on_error(state)
        return TransitionCallbackReturn.SUCCESS

    def stop(self) -> None:
        """Stop and release before the process ends, in whatever state the node is."""
        self._take("deactivate", self.deactivate)
        self._take("cleanup", self.cleanup)

    def _check_and_configure(self) -> None:
        self.check(self.values)
        self.configure()

    def _take(self, name: str, step: Callable[[], None]) -> TransitionCallbackReturn:
        # rclpy swallows an exception raised in a transition without a line.
        try:
            step()
        except Stopped:
            return TransitionCallbackReturn.FAILURE
        except (NodeError, ParameterError) as fault:
            self.last_fault = str(fault)
            self.get_logger().error(str(fault))
            return TransitionCallbackReturn.FAILURE
        except Exception as fault:
            self.report_fault(name, fault)
            return TransitionCallbackReturn.FAILURE if name == "configure" else TransitionCallbackReturn.ERROR
        if name == "configure":
            self.last_fault = ""
        return TransitionCallbackReturn.SUCCESS

    def _publish_diagnostics(self) -> None:
        parts = self.parts()
        rivals = self._ownership.observe({topic: self._publishers_of(topic) for topic in self._owned}, time.monotonic())
        if rivals:
            parts.append(Part("topics", Level.WARN, rivals))
        if self.last_fault:
            parts.append(Part("faults", Level.ERROR, self.last_fault, {"faults": self.faults}))
        self._diagnostics.publish(
            DiagnosticArray(
                header=self.header(),
                status=[
                    DiagnosticStatus(
                        level=bytes([part.level]),
                        name=f"{self.get_fully_qualified_name()[1:]}: {part.name}",
                        message=part.message or part.level.name.lower(),
                        hardware_id=self.get_name(),
                        values=[KeyValue(key=key, value=str(value)) for key, value in part.values.items()],
                    )
                    for part in parts
                ],
            )
        )

    def _publishers_of(self, topic: str) -> list[str]:
        # Whose name is not known yet is told of a moment later.
        return [
            f"{info.node_namespace.rstrip('/')}/{info.node_name}"
            for info in self.get_publishers_info_by_topic(topic)
            if info.node_name != _UNKNOWN_NAME
        ]
