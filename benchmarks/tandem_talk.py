"""A long talk with the tiny model through the running nodes: is any frame lost, does memory grow?

    python -m benchmarks.tandem_talk [--minutes 10] [--frontend tandem] [--json FILE]

Nodes microphone, frontend and speaker, as processes of their own; the tiny checkpoint is made for it. On the way the
microphone is muted, its file ends, and it stops to publish for a while and begins again as a new stream. An oracle
comes every few seconds. A listener of our own follows the index of every sample.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import rclpy
import soundfile
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions
from std_srvs.srv import SetBool

from benchmarks.graph import cpu_s, processes, resident_mib
from benchmarks.probe import Probe
from benchmarks.spoken import RATE_HZ, ROOT, lay_out
from benchmarks.tables import count_rows, memory_rows
from kame_ros.app.demo_settings import own_domain
from kame_ros.app.fleet import node_command, node_environment
from kame_ros.app.settings import resolve
from kame_ros.app.versions import machine, versions
from kame_ros.frontend.dialogue import Phase
from kame_ros.msg import DialogueState, OracleText
from kame_ros.nodes import qos

NODES = ("frontend", "speaker", "microphone")
GAP_S = 8.0
ORACLE_EVERY_S = 6.0
ORACLES = (
    "We open at ten in the morning, and close at six.",
    "The ticket is eight euros, and children pay nothing.",
    "It leaves in twenty minutes from the pier behind the house.",
)
_LOAD_S = 120.0
_SAMPLES = 60  # of the resident memory, over the whole talk
_REST_S = 2.0  # for what is under way at the end, and for the diagnostics that come once a second


@dataclass
class Counts:
    """What was counted; samples at 24 kHz."""

    samples: dict[str, int] = field(default_factory=dict)
    lost: dict[str, int] = field(default_factory=dict)
    doubled: dict[str, int] = field(default_factory=dict)
    speech_sent: int = 0
    speech_played: int = 0
    phases: list[str] = field(default_factory=list)
    engine: dict[str, str] = field(default_factory=dict)
    speaker: dict[str, str] = field(default_factory=dict)
    resident_mib: dict[str, list[float]] = field(default_factory=dict)
    cpu_percent: dict[str, float] = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        """True when there was a talk, and every sample of it came through once."""
        wrong = sum(self.lost.values()) + sum(self.doubled.values())
        return wrong == 0 and self.speech_sent == self.speech_played > 0 and int(self.engine["steps"]) > 0

    def take_probe(self, probe: Probe) -> None:
        """Take over what the listener and the nodes have counted."""
        for topic in ("mic/audio", "speaker/audio"):
            self.samples[topic] = probe.samples[topic]
            self.lost[topic] = probe.orders[topic].missing_samples
            self.doubled[topic] = probe.orders[topic].dropped_samples
        told = probe.diagnostics
        self.engine, self.speaker = told["frontend: engine"], told["speaker: buffer"]
        heard = told["frontend: mic/audio"]
        self.lost["frontend"] = int(heard["missing_samples"]) + 1920 * int(self.engine["cut_steps"])
        self.doubled["frontend"] = int(heard["dropped_samples"])
        self.lost["speaker"] = int(self.speaker["missing_samples"]) + int(self.speaker["overflow_samples"])
        self.doubled["speaker"] = int(self.speaker["repeated_samples"])
        self.speech_sent = probe.speech_samples["speaker/audio"]
        self.speech_played = probe.speech_samples["speaker/played"]


class Director:
    """Plays the oracle, and has the microphone muted, stopped and started."""

    def __init__(self) -> None:
        """Join the graph; the environment must name its domain."""
        self.phases: list[Phase] = []
        self._session = 0
        self._turn = 0
        self._context = rclpy.Context()
        rclpy.init(args=[], context=self._context, signal_handler_options=SignalHandlerOptions.NO)
        self._node = rclpy.create_node("benchmark_director", context=self._context, use_global_arguments=False)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._node.create_subscription(DialogueState, "dialogue/state", self._take_state, qos.STATE)
        self._oracle = self._node.create_publisher(OracleText, "oracle/text", qos.TEXT)
        self._mute = self._node.create_client(SetBool, "mute")
        self._change = self._node.create_client(ChangeState, "microphone/change_state")

    def close(self) -> None:
        """Leave the graph."""
        self._executor.remove_node(self._node)
        self._node.destroy_node()
        self._executor.shutdown()
        rclpy.try_shutdown(context=self._context)

    def wait(self, holds: Callable[[], object], limit_s: float) -> bool:
        """Take part until ``holds()``; False when ``limit_s`` has passed first."""
        end_s = time.monotonic() + limit_s
        while time.monotonic() < end_s:
            self._executor.spin_once(timeout_sec=0.05)
            if holds():
                return True
        return False

    def answer(self) -> None:
        """Tell the next oracle."""
        text = ORACLES[self._turn % len(ORACLES)]
        self._turn += 1
        self._oracle.publish(
            OracleText(
                session=self._session,
                turn=self._turn,
                revision=1,
                status=OracleText.COMPLETE,
                text=text,
                turn_final=True,
            )
        )

    def mute(self, muted: bool) -> None:
        """Mute the microphone, or let it listen."""
        self._mute.wait_for_service(timeout_sec=5)
        self._mute.call_async(SetBool.Request(data=muted))

    def publish(self, publishing: bool) -> None:
        """Stop the microphone, or let it begin again."""
        step = Transition.TRANSITION_ACTIVATE if publishing else Transition.TRANSITION_DEACTIVATE
        self._change.wait_for_service(timeout_sec=5)
        self._change.call_async(ChangeState.Request(transition=Transition(id=step)))

    def _take_state(self, state: DialogueState) -> None:
        self._session = state.session
        if not self.phases or self.phases[-1] is not Phase(state.phase):
            self.phases.append(Phase(state.phase))


@contextmanager
def running(folder: Path, frontend: str, backlog_s: str) -> Iterator[None]:
    """Run the three nodes with the files in ``folder``."""
    os.environ["ROS_DOMAIN_ID"] = own_domain()
    settings = resolve(
        {
            "frontend": frontend,
            "frontend.checkpoint": str(folder / "checkpoint"),
            "frontend.device": "cpu",
            "frontend.backlog_s": backlog_s,
            "frontend.interrupt": "off",  # what an interruption drops on purpose would count as lost
            "source": "file",
            "microphone_file": str(folder / "talk.wav"),
            "microphone.wait_for_consumers": "1",
            "sink": "file",
            "speaker_file": str(folder / "loudspeaker.wav"),
            "log_level": "warn",
        }
    )
    environment = node_environment(settings)
    os.environ.update(environment)
    started = [
        subprocess.Popen(node_command(instance, settings), env=environment)
        for instance in settings.instances
        if instance.node in NODES
    ]
    try:
        yield
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait(10)


def measure(length_s: float, frontend: str = "tandem", backlog_s: str = "0.24") -> Counts:
    """Talk for ``length_s`` and return what was counted; ``backlog_s`` as the node's parameter."""
    counts = Counts()
    with tempfile.TemporaryDirectory(prefix="kame-tandem-") as name:
        folder = Path(name)
        tiny = [sys.executable, "-m", "kame_ros.frontend.tandem.tiny", str(folder / "checkpoint")]
        subprocess.run(tiny, check=True)
        sound, rate_hz = soundfile.read(ROOT / "config" / "question.wav")
        assert rate_hz == RATE_HZ
        lay_out([sound], min(GAP_S, length_s / 20), folder / "talk.wav", length_s / 4)
        with running(folder, frontend, backlog_s), closing(Probe()) as probe, closing(Director()) as director:
            if not director.wait(lambda: director.phases and director.phases[-1] is Phase.READY, _LOAD_S):
                raise SystemExit(f"not ready: {director.phases}")
            _talk(director, counts, length_s)
            counts.take_probe(probe)
            counts.phases = [phase.name for phase in director.phases]
    return counts


