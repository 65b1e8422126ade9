"""Carries out for the nodes' processes what the supervisor decides."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kame_ros.app.description import START_ORDER, STOP_ORDER
from kame_ros.app.environment import variables
from kame_ros.app.processes import Exit, Processes
from kame_ros.app.settings import Instance, Settings
from kame_ros.app.supervisor import Action, Kill, Start, Supervisor, Tell, Terminate

NOT_STARTED = 127  # the exit code that a shell gives for it


def node_command(instance: Instance, settings: Settings) -> list[str]:
    """Return the command that runs the node ``instance`` with this very Python."""
    command = [sys.executable, "-m", "kame_ros.nodes", instance.node, "--ros-args", "--log-level", settings.log_level]
    command += ["-r", f"__node:={instance.node}", "-r", f"__ns:={instance.namespace}"]
    for parameter, value in instance.parameters.items():
        command += ["-p", f"{parameter}:={_as_yaml(value)}"]
    return command


def _node(name: str) -> str:
    return name.rpartition("/")[2]


def _as_yaml(value: Any) -> str:
    # JSON is YAML, and leaves no doubt whether "8" is text; but YAML has no surrogate pairs, hence no escapes.
    return json.dumps(value, ensure_ascii=False, default=str)


def node_environment(settings: Settings) -> dict[str, str]:
    """Return the whole environment of the nodes."""
    # Each line is shown behind its node's name, so it need not tell it again.
    logging = {"RCUTILS_CONSOLE_OUTPUT_FORMAT": "{severity}: {message}"}
    return {**logging, **os.environ, **variables(settings.discovery, os.environ), "PYTHONUNBUFFERED": "1"}


class Fleet:
    """The processes of all nodes: started, relayed, restarted and stopped in order. One thread, the main one."""

    def __init__(
        self,
        commands: Mapping[str, Sequence[str]],
        environment: Mapping[str, str],
        wake_fd: int,
        say: Callable[[str, str], None],
        relay: Callable[[str, str], None],
        *,
        respawn: bool = True,
    ) -> None:
        """Take the ``commands`` by the name of the node, or ROBOT/NODE.

        ``say(name, text)`` is called with what happened to a node, ``relay(name, line)`` with what it wrote.
        """
        self._commands = commands
        self._environment = environment
        self._say = say
        self._relay = relay
        self._processes = Processes(wake_fd)
        self._supervisor = Supervisor(
            sorted(commands, key=lambda name: START_ORDER.index(_node(name))),
            sorted(commands, key=lambda name: STOP_ORDER.index(_node(name))),
            respawn=respawn,
        )
        self._ended: list[str] = []

    @property
    def finished(self) -> bool:
        """True when no node runs and none will be started."""
        return self._supervisor.finished

    @property
    def refused(self) -> bool:
        """True when a node found its parameters wrong."""
        return self._supervisor.refused

    def turn(self, longest_s: float) -> None:
        """Wait for what comes next, ``longest_s`` at most, and do what is due."""
        self._do(self._supervisor.tick(time.monotonic()))
        due_s = self._supervisor.due_s()
        if due_s is not None:
            longest_s = min(longest_s, due_s - time.monotonic())
        for event in self._processes.wait(longest_s):
            if isinstance(event, Exit):
                self._ended.append(event.name)
                self._do(self._supervisor.exited(event.name, event.code, time.monotonic()))
            else:
                self._relay(event.name, event.line)

    def take_ended(self) -> list[str]:
        """Return the names of the nodes whose processes have ended since the last call."""
        ended, self._ended = self._ended, []
        return ended

    def stop(self) -> None:
        """Begin to stop; `turn` does the rest, until `finished`."""
        self._do(self._supervisor.stop(time.monotonic()))

    def close(self) -> None:
        """End what still runs, at once."""
        self._processes.close()

    def _do(self, actions: Sequence[Action]) -> None:
        for action in actions:
            match action:
                case Start(name, again):
                    self._start(name, again)
                case Terminate(name):
                    self._processes.terminate(name)
                case Kill(name):
                    self._processes.kill(name)
                case Tell(name, text):
                    self._say(name, text)

    def _start(self, name: str, again: bool) -> None:
        try:
            pid = self._processes.start(name, self._commands[name], self._environment)
        except OSError as error:
            self._say(name, f"cannot be started: {error.filename or 'process'}: {error.strerror}")
            self._do(self._supervisor.exited(name, NOT_STARTED, time.monotonic()))
        else:
            self._say(name, f"started{' again' if again else ''} (process {pid})")
