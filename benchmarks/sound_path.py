"""From a real sound device through both nodes to a real sound device: what is added, what breaks, and what it costs.

    python -m benchmarks.sound_path [--minutes 30] [--cleaned-minutes 2] [--json FILE]

A sound server of our own has a virtual microphone and a virtual loudspeaker. A tone is played into the microphone; the
node microphone publishes mic/audio, the node speaker takes it over real DDS as if it were speech, and what the
loudspeaker plays is recorded and searched for breaks. *Added* is the time from the call by which PortAudio gives a
frame's last sample until the speaker's buffer has the frame. Before the tone some clicks show how long all takes, from
what is played into the microphone to what the loudspeaker plays: there are also the blocks of the devices and the sound
server, and the speaker's buffers (prefill_ms, and the ring before PortAudio).

Echo cancelling takes a tone for an echo of itself, and is off there. A second run has it on, as the nodes have it, and
says what that costs; no breaks are looked for in what it leaves.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.graph import cpu_s
from benchmarks.sound_server import RATE_HZ, Pcm, SoundServer, missing, serving
from kame_ros.app.demo_settings import own_domain
from kame_ros.app.environment import variables
from kame_ros.app.versions import machine, versions

FRAME_SAMPLES = RATE_HZ // 50
TONE_HZ = 440.0
_AMPLITUDE = 8000
_SESSION = 1
_READY_S = 30.0
_SETTLE_S = 2.0
_SETTLE_FRAMES = 50
_TAIL_S = 1.0
_EDGE_SAMPLES = RATE_HZ // 2
# A tone follows from its two samples before, but for the rounding of three; one sample lost or doubled is off by 900.
_BREAK = 100
_SAME_BREAK_SAMPLES = RATE_HZ // 50
CLICKS = 3
CLICK_EVERY_S = 1.0
_CLICK_SAMPLES = RATE_HZ // 200
_SAME_CLICK_SAMPLES = RATE_HZ // 25


@dataclass
class Result:
    """What was measured; samples at 24 kHz."""

    seconds: float
    cleaned: bool
    """With echo cancelling, where no breaks are looked for."""
    frames: int
    added_ms: dict[str, float]
    """From a frame's last sample out of PortAudio to the frame in the speaker's buffer: p50, p99, max."""
    through_ms: list[float]
    """From the microphone's device to the loudspeaker's, of each click."""
    heard_samples: int
    """Of the tone, that were searched for breaks."""
    breaks: int
    """Places in them where it does not go on as it was."""
    lost: dict[str, int]
    """By who counted them."""
    corrected_samples: int
    """Played faster or slower, to follow the two clocks and the buffer."""
    cpu_percent: dict[str, float]
    """Of one core, by node."""

    @property
    def whole(self) -> bool:
        """True when nothing was lost, and of the tone, where it was looked for, there was some."""
        return (self.cleaned or self.heard_samples > 0) and not self.breaks and not any(self.lost.values())


def tone(seconds: float) -> Pcm:
    """Return a tone, 1-D int16, 24 kHz."""
    phase = 2 * np.pi * TONE_HZ / RATE_HZ * np.arange(round(seconds * RATE_HZ))
    return np.rint(_AMPLITUDE * np.sin(phase)).astype(np.int16)


def find_breaks(recorded: Pcm) -> tuple[int, int]:
    """Return how many samples of the tone were looked at, without half a second at either end, and its breaks.

    A tone of w radians a sample goes on as y[n] = 2 cos(w) y[n-1] - y[n-2]; what does not within 20 ms is one break.
    """
    loud = np.flatnonzero(np.abs(recorded.astype(np.int32)) > _AMPLITUDE // 2)
    if not len(loud):
        return 0, 0
    heard = recorded[loud[0] + _EDGE_SAMPLES : loud[-1] - _EDGE_SAMPLES].astype(np.float32)
    off = heard[2:] - 2 * np.cos(2 * np.pi * TONE_HZ / RATE_HZ) * heard[1:-1] + heard[:-2]
    places = np.flatnonzero(np.abs(off) > _BREAK)
    breaks = int(np.count_nonzero(np.diff(places) > _SAME_BREAK_SAMPLES)) + (len(places) > 0)
    return len(heard), breaks


def clicks() -> Pcm:
    """Return clicks, `CLICK_EVERY_S` apart, 1-D int16, 24 kHz."""
    sound = np.zeros((CLICKS, round(CLICK_EVERY_S * RATE_HZ)), np.int16)
    sound[:, -_CLICK_SAMPLES:] = _AMPLITUDE
    return sound.reshape(-1)


def find_delays_ms(recorded: Pcm) -> list[float]:
    """Return how much later each click comes again, milliseconds."""
    loud = np.flatnonzero(np.abs(recorded.astype(np.int32)) > _AMPLITUDE // 4)
    starts = loud[np.flatnonzero(np.diff(loud, prepend=-RATE_HZ) > _SAME_CLICK_SAMPLES)]
    return [
        round(float(again - click) / RATE_HZ * 1000, 1) for click, again in zip(starts[::2], starts[1::2], strict=False)
    ]


def run_node(name: str, notes: Path, arguments: list[str]) -> None:
    """Run one of the two nodes, and write down when it got what it got (child of `measure`)."""
    from kame_ros.nodes.process import run  # noqa: PLC0415 (ROS, only in the child)

    noted = note_deliveries() if name == "microphone" else note_frames()
    code = run(name, arguments)
    notes.write_text(json.dumps(noted))
    sys.exit(code)


def note_deliveries() -> list[tuple[int, int]]:
    """Return a list that grows, as PyAudio delivers, by how many frames of the stream there are, and when, ns."""
    import pyaudio  # noqa: PLC0415 (not needed for the rest)

    delivered: list[tuple[int, int]] = []
    open_stream = pyaudio.PyAudio.open

    def open_noting(host: Any, *, stream_callback: Any, **options: Any) -> Any:
        delivered.clear()

        def deliver(data: bytes, frames: int, times: Any, status: int) -> Any:
            before = delivered[-1][0] if delivered else 0
            delivered.append((before + frames, time.monotonic_ns()))
            return stream_callback(data, frames, times, status)

        return open_stream(host, stream_callback=deliver, **options)

    pyaudio.PyAudio.open = open_noting
    return delivered


def note_frames() -> list[tuple[int, int]]:
    """Return a list that grows by the first sample of each frame that the node speaker has taken, and when, ns."""
    from kame_ros.nodes import speaker  # noqa: PLC0415 (ROS, only in the child)

    came: list[tuple[int, int]] = []

    class NotingSpeaker(speaker.SpeakerNode):
        def _take_audio(self, frame: Any) -> None:
            frame.generation = 1  # the microphone's frames belong to none
            super()._take_audio(frame)
            came.append((frame.first_sample, time.monotonic_ns()))

    speaker.SpeakerNode = NotingSpeaker  # type: ignore[misc]
    return came


class Frontend:
    """What the two nodes need of a frontend: a session; and it listens to their diagnostics, on its own thread."""

    def __init__(self) -> None:
        """Join the graph; the environment must name its domain."""
        import rclpy  # noqa: PLC0415 (not in the child, which takes its arguments from its own)
        from diagnostic_msgs.msg import DiagnosticArray  # noqa: PLC0415
        from rclpy.executors import SingleThreadedExecutor  # noqa: PLC0415
        from rclpy.signals import SignalHandlerOptions  # noqa: PLC0415

        from kame_ros.msg import DialogueState, SpeakerState  # noqa: PLC0415
        from kame_ros.nodes import qos  # noqa: PLC0415

        self.playing = threading.Event()
        self.diagnostics: dict[str, dict[str, str]] = defaultdict(dict)
        """Newest values by "node: part"."""
        self._context = rclpy.Context()
        rclpy.init(args=[], context=self._context, signal_handler_options=SignalHandlerOptions.NO)
        self._node = rclpy.create_node("benchmark_frontend", context=self._context, use_global_arguments=False)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._node.create_subscription(DiagnosticArray, "/diagnostics", self._diagnose, qos.TEXT)
        self._node.create_subscription(SpeakerState, "speaker/state", self._follow, qos.STATE)
        self._node.create_publisher(DialogueState, "dialogue/state", qos.STATE).publish(DialogueState(session=_SESSION))
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._spin, name="frontend")
        self._thread.start()

    def _spin(self) -> None:
        while not self._stop.is_set():
            self._executor.spin_once(timeout_sec=0.1)

    def _diagnose(self, message: Any) -> None:
        for status in message.status:
            self.diagnostics[status.name].update({value.key: value.value for value in status.values})

    def _follow(self, state: Any) -> None:
        if state.playing:
            self.playing.set()

    def count(self, part: str, *names: str) -> int:
        """Return the sum of some counters of a node's part."""
        return sum(int(self.diagnostics[part].get(name, 0)) for name in names)

    def close(self) -> None:
        """Leave the graph."""
        self._stop.set()
        self._thread.join()
        self._executor.remove_node(self._node)
        self._node.destroy_node()
        self._context.try_shutdown()


