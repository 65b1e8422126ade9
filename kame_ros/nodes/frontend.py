"""The node ``frontend``: makes the speech of one robot, or several, with one `Frontend`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from kame_ros.frontend.errors import FrontendError
from kame_ros.frontend.frontend import Frontend
from kame_ros.frontend.outputs import Failed, Loaded, Output
from kame_ros.models.errors import CheckpointError
from kame_ros.nodes.base import KameNode, Level, NodeError, Part
from kame_ros.nodes.frontends import make_frontend, tuning
from kame_ros.nodes.parameter import ParameterError, Value
from kame_ros.nodes.robot import Robot
from kame_ros.nodes.stats import count


class FrontendNode(KameNode):
    """Owns the frontend and the robots, and hands on to each robot what is told of its session."""

    def __init__(self, make: Callable[[Mapping[str, Value]], Frontend] = make_frontend, **node_arguments: Any) -> None:
        """Declare the parameters; ``make`` makes the frontend from them."""
        super().__init__("frontend", **node_arguments)
        self._make = make
        self._frontend: Frontend | None = None
        self._newest_session = 0
        names = str(self.values["robots"]).split(", ")
        # Without names there is nobody who could need the slot of the one robot.
        silent_s = float(self.values["silent_robot_s"]) if names != [""] else None
        self._robots = [Robot(self, name, self._new_session, silent_s) for name in names]

    def check(self, values: Mapping[str, Value]) -> None:
        """Want a slot for each robot."""
        robots, slots = len(self._robots), int(values["max_sessions"])
        if slots < robots:
            raise ParameterError(f"max_sessions = {slots}: must be at least the number of robots, {robots}")

    def configure(self) -> None:
        """Begin to load the frontend."""
        try:
            self._frontend = self._make(self.values)
            self._frontend.start(self._take_output)
        except (FrontendError, CheckpointError) as error:
            raise NodeError(str(error)) from error

    def activate(self) -> None:
        """Begin a session for each robot."""
        if self._frontend:
            for robot in self._robots:
                robot.activate(self._frontend)

    def deactivate(self) -> None:
        """End the sessions."""
        for robot in self._robots:
            robot.deactivate()

    def cleanup(self) -> None:
        """Unload the frontend."""
        if self._frontend:
            self._frontend.close()
            self._frontend = None
        for robot in self._robots:
            robot.unload()

    def changed(self) -> None:
        """Follow the live parameters."""
        if self._frontend:
            self._frontend.tune(tuning(self.values))
        for robot in self._robots:
            robot.follow_parameters()

    def parts(self) -> list[Part]:
        """Tell how the robots are, and what the frontend has counted."""
        parts = [part for robot in self._robots for part in robot.parts()]
        counters = self._frontend.counters() if self._frontend else {}
        return [*parts, self._engine_part(counters)] if counters else parts

    def _engine_part(self, counters: Mapping[str, object]) -> Part:
        troubles = []
        if self.lately("cut_steps", count(counters, "cut_steps")):
            line = "the model is slower than the sound, and some of it was cut"
            troubles.append(f"{line}: run less beside it, or set a faster device or a smaller dtype")
        if self.lately("muted_steps", count(counters, "muted_steps")):
            line = "what the model gave was no speech at times, and was muted"
            troubles.append(f"{line}: set dtype = float32, or check the checkpoint with kame verify")
        if troubles:
            return Part("engine", Level.WARN, "; ".join(troubles), counters)
        if counters.get("sessions_beyond_context"):
            line = "a session is longer than the model looks back (context): it goes on, its oldest part is forgotten"
            return Part("engine", Level.OK, line, counters)
        return Part("engine", values=counters)

    def _new_session(self) -> int:
        # From the clock, so that no number comes twice, also after a restart.
        self._newest_session = max(time.time_ns() // 1000, self._newest_session + 1)
        return self._newest_session

    def _take_output(self, output: Output) -> None:
        """Hand on what the frontend tells; on any thread."""
        if isinstance(output, (Loaded, Failed)):
            for robot in self._robots:
                robot.take(output)
            # Three lines, since rclpy ties a line of code to one severity.
            if isinstance(output, Failed):
                self.get_logger().error(output.reason)
            elif output.best:
                self.get_logger().info(output.with_what)
            else:
                self.get_logger().warning(output.with_what)
            return
        for robot in self._robots:
            if robot.session == output.session:
                robot.take(output)
