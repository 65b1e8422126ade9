"""All nodes through configure, a talk, deactivate and clean up, again and again: what is left over, and what it costs.

    python -m benchmarks.lifecycle [--cycles N] [--idle SECONDS] [--json FILE]

Tells how long each node takes to start, what the nodes cost when they have nothing to do, and what the process of each
holds after each clean-up.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import rclpy
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from benchmarks.graph import children, cpu_s, resident_mib
from kame_ros.app.demo_settings import own_domain
from kame_ros.app.versions import machine, versions
from kame_ros.msg import RobotText, SpeakerState
from kame_ros.nodes import qos
from kame_ros.nodes.parameters import NODES

QUESTION = Path(__file__).resolve().parent.parent / "test" / "data" / "question.flac"
_ANSWER_S = 60.0
_STEP_S = 60.0
_SETTLE_S = 1.0
_LOAD_S = 10.0  # what is loaded in threads of its own is there then
_STOP_S = 5.0


@dataclass(frozen=True)
class Held:
    """What one node's process holds."""

    threads: int
    files: int
    processes: int
    """That it has started beside itself."""
    resident_mib: float


@dataclass(frozen=True)
class Start:
    """How long one node takes for each step of its start."""

    answers_s: float
    """From the start of the process until it can be asked for a transition."""
    inactive_s: float
    active_s: float


@dataclass(frozen=True)
class Result:
    """What was measured, by the name of the node."""

    starts: dict[str, Start]
    cycles: list[dict[str, Held]]
    """After each clean-up."""
    cpu_percent: dict[str, dict[str, float]]
    """Of one core: configured but not active, and active without a talk."""


class Operator:
    """Takes the nodes through their lifecycle, and hears when the robot has answered."""

    def __init__(self, node: Node, executor: SingleThreadedExecutor) -> None:
        """Follow the talk with ``node``, which ``executor`` spins."""
        self._node = node
        self._executor = executor
        self._text = RobotText()
        self._speaker = SpeakerState()
        self._changes: dict[str, Any] = {n: node.create_client(ChangeState, f"{n}/change_state") for n in NODES}
        for kind, topic, profile in (
            (RobotText, "robot/text", qos.TEXT),
            (SpeakerState, "speaker/state", qos.STATE),
        ):
            node.create_subscription(kind, topic, self._take, profile)

    def _take(self, message: Any) -> None:
        if isinstance(message, RobotText):
            self._text = message
        else:
            self._speaker = message

    def wait(self, over: Callable[[], bool], limit_s: float, what: str) -> None:
        """Spin until ``over()``; raise TimeoutError, which names ``what``, after ``limit_s``."""
        end_s = time.monotonic() + limit_s
        while not over():
            if time.monotonic() > end_s:
                raise TimeoutError(f"{what}: not within {limit_s} s")
            self._executor.spin_once(timeout_sec=0.02)

    def answers(self, name: str) -> None:
        """Wait until a node can be asked for a transition."""
        self.wait(self._changes[name].service_is_ready, _STEP_S, f"{name} answers")

    def change(self, name: str, transition: int) -> float:
        """Take one node through ``transition`` and return how long it took, seconds; RuntimeError when it refuses."""
        self.answers(name)
        begin_s = time.monotonic()
        future = self._changes[name].call_async(ChangeState.Request(transition=Transition(id=transition)))
        self.wait(future.done, _STEP_S, f"{name}, transition {transition}")
        answer = future.result()
        if answer is None or not answer.success:
            raise RuntimeError(f"{name} refuses transition {transition}")
        return time.monotonic() - begin_s

    def all(self, transition: int) -> None:
        """Take every node through ``transition``, from mouth to ear."""
        for name in reversed(tuple(NODES)):
            self.change(name, transition)

    def talk(self) -> None:
        """Wait for the answer to the question in the microphone's file, of the session that runs now, to be heard."""
        self._text, self._speaker = RobotText(), SpeakerState()

        def answered() -> bool:
            heard = self._speaker.generation == self._text.generation and self._speaker.played_samples > 0
            return self._text.status == RobotText.COMPLETE and heard and not self._speaker.playing

        self.wait(answered, _ANSWER_S, "an answer")

    def idle(self, seconds: float) -> None:
        """Let time pass."""
        end_s = time.monotonic() + seconds
        self.wait(lambda: time.monotonic() >= end_s, seconds + 1.0, "time")


def held(pid: int) -> Held:
    """Return what a process holds, as /proc tells."""
    process = Path(f"/proc/{pid}")
    threads, files = (len(list((process / folder).iterdir())) for folder in ("task", "fd"))
    return Held(threads, files, len(children(pid)), resident_mib([pid]))