def measure(seconds: float, *, cleaned: bool = False, **speaker: int) -> Result:
    """Play a tone of ``seconds`` through both nodes and return what became of it.

    ``cleaned``: by echo cancelling. ``speaker``: parameters of that node.
    """
    with tempfile.TemporaryDirectory(prefix="kame-sound-path-") as name, serving() as server:
        os.environ["ROS_DOMAIN_ID"] = own_domain()
        os.environ.update(variables("local", os.environ))
        notes = {node: Path(name) / f"{node}.json" for node in ("speaker", "microphone")}
        parameters = {
            "speaker": [
                "-r",
                "speaker/audio:=mic/audio",
                *(word for name, value in speaker.items() for word in ("-p", f"{name}:={value}")),
            ],
            "microphone": ["-p", f"echo_cancelling:={json.dumps(cleaned)}"],
        }
        ours = ["--ros-args", "-p", "device:=pulse", "--log-level", "warn"]
        command = [sys.executable, "-m", "benchmarks.sound_path", "--node"]
        environment = {**os.environ, **server.environment}
        frontend = Frontend()
        nodes = {
            node: subprocess.Popen([*command, node, str(notes[node]), *ours, *parameters[node]], env=environment)
            for node in notes
        }
        try:
            if not frontend.playing.wait(_READY_S):
                raise SystemExit(f"nothing is played {_READY_S:g} s after the start of the nodes")
            time.sleep(_SETTLE_S)
            through = _click_through(server)
            before = _lost(frontend)
            recorded, cpu_percent = _play(server, nodes, seconds)
            after = _lost(frontend)
            corrected = frontend.count("speaker: buffer", "played_faster_samples", "played_slower_samples")
        finally:
            for process in nodes.values():
                process.terminate()
                process.wait()
            frontend.close()
        noted = {node: json.loads(file.read_text()) for node, file in notes.items()}
    heard_samples, breaks = (0, 0) if cleaned else find_breaks(recorded)
    added = added_ms(noted["microphone"], noted["speaker"])[_SETTLE_FRAMES:]
    return Result(
        seconds=seconds,
        cleaned=cleaned,
        frames=len(added),
        added_ms=spread(added),
        through_ms=through,
        heard_samples=heard_samples,
        breaks=breaks,
        lost={name: after[name] - before[name] for name in after},
        corrected_samples=corrected,
        cpu_percent=cpu_percent,
    )


