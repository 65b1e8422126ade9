"""The robot's own voice in real nodes: speaker and microphone on a real sound server that is the room.

    python -m benchmarks.echo_devices [--delays-ms 60 120 200 350] [--user-db 0] [--json FILE]

The robot speaks without a pause through the node speaker; PulseAudio's loopback brings it into the virtual microphone,
as loud as it was; from the thirteenth second on a user talks over it (benchmarks/echo.py says who says what). Two nodes
``microphone`` hear the same: one cancels echo, one does not. The virtual room has neither walls nor noise, so all that
is left is the doing of the nodes, of their clocks and of the canceller.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.echo import SETTLED, Talk, read, talk, wrong_words
from benchmarks.echo_room import reduction_db
from benchmarks.sound_server import SoundServer, missing, serving
from kame_ros.app.demo_settings import own_domain
from kame_ros.app.environment import variables
from kame_ros.app.versions import machine, versions
from kame_ros.audio.pcm import SAMPLE_RATE_HZ, Pcm, to_int16
from kame_ros.oracle.transcribers.moonshine import Moonshine

EARS = {"cancelling": True, "plain": False}
"""Namespaces of the two microphones, and whether they cancel echo."""
FRAME_SAMPLES = SAMPLE_RATE_HZ // 50
_SESSION = 1
_AHEAD_S = 0.2
_TAIL_S = 1.5
_READY_S = 60.0
_SETTLE_S = 6.0  # the microphone's capture times are a median over its first 5 s


@dataclass
class Ear:
    """What one microphone gave while the robot spoke."""

    sound: Pcm
    """From the robot's first sample that was played on, at 24 kHz."""
    events: list[float] = field(default_factory=list)
    """Seconds at which speech or an interruption was noticed."""
    told: dict[str, str] = field(default_factory=dict)
    """The newest diagnostics of its cleaning."""