@contextmanager
def _running(names: Iterable[str], folder: Path) -> Iterator[dict[str, int]]:
    """Start nodes, unconfigured, and give their process ids; each must end by itself with exit code 0."""
    given = {
        "microphone": {"source": "file", "file": str(QUESTION)},
        "speaker": {"sink": "file", "file": str(folder / "loudspeaker.wav")},
    }
    processes: dict[str, subprocess.Popen[bytes]] = {}
    for name in names:
        command = [sys.executable, "-m", "kame_ros.nodes", name, "--ros-args", "--log-level", "warn"]
        for key, value in {"autostart": False, **given.get(name, {})}.items():
            command += ["-p", f"{key}:={json.dumps(value)}"]
        processes[name] = subprocess.Popen(command)
    try:
        yield {name: process.pid for name, process in processes.items()}
        for process in processes.values():
            process.terminate()
        codes = {name: process.wait(_STOP_S) for name, process in processes.items()}
        if any(codes.values()):
            raise RuntimeError(f"exit codes {codes}")
    finally:
        for process in processes.values():
            process.kill()


@contextmanager
def _operating() -> Iterator[Operator]:
    rclpy.init()
    node = rclpy.create_node("operator")
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    try:
        yield Operator(node, executor)
    finally:
        executor.remove_node(node)
        node.destroy_node()
        executor.shutdown()
        rclpy.try_shutdown()


def start_times(folder: Path) -> dict[str, Start]:
    """Start each node alone and take it to active; what the frontend loads in a thread of its own is not waited for."""
    starts = {}
    for name in NODES:
        with _operating() as operator:
            begin_s = time.monotonic()
            with _running([name], folder):
                operator.answers(name)
                answers_s = time.monotonic() - begin_s
                inactive_s = operator.change(name, Transition.TRANSITION_CONFIGURE)
                active_s = operator.change(name, Transition.TRANSITION_ACTIVATE)
        starts[name] = Start(answers_s, inactive_s, active_s)
    return starts


def cycles(folder: Path, count: int, idle_s: float) -> tuple[list[dict[str, Held]], dict[str, dict[str, float]]]:
    """Take all nodes ``count`` times around, with a talk each time; in the first also measure what they cost idle."""
    rows: list[dict[str, Held]] = []
    percents: dict[str, dict[str, float]] = {}
    with _operating() as operator, _running(NODES, folder) as pids:
        for number in range(count):
            operator.all(Transition.TRANSITION_CONFIGURE)
            operator.idle(_SETTLE_S)
            if number == 0 and idle_s:
                operator.idle(_LOAD_S)
                percents["inactive"] = _cpu_percent(operator, pids, idle_s)
            operator.all(Transition.TRANSITION_ACTIVATE)
            operator.talk()
            if number == 0 and idle_s:
                percents["active"] = _cpu_percent(operator, pids, idle_s)
            operator.all(Transition.TRANSITION_DEACTIVATE)
            operator.all(Transition.TRANSITION_CLEANUP)
            operator.idle(_SETTLE_S)
            rows.append({name: held(pid) for name, pid in pids.items()})
    return rows, percents


def _cpu_percent(operator: Operator, pids: dict[str, int], seconds: float) -> dict[str, float]:
    all_of = {name: [pid, *children(pid)] for name, pid in pids.items()}
    before_s = {name: cpu_s(some) for name, some in all_of.items()}
    operator.idle(seconds)
    return {name: 100 * (cpu_s(some) - before_s[name]) / seconds for name, some in all_of.items()}


def markdown(result: Result) -> str:
    """Return the result as tables."""
    lines = ["| node | answers, s | configure, s | activate, s |", "|---|---|---|---|"]
    for name, start in result.starts.items():
        lines.append(f"| {name} | {start.answers_s:.2f} | {start.inactive_s:.2f} | {start.active_s:.2f} |")
    if result.cpu_percent:
        lines += [
            "",
            "| CPU, % of a core | " + " | ".join([*NODES, "together"]) + " |",
            "|---" * (len(NODES) + 2) + "|",
        ]
        for state, percent in result.cpu_percent.items():
            shares = [*(percent[name] for name in NODES), sum(percent.values())]
            lines.append(f"| {state} | " + " | ".join(f"{share:.1f}" for share in shares) + " |")
    lines += [
        "",
        "| threads, files, processes, MiB after cycle | " + " | ".join(NODES) + " |",
        "|---" * (len(NODES) + 1) + "|",
    ]
    for number, row in enumerate(result.cycles, 1):
        cells = [
            f"{one.threads}, {one.files}, {one.processes}, {one.resident_mib:.1f}"
            for one in map(row.__getitem__, NODES)
        ]
        lines.append(f"| {number} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Measure, and print the tables."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--cycles", type=int, default=10, help="how often around")
    options.add_argument("--idle", type=float, default=20.0, help="seconds over which the CPU is measured")
    options.add_argument("--json", type=Path, help="write everything to this file")
    chosen = options.parse_args()
    os.environ["ROS_DOMAIN_ID"] = own_domain()
    with tempfile.TemporaryDirectory(prefix="kame-lifecycle-") as name:
        result = Result(start_times(Path(name)), *cycles(Path(name), chosen.cycles, chosen.idle))
    print(markdown(result))
    if chosen.json:
        chosen.json.write_text(json.dumps({"machine": machine(), "versions": versions(), **asdict(result)}, indent=1))


if __name__ == "__main__":
    main()