def _play(
    server: SoundServer, nodes: dict[str, subprocess.Popen[bytes]], seconds: float
) -> tuple[Pcm, dict[str, float]]:
    used_s = {name: cpu_s([process.pid]) for name, process in nodes.items()}
    started_s = time.monotonic()
    recording = server.record()
    server.speak(tone(seconds))
    wall_s = time.monotonic() - started_s
    cpu_percent = {
        name: round(100 * (cpu_s([process.pid]) - used_s[name]) / wall_s, 1) for name, process in nodes.items()
    }
    time.sleep(_TAIL_S + 1.0)  # diagnostics come once a second
    return recording.stop(), cpu_percent


def _click_through(server: SoundServer) -> list[float]:
    with server.recording_both_ends() as recording:
        server.speak(clicks())
        time.sleep(_TAIL_S)
        return find_delays_ms(recording.stop())


def _lost(frontend: Frontend) -> dict[str, int]:
    return {
        "microphone, samples": frontend.count("microphone: source", "missing_samples"),
        "microphone, overflows": frontend.count("microphone: source", "overflows"),
        "speaker, samples": frontend.count("speaker: buffer", "missing_samples", "overflow_samples"),
        "speaker, repeated samples": frontend.count("speaker: buffer", "repeated_samples"),
        "speaker, underruns": frontend.count("speaker: buffer", "underruns"),
        "speaker, underflows": frontend.count("speaker: sink", "underflows"),
    }


