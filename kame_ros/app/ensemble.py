"""The nodes of one command: their processes, and what is heard of them."""

from __future__ import annotations

import os
from collections.abc import Iterable
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


class Talk:
    """What is heard of one robot's dialogue."""

    def __init__(self, namespace: str, nodes: Iterable[str], *, sound: bool) -> None:
        """Begin to follow the dialogue in ``namespace``; ``nodes`` of it run here."""
        self.namespace = namespace
        self.follower = Follower(namespace, sound=sound)
        self.readiness = Readiness(nodes)

    def events(self) -> list[Event]:
        """Take what has happened since the last call."""
        events = self.follower.events()
        for event in events:
            self.readiness.take(event)
        return events

    def forget(self, node: str) -> None:
        """Take note that the process of ``node`` has ended."""
        self.readiness.ended(node)
        self.follower.forget(node)


class Ensemble:
    """Starts the nodes, follows their dialogues and tells both on a console. Belongs to the main thread."""

    def __init__(self, settings: Settings, signals: Signals, console: Console, *, sound: bool) -> None:
        """Set this process's environment and begin to follow; the nodes are started by the first `step`.

        ``sound`` also follows the frames of sound.

        Raises:
            KameError: this Python has no ROS or not our messages.
        """
        check_ros()
        os.environ.update(variables(settings.discovery, os.environ))
        self._instances = {instance.name: instance for instance in settings.instances}
        self.talks = [
            Talk(talk, [it.node for it in settings.instances if it.namespace == talk and it.node in NODES], sound=sound)
            for talk in settings.talks
        ]
        self.fleet = Fleet(
            {name: node_command(instance, settings) for name, instance in self._instances.items()},
            node_environment(settings),
            signals.wake_fd,
            lambda name, text: console.say(f"[kame] {name}: {text}"),
            lambda name, line: console.say(f"[{name}] {line}"),
            respawn=settings.respawn,
        )

    @property
    def follower(self) -> Follower:
        """What is heard of the first robot, which most often is the only one."""
        return self.talks[0].follower

    @property
    def readiness(self) -> Readiness:
        """Whether the first robot, which most often is the only one, is ready."""
        return self.talks[0].readiness

    def step(self, longest_s: float) -> list[Event]:
        """Do what is due, wait ``longest_s`` at most for the processes, and return what the dialogues brought."""
        self.fleet.turn(longest_s)
        for name in self.fleet.take_ended():
            instance = self._instances[name]
            for talk in self.talks:
                if instance.namespace == talk.namespace or not instance.robot:
                    talk.forget(instance.node)
        return [event for talk in self.talks for event in talk.events()]

    def stop(self, longest_s: float) -> None:
        """Stop all nodes in order; returns when no process is left."""
        while not self.fleet.finished:
            self.fleet.stop()
            self.step(longest_s)

    def close(self) -> None:
        """End what still runs, at once, and leave the graph; again does nothing."""
        self.fleet.close()
        for talk in self.talks:
            talk.follower.close()
