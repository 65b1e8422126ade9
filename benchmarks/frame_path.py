"""What the path of a frame adds: microphone to frontend, and frontend to speaker, each through real processes and DDS.

    python -m benchmarks.frame_path [--seconds 60] [--json FILE]

A frame of the microphone is complete 20 ms after its first sample's capture time: what it takes from there until the
frontend's callback has it is added by us, and so is the time from its publication by the frontend until the speaker's
callback has it. Three runs:

- bare: the same frames from one rclpy node to another that do nothing else, which is what this machine's ROS costs;

- nobody speaks: the microphone plays a silent file, no recogniser runs, and the node frontend has a pass-through in
  place of the cascade, which gives back every frame at once, so that the second hop carries one for each of the first;
- a talk: all four nodes as they are, and the bundled question again and again.
"""

from __future__ import annotations

import argparse
import array
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from benchmarks.spoken import RATE_HZ, ROOT, lay_out
from kame_ros.app.demo_settings import own_domain
from kame_ros.app.environment import variables
from kame_ros.app.versions import machine, versions
from kame_ros.frontend.inputs import MicFrame, News, SayWhen
from kame_ros.frontend.outputs import Consumed, Loaded, Output, SayReply, Speech
from kame_ros.frontend.tuning import Tuning

FRAME_NS = 20_000_000
GAP_S = 8.0
LOAD_S = 15.0


class PassThrough:
    """A `Frontend` that says what it hears, frame by frame."""

    def start(self, emit: Callable[[Output], None]) -> None:
        """Be ready at once."""
        self._emit = emit
        emit(Loaded("pass-through", best=True))

    def open_session(self, session: int) -> None:
        """Take the session."""
        self._session = session

    def close_session(self, session: int) -> None:
        """Have nothing to drop."""

    def hear(self, frame: MicFrame) -> None:
        """Say the frame."""
        self._emit(Consumed(frame.session, frame.stream, frame.first_sample + len(frame.samples)))
        self._emit(Speech(frame.session, 1, frame.samples))

    def tell(self, news: News) -> None:
        """Have no use for it."""

    def say(self, session: int, text: str, when: SayWhen) -> SayReply:
        """Say nothing else."""
        return SayReply(0, f"a pass-through cannot speak {text!r} ({when.name}) in session {session}")

    def interrupt(self, session: int) -> str:
        """Have nothing to interrupt."""
        return f"a pass-through does not speak in session {session}"

    def tune(self, tuning: Tuning) -> None:
        """Have nothing to change."""

    def counters(self) -> dict[str, object]:
        """Count nothing."""
        return {}

    def close(self) -> None:
        """Have nothing to release."""


def run_node(notes: Path, arguments: list[str], *, talk: bool) -> None:
    """Run the node that ``notes`` is named after, and write down there when each frame arrived (child of `measure`)."""
    from kame_ros.nodes import frontend, robot, speaker  # noqa: PLC0415 (ROS, only in the child)
    from kame_ros.nodes.process import SWITCH_S, StopSignal  # noqa: PLC0415
    from kame_ros.nodes.spin import spin  # noqa: PLC0415

    sys.setswitchinterval(SWITCH_S)  # as in the node's own process
    added_ms: list[float] = []

    class NotingRobot(robot.Robot):
        def _hear(self, message: Any) -> None:
            added_ms.append((time.monotonic_ns() - message.steady_ns - FRAME_NS) / 1e6)
            super()._hear(message)

    class NotingSpeaker(speaker.SpeakerNode):
        def _take_audio(self, frame: Any) -> None:
            stamp = frame.header.stamp
            added_ms.append((time.time_ns() - stamp.sec * 1_000_000_000 - stamp.nanosec) / 1e6)
            super()._take_audio(frame)

    def make() -> Any:
        if notes.stem == "speaker":
            return NotingSpeaker()
        frontend.Robot = NotingRobot  # type: ignore[misc]
        return frontend.FrontendNode() if talk else frontend.FrontendNode(lambda _values: PassThrough())

    spin(make, StopSignal(), arguments)
    notes.write_text(json.dumps(added_ms))


def run_bare(notes: Path) -> None:
    """Publish, or note, frames with nothing else in the process (child of `measure_bare`)."""
    import rclpy  # noqa: PLC0415 (ROS, only in the child)
    from rclpy.executors import SingleThreadedExecutor  # noqa: PLC0415

    from kame_ros.msg import AudioFrame  # noqa: PLC0415
    from kame_ros.nodes import qos  # noqa: PLC0415
    from kame_ros.nodes.process import StopSignal  # noqa: PLC0415

    stop, added_ms = StopSignal(), []
    rclpy.init(args=[], signal_handler_options=rclpy.SignalHandlerOptions.NO)
    node = rclpy.create_node(f"bare_{notes.stem}")
    if notes.stem == "publisher":
        publisher = node.create_publisher(AudioFrame, "bare", qos.AUDIO)
        samples = array.array("h", bytes(960))
        due_s = time.monotonic()
        while not stop.received:
            due_s += FRAME_NS / 1e9
            time.sleep(max(0.0, due_s - time.monotonic()))
            publisher.publish(AudioFrame(steady_ns=time.monotonic_ns(), samples=samples))
    else:

        def note(frame: Any) -> None:
            added_ms.append((time.monotonic_ns() - frame.steady_ns) / 1e6)

        node.create_subscription(AudioFrame, "bare", note, qos.AUDIO)
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        while not stop.received:
            executor.spin_once(timeout_sec=0.25)
    notes.write_text(json.dumps(added_ms))