def added_ms(delivered: list[list[int]], came: list[list[int]]) -> list[float]:
    """Return the time from the delivery of each frame's last sample to the frame in the speaker's buffer, milliseconds.

    ``delivered`` has the samples that PortAudio had given in all and when, ``came`` the first sample and the arrival of
    each frame, nanoseconds.
    """
    ends = [end for end, _ in delivered]
    places = np.searchsorted(ends, [first + FRAME_SAMPLES for first, _ in came])
    return [(came_ns - delivered[place][1]) / 1e6 for (_, came_ns), place in zip(came, places, strict=True)]


def spread(times_ms: list[float]) -> dict[str, float]:
    """Return median, 99th percentile and maximum; nothing of nothing."""
    if not times_ms:
        return {}
    p50, p99 = np.percentile(times_ms, [50, 99])
    return {"p50": round(float(p50), 2), "p99": round(float(p99), 2), "max": round(float(max(times_ms)), 2)}


def markdown(results: Sequence[Result]) -> str:
    """Lay the results out as the tables of docs/benchmarks.md, a column for each."""
    names = ["echo cancelling" if result.cleaned else "the tone as it is" for result in results]
    lines = [f"| | {' | '.join(names)} |", f"|---|{'---|' * len(names)}"]
    rows: dict[str, list[object]] = {
        "minutes": [round(result.seconds / 60, 2) for result in results],
        "frames": [result.frames for result in results],
        "searched for breaks, samples of the tone": [result.heard_samples for result in results],
        "breaks": ["" if result.cleaned else result.breaks for result in results],
        **{f"lost: {name}": [result.lost[name] for result in results] for name in results[0].lost},
        "played faster or slower, samples": [result.corrected_samples for result in results],
        "added, ms: median, p99, max": [_told(result.added_ms) for result in results],
        "microphone to loudspeaker, ms": [", ".join(map(str, result.through_ms)) for result in results],
        **{
            f"processor, % of one core: {node}": [result.cpu_percent[node] for result in results]
            for node in results[0].cpu_percent
        },
    }
    return "\n".join([*lines, *(f"| {name} | {' | '.join(map(str, row))} |" for name, row in rows.items())])


def _told(row: dict[str, float]) -> str:
    return ", ".join(str(row.get(name)) for name in ("p50", "p99", "max"))


def main() -> None:
    """Measure and print the table; exit code 1 when anything was lost."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--minutes", type=float, default=30.0, help="of the tone as it is; 0: leave it out")
    options.add_argument("--cleaned-minutes", type=float, default=2.0, help="with echo cancelling; 0: leave it out")
    options.add_argument("--json", type=Path, help="write everything to this file")
    chosen = options.parse_args()
    if why := missing():
        raise SystemExit(f"no sound server here: {why}")
    runs = ((chosen.minutes, False), (chosen.cleaned_minutes, True))
    results = [measure(60 * minutes, cleaned=cleaned) for minutes, cleaned in runs if minutes]
    if not results:
        options.error("both runs are left out")
    print(markdown(results))
    if chosen.json:
        told = {"machine": machine(), "versions": versions(), "results": [asdict(result) for result in results]}
        chosen.json.write_text(json.dumps(told, indent=1))
    raise SystemExit(not all(result.whole for result in results))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--node"]:
        run_node(sys.argv[2], Path(sys.argv[3]), sys.argv[4:])
    else:
        main()
