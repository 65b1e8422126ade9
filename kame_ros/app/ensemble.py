"""The four nodes of one command: their processes, and what is heard of them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from kame_ros.app.console import Console
from kame_ros.app.environment import check_ros, variables
from kame_ros.app.fleet import Fleet, node_command, node_environment
from kame_ros.app.follower import Follower
from kame_ros.app.readiness import Readiness
from kame_ros.app.settings import Settings
from kame_ros.app.signals import Signals
from kame_ros.nodes.parameters import NODES

if TYPE_CHECKING:
    from kame_ros.nodes.events import Event


class Ensemble:
    """Starts the nodes, follows their dialogue and tells both on a console. Belongs to the main thread."""

    def __init__(self, settings: Settings, signals: Signals, console: Console, *, sound: bool) -> None:
        """Set this process's environment and begin to follow; the nodes are started by the first `step`.

        ``sound`` also follows the frames of sound.

        Raises:
            KameError: this Python has no ROS or not our messages.
        """
        check_ros()
        os.environ.update(variables(settings.discovery, os.environ))
        self.follower = Follower(settings.namespace, sound=sound)
        self.readiness = Readiness(NODES)
        self.fleet = Fleet(
            {name: node_command(name, settings) for name in NODES},
            node_environment(settings),
            signals.wake_fd,
            lambda name, text: console.say(f"[kame] {name}: {text}"),
            lambda name, line: console.say(f"[{name}] {line}"),
            respawn=settings.respawn,
        )

    def step(self, longest_s: float) -> list[Event]:
        """Do what is due, wait ``longest_s`` at most for the processes, and return what the dialogue brought."""
        self.fleet.turn(longest_s)
        for name in self.fleet.take_ended():
            self.readiness.ended(name)
            self.follower.forget(name)
        events = self.follower.events()
        for event in events:
            self.readiness.take(event)
        return events

    def stop(self, longest_s: float) -> None:
        """Stop all nodes in order; returns when no process is left."""
        while not self.fleet.finished:
            self.fleet.stop()
            self.step(longest_s)

    def close(self) -> None:
        """End what still runs, at once, and leave the graph; again does nothing."""
        self.fleet.close()
        self.follower.close()