class Conversation:
    """Stands for the frontend: has the robot speak, and keeps what both microphones give. The environment is set."""

    def __init__(self) -> None:
        """Join the graph."""
        import rclpy  # noqa: PLC0415 (ROS, only where something is measured)
        from diagnostic_msgs.msg import DiagnosticArray  # noqa: PLC0415
        from rclpy.executors import SingleThreadedExecutor  # noqa: PLC0415

        from kame_ros.msg import AudioFrame, DialogueState, VoiceActivity  # noqa: PLC0415
        from kame_ros.nodes import qos  # noqa: PLC0415

        self._frame: Any = AudioFrame
        self._context = rclpy.Context()
        rclpy.init(args=[], context=self._context)
        self._node = rclpy.create_node("echo_conversation", context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._audio = self._node.create_publisher(AudioFrame, "speaker/audio", qos.AUDIO)
        self._state = self._node.create_publisher(DialogueState, "dialogue/state", qos.STATE)
        self._state.publish(DialogueState(session=_SESSION))
        self._heard: dict[str, list[AudioFrame]] = {name: [] for name in EARS}
        self._noticed: dict[str, list[VoiceActivity]] = {name: [] for name in EARS}
        self._told: dict[str, dict[str, str]] = defaultdict(dict)
        self._played: list[AudioFrame] = self._collect(AudioFrame, "speaker/played", qos.AUDIO)
        for name in EARS:
            self._heard[name] = self._collect(AudioFrame, f"{name}/mic/audio", qos.AUDIO)
            self._noticed[name] = self._collect(VoiceActivity, f"{name}/mic/activity", qos.EVENT)
        self._node.create_subscription(DiagnosticArray, "/diagnostics", self._take_diagnostics, qos.TEXT)

    def _collect(self, kind: Any, topic: str, profile: Any) -> list[Any]:
        taken: list[Any] = []
        self._node.create_subscription(kind, topic, taken.append, profile)
        return taken

    def _take_diagnostics(self, message: Any) -> None:
        for status in message.status:
            self._told[status.name].update({"message": status.message, **{v.key: v.value for v in status.values}})

    def spin(self, seconds: float) -> None:
        """Take what comes for ``seconds``."""
        end_s = time.monotonic() + seconds
        while (left_s := end_s - time.monotonic()) > 0:
            self._executor.spin_once(timeout_sec=min(left_s, 0.02))

    def wait(self) -> None:
        """Wait until both microphones give sound, with settled times, and the speaker listens."""
        end_s = time.monotonic() + _READY_S
        while not all(self._heard.values()) or not self._audio.get_subscription_count():
            if time.monotonic() > end_s:
                raise SystemExit(f"the nodes are not ready after {_READY_S:g} s")
            self.spin(0.1)
        self.spin(_SETTLE_S)

    def speak(self, robot: Pcm) -> dict[str, Ear]:
        """Have the robot say ``robot``, in real time; return what the microphones gave from its beginning on."""
        began_s = time.monotonic()
        for first in range(0, len(robot), FRAME_SAMPLES):
            samples = robot[first : first + FRAME_SAMPLES]
            self._audio.publish(
                self._frame(
                    session=_SESSION,
                    stream=1,
                    first_sample=first,
                    sample_rate=SAMPLE_RATE_HZ,
                    channels=1,
                    generation=1,
                    samples=samples.tolist(),
                )
            )
            self.spin(began_s + first / SAMPLE_RATE_HZ - _AHEAD_S - time.monotonic())
        self.spin(_AHEAD_S + _TAIL_S)
        return {name: self._ear(name) for name in EARS}

    def _ear(self, name: str) -> Ear:
        from kame_ros.msg import VoiceActivity  # noqa: PLC0415

        began_ns = next(frame.steady_ns for frame in self._played if np.any(frame.samples))
        frames = self._heard[name]
        place = next(i for i, frame in enumerate(frames) if frame.steady_ns >= began_ns)
        first, frames = frames[place].first_sample, frames[place:]
        noticed = [
            activity.at_sample
            for activity in self._noticed[name]
            if activity.event in (VoiceActivity.ONSET, VoiceActivity.INTERRUPT) and activity.at_sample >= first
        ]
        sound = np.concatenate([np.array(frame.samples, np.int16) for frame in frames])
        return Ear(sound, [(at - first) / SAMPLE_RATE_HZ for at in noticed], self._told[f"{name}/microphone: cleaning"])

    def close(self) -> None:
        """Leave the graph."""
        self._executor.shutdown()
        self._node.destroy_node()
        self._context.try_shutdown()


def converse(delay_ms: int, robot: Pcm, user: Pcm | None = None) -> dict[str, Ear]:
    """Let the robot say ``robot`` and the user ``user``, both from now on, in a room that echoes after ``delay_ms``."""
    os.environ.update({**variables("local", os.environ), "ROS_DOMAIN_ID": own_domain()})
    with ExitStack() as stack:
        server: SoundServer = stack.enter_context(serving())
        server.echo(delay_ms)
        nodes: list[tuple[str, str, dict[str, bool]]] = [("speaker", "/", {})]
        nodes += [("microphone", f"/{name}", {"echo_cancelling": cancels}) for name, cancels in EARS.items()]
        for node, namespace, values in nodes:
            command = [sys.executable, "-m", "kame_ros.nodes", node, "--ros-args", "--log-level", "warn"]
            command += ["-r", f"__ns:={namespace}", "-p", "device:=pulse"]
            if node == "microphone":
                command += ["-r", "speaker/played:=/speaker/played", "-r", "dialogue/state:=/dialogue/state"]
            command += [word for key, value in values.items() for word in ("-p", f"{key}:={json.dumps(value)}")]
            process = stack.enter_context(subprocess.Popen(command, env={**os.environ, **server.environment}))
            stack.callback(process.terminate)
        conversation = Conversation()
        stack.callback(conversation.close)
        conversation.wait()
        if user is not None:
            server.speak(user, wait=False)
        return conversation.speak(robot)


@dataclass(frozen=True)
class Row:
    """What one room gave."""

    delay_ms: int
    user_db: int
    first_db: float
    """Reduction of the echo in the first three seconds."""
    then_db: float
    """From then on, until the user speaks."""
    plain_events: int
    """Speech and interruptions noticed before the user speaks, without cancelling."""
    events: int
    """The same with cancelling."""
    plain_wrong: float
    """Words of the user that were wrong, missing or added, against all of them, without cancelling."""
    wrong: float
    told: dict[str, str]


def measure(said: Talk, delay_ms: int, user_db: int, reader: Moonshine) -> Row:
    """Have both talk in a room of ``delay_ms``, the user ``user_db`` louder than the echo."""
    speaking = np.concatenate([np.arange(*place) for place in said.places])
    levels = [float(np.sqrt(np.mean(np.square(sound[speaking])))) for sound in (said.robot / 32768.0, said.user)]
    louder = levels[0] / levels[1] * 10.0 ** (user_db / 20.0)
    user = to_int16(louder * said.user)
    ears = converse(delay_ms, said.robot, user)
    late = {name: _lateness(ear.sound, user) for name, ear in ears.items()}
    wrong = {}
    for name, ear in ears.items():
        places = [(begin + late[name], end + late[name]) for begin, end in said.places]
        wrong[name] = wrong_words(said.texts, read(reader, ear.sound, places))
    first = min(late.values()) + said.places[0][0]
    plain, cancelling = ears["plain"], ears["cancelling"]
    return Row(
        delay_ms,
        user_db,
        reduction_db(plain.sound[:SETTLED], cancelling.sound[:SETTLED]),
        reduction_db(plain.sound[SETTLED:first], cancelling.sound[SETTLED:first]),
        sum(at_s < first / SAMPLE_RATE_HZ for at_s in plain.events),
        sum(at_s < first / SAMPLE_RATE_HZ for at_s in cancelling.events),
        wrong["plain"],
        wrong["cancelling"],
        cancelling.told,
    )


def _lateness(heard: Pcm, said: Pcm) -> int:
    """Return by how many samples ``said`` lies later in ``heard``, 2 s at most either way."""
    size = len(heard) + len(said)
    likeness = np.fft.irfft(np.conj(np.fft.rfft(said, size)) * np.fft.rfft(heard, size), size)
    around = np.concatenate((likeness[-2 * SAMPLE_RATE_HZ :], likeness[: 2 * SAMPLE_RATE_HZ]))
    return int(np.argmax(around)) - 2 * SAMPLE_RATE_HZ


def markdown(rows: list[Row]) -> str:
    """Lay the rows out as the table of docs/benchmarks.md."""
    lines = [
        "| echo path, ms | user against echo, dB | dB, first 3 s | dB, then | noticed in the robot's own speech "
        "| without cancelling | wrong words of the user | without cancelling |",
        "|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row.delay_ms} | {row.user_db} | {row.first_db:.0f} | {row.then_db:.0f} | {row.events} "
        f"| {row.plain_events} | {row.wrong:.0%} | {row.plain_wrong:.0%} |"
        for row in rows
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure and print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--delays-ms", type=int, nargs="+", default=[60, 120, 200, 350])
    options.add_argument("--user-db", type=int, nargs="+", default=[0])
    options.add_argument("--json", type=Path, help="write everything to this file")
    chosen = options.parse_args()
    if why := missing():
        raise SystemExit(f"no sound server here: {why}")
    said, reader = talk(), Moonshine()
    rows = [measure(said, delay_ms, db, reader) for delay_ms in chosen.delays_ms for db in chosen.user_db]
    reader.close()
    print(markdown(rows))
    for row in rows:
        print(row.delay_ms, row.told)
    if chosen.json:
        told = {"machine": machine(), "versions": versions(), "rows": [asdict(row) for row in rows]}
        chosen.json.write_text(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