def _talk(director: Director, counts: Counts, length_s: float) -> None:
    script: list[tuple[float, Callable[[], None]]] = [
        (0.10 * length_s, lambda: director.mute(True)),
        (0.15 * length_s, lambda: director.mute(False)),
        # The file ends at about a quarter.
        (0.40 * length_s, lambda: director.publish(False)),
        (0.45 * length_s, lambda: director.publish(True)),
        (length_s, lambda: director.publish(False)),
    ]
    every_s = ORACLE_EVERY_S
    script += [(at * every_s, director.answer) for at in range(1, int(0.95 * length_s / every_s) + 1)]
    script += [(at * length_s / _SAMPLES, lambda: _sample(counts)) for at in range(1, _SAMPLES)]
    nodes = processes()
    began_s, used_s = time.monotonic(), {name: cpu_s(pids) for name, pids in nodes.items()}
    for due_s, act in sorted(script, key=lambda step: step[0]):
        director.wait(lambda: False, began_s + due_s - time.monotonic())
        act()
    for name, pids in nodes.items():
        counts.cpu_percent[name] = round(100 * (cpu_s(pids) - used_s[name]) / length_s, 1)
    director.wait(lambda: False, _REST_S)


def _sample(counts: Counts) -> None:
    for name, pids in processes().items():
        counts.resident_mib.setdefault(name, []).append(round(resident_mib(pids), 2))


def markdown(counts: Counts, length_s: float) -> str:
    """Lay the counts out as the tables of docs/benchmarks.md."""
    engine = counts.engine
    lines = [
        f"{length_s / 60:g} minutes, {engine['steps']} steps (p50 {engine['step_p50_ms']}, "
        f"p95 {engine['step_p95_ms']}, p99 {engine['step_p99_ms']} ms; {engine['deadline_misses']} above 80 ms), "
        f"{engine['oracle_tokens_fed']} oracle tokens fed, {engine['oracle_tokens_late']} late; "
        f"{counts.speech_sent} samples of speech sent, {counts.speech_played} played, "
        f"{counts.speaker['underruns']} underruns; phases {', '.join(counts.phases)}.",
        "",
        *count_rows(counts.samples, counts.lost, counts.doubled),
        "",
        *memory_rows(counts.resident_mib, counts.cpu_percent, 60 * _SAMPLES / length_s),
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure and print the tables; exit code 1 when a sample was lost or doubled."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--minutes", type=float, default=10.0)
    options.add_argument("--frontend", choices=("tandem", "moshi"), default="tandem")
    options.add_argument("--json", type=Path, help="write everything to this file")
    chosen = options.parse_args()
    counts = measure(60 * chosen.minutes, chosen.frontend)
    print(markdown(counts, 60 * chosen.minutes))
    if chosen.json:
        result: dict[str, Any] = {"machine": machine(), "versions": versions(), "counts": asdict(counts)}
        chosen.json.write_text(json.dumps(result, indent=1))
    raise SystemExit(not counts.whole)


if __name__ == "__main__":
    main()