def measure_bare(seconds: float) -> dict[str, dict[str, float]]:
    """Run two bare nodes for ``seconds`` and return what their hop takes."""
    environment = {**os.environ, **variables("local", os.environ), "ROS_DOMAIN_ID": own_domain()}
    with tempfile.TemporaryDirectory(prefix="kame-path-") as name:
        ours = [sys.executable, "-m", "benchmarks.frame_path", "--bare"]
        notes = [Path(name) / f"{part}.json" for part in ("subscriber", "publisher")]
        processes = [subprocess.Popen([*ours, str(note)], env=environment) for note in notes]
        time.sleep(seconds)
        for process in processes:
            process.terminate()
            process.wait()
        return {"bare rclpy, one hop": summary(notes[0])}


def measure(seconds: float, *, talk: bool) -> dict[str, dict[str, float]]:
    """Run the nodes for ``seconds`` and return what each hop added, in ms, and how many frames it saw."""
    environment = {**os.environ, **variables("local", os.environ), "ROS_DOMAIN_ID": own_domain()}
    with tempfile.TemporaryDirectory(prefix="kame-path-") as name:
        folder = Path(name)
        file = folder / "in.wav"
        if talk:
            lay_out([soundfile.read(ROOT / "config" / "question.wav")[0]], GAP_S, file, seconds)
        else:
            soundfile.write(file, np.zeros(round(seconds * RATE_HZ), np.int16), RATE_HZ)
        ours = [sys.executable, "-m", "benchmarks.frame_path", "--talk" if talk else "--quiet"]
        nodes = [sys.executable, "-m", "kame_ros.nodes"]
        commands = [
            [
                *ours,
                str(folder / "speaker.json"),
                "--ros-args",
                "-p",
                "sink:=file",
                "-p",
                f"file:={folder / 'out.wav'}",
            ],
            [*ours, str(folder / "frontend.json"), "--ros-args"],
            *([[*nodes, "oracle_bridge"]] if talk else []),
            [*nodes, "microphone", "--ros-args", "-p", "source:=file", "-p", f"file:={file}"],
        ]
        commands[-1] += ["-p", f"wait_for_consumers:={2 if talk else 1}"]
        processes = [
            subprocess.Popen([*command, "--ros-args", "--log-level", "warn"], env=environment) for command in commands
        ]
        time.sleep(seconds + (LOAD_S if talk else 0))
        for process in reversed(processes):
            process.terminate()
            process.wait()
        return {
            f"microphone to frontend, {'talk' if talk else 'quiet'}": summary(folder / "frontend.json"),
            f"frontend to speaker, {'talk' if talk else 'quiet'}": summary(folder / "speaker.json"),
        }


def summary(notes: Path) -> dict[str, float]:
    """Return count, median, 99th percentile and maximum, without the first second: the nodes find each other then."""
    settled = json.loads(notes.read_text())[50:]
    return {
        "frames": len(settled),
        "p50_ms": round(float(np.percentile(settled, 50)), 2),
        "p99_ms": round(float(np.percentile(settled, 99)), 2),
        "max_ms": round(max(settled), 2),
    }


def markdown(result: dict[str, dict[str, float]]) -> str:
    """Lay the result out as the table of docs/benchmarks.md."""
    lines = ["| added to a 20 ms frame | frames | median, ms | p99, ms | max, ms |", "|---|---|---|---|---|"]
    for name, row in result.items():
        lines.append(f"| {name} | {row['frames']} | {row['p50_ms']} | {row['p99_ms']} | {row['max_ms']} |")
    return "\n".join(lines)


def main() -> None:
    """Measure and print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seconds", type=float, default=60.0)
    options.add_argument("--json", type=Path, help="write everything to this file")
    chosen = options.parse_args()
    result = {
        **measure_bare(chosen.seconds),
        **measure(chosen.seconds, talk=False),
        **measure(chosen.seconds, talk=True),
    }
    print(markdown(result))
    if chosen.json:
        chosen.json.write_text(json.dumps({"machine": machine(), "versions": versions(), "added": result}, indent=1))


if __name__ == "__main__":
    if sys.argv[1:2] in (["--talk"], ["--quiet"]):
        run_node(Path(sys.argv[2]), sys.argv[3:], talk=sys.argv[1] == "--talk")
    elif sys.argv[1:2] == ["--bare"]:
        run_bare(Path(sys.argv[2]))
    else:
        main()
