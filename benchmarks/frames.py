"""A long talk through the running nodes: is any frame lost or doubled, does memory grow, what does it cost?

    python -m benchmarks.frames [--minutes 10] [--json FILE]

The bundled question is asked again and again, and answered. A listener of our own follows the index of every sample on
the three audio topics; frontend, oracle_bridge and speaker tell in their diagnostics what they themselves missed.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import soundfile

from benchmarks.graph import Graph, cpu_s, processes, resident_mib, running
from benchmarks.probe import TOPICS, Probe
from benchmarks.spoken import RATE_HZ, ROOT, lay_out
from benchmarks.tables import count_rows, memory_rows
from kame_ros.app.versions import machine, versions
from kame_ros.frontend.inputs import TurnStatus
from kame_ros.frontend.outputs import SaidStatus
from kame_ros.nodes.events import Event, SpeakerChanged, Spoke, Transcribed

GAP_S = 8.0
_SAMPLE_EVERY_S = 10.0
_DIAGNOSTICS_S = 1.5
_LAST_ANSWER_S = 30.0


@dataclass
class Counts:
    """What was counted; samples at 24 kHz."""

    turns: int = 0
    final_turns: int = 0
    answers: int = 0
    samples: dict[str, int] = field(default_factory=dict)
    lost: dict[str, int] = field(default_factory=dict)
    """By topic, as the listener counted, and by node, as the node did."""
    doubled: dict[str, int] = field(default_factory=dict)
    speech_sent: int = 0
    speech_played: int = 0
    underruns: int = 0
    resident_mib: dict[str, list[float]] = field(default_factory=dict)
    cpu_percent: dict[str, float] = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        """True when there was a talk, and every sample of it came through once."""
        wrong = sum(self.lost.values()) + sum(self.doubled.values())
        return wrong == 0 and self.speech_sent == self.speech_played > 0 and self.samples["mic/audio"] > 0

    def take(self, event: Event) -> None:
        """Count the turn or the answer that ``event`` ends."""
        match event:
            case Transcribed() if event.status is not TurnStatus.PARTIAL:
                self.turns += 1
                self.final_turns += event.status is TurnStatus.FINAL
            case Spoke() if event.status is SaidStatus.COMPLETE:
                self.answers += 1
            case SpeakerChanged():
                self.underruns = event.underruns

    def take_probe(self, probe: Probe) -> None:
        """Take over what the listener has counted."""
        for topic in TOPICS:
            self.samples[topic] = probe.samples[topic]
            self.lost[topic] = probe.orders[topic].missing_samples
            self.doubled[topic] = probe.orders[topic].dropped_samples
        for node, part, lost, doubled in (
            ("frontend", "mic/audio", ["missing_samples"], ["dropped_samples"]),
            ("oracle_bridge", "mic/audio", ["missing_samples", "skipped_frames"], ["dropped_samples"]),
            ("speaker", "buffer", ["missing_samples", "overflow_samples"], ["repeated_samples"]),
        ):
            told = probe.diagnostics[f"{node}: {part}"]
            self.lost[node] = sum(int(told[name]) for name in lost)
            self.doubled[node] = sum(int(told[name]) for name in doubled)
        self.speech_sent = probe.speech_samples["speaker/audio"]
        self.speech_played = probe.speech_samples["speaker/played"]


def measure(length_s: float, question: Path) -> Counts:
    """Talk for ``length_s`` and return what was counted."""
    sound, rate_hz = soundfile.read(question)
    assert rate_hz == RATE_HZ
    counts = Counts()
    with tempfile.TemporaryDirectory(prefix="kame-frames-") as folder:
        file = Path(folder) / "questions.wav"
        lay_out([sound], GAP_S, file, length_s)

        with running(file, counts.take, sound=False) as graph:
            probe = Probe()
            watch(graph, probe, counts, length_s)
            probe.close()
    counts.take_probe(probe)
    return counts


def watch(graph: Graph, probe: Probe, counts: Counts, length_s: float) -> None:
    """Follow the talk to its end, and sample memory and processor time."""
    nodes = processes()
    started_s, used_s = time.monotonic(), {name: cpu_s(pids) for name, pids in nodes.items()}
    while not probe.source_has_ended and time.monotonic() - started_s < length_s + 60:
        for name, pids in processes().items():
            counts.resident_mib.setdefault(name, []).append(round(resident_mib(pids), 1))
        graph.wait(lambda: probe.source_has_ended, _SAMPLE_EVERY_S)
    wall_s = time.monotonic() - started_s
    for name, pids in nodes.items():
        counts.cpu_percent[name] = round(100 * (cpu_s(pids) - used_s[name]) / wall_s, 1)
    # On a busy machine the last answer outlasts the file; diagnostics come once a second.
    graph.wait(lambda: counts.answers >= counts.final_turns, _LAST_ANSWER_S)
    graph.wait(lambda: False, _DIAGNOSTICS_S)


def markdown(counts: Counts, length_s: float) -> str:
    """Lay the counts out as the tables of docs/benchmarks.md."""
    lines = [
        f"{length_s / 60:g} minutes, {counts.turns} turns ({counts.final_turns} final), {counts.answers} answers; "
        f"{counts.speech_sent} samples of speech sent, {counts.speech_played} played, {counts.underruns} underruns.",
        "",
        *count_rows(counts.samples, counts.lost, counts.doubled),
        "",
        *memory_rows(counts.resident_mib, counts.cpu_percent, 60 / _SAMPLE_EVERY_S),
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure and print the tables; exit code 1 when a sample was lost or doubled."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--minutes", type=float, default=10.0)
    options.add_argument("--json", type=Path, help="write everything to this file")
    chosen = options.parse_args()
    counts = measure(60 * chosen.minutes, ROOT / "config" / "question.wav")
    print(markdown(counts, 60 * chosen.minutes))
    if chosen.json:
        result: dict[str, Any] = {"machine": machine(), "versions": versions(), "counts": asdict(counts)}
        chosen.json.write_text(json.dumps(result, indent=1))
    raise SystemExit(not counts.whole)


if __name__ == "__main__":
    main()
