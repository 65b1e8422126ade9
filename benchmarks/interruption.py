"""How soon the robot is silent when a person says "stop" over it: real nodes, real DDS, a real sound server.

    python -m benchmarks.interruption [--times 40] [--json FILE]

The microphone plays a file in which flite says "stop" again and again, while the robot speaks a long text that begins
anew after each interruption. Its loudspeaker is PulseAudio's, through PortAudio, and is recorded. Three times are told
for each, all on the steady clock:

- noticed: from the capture of the word's first sample until ``mic/activity`` says that the robot is to stop;
- silent: from there until the recorder has the last sample that is not zero;
- both together, which is what the person experiences.

What was recorded of each speech is compared, sample for sample, with as much of it as was played by ``speaker/state``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import rclpy
from rclpy.executors import SingleThreadedExecutor

from benchmarks.monitor import Monitor
from benchmarks.sound_server import missing, serving
from benchmarks.spoken import MIC_RATE_HZ, lay_out, speak
from kame_ros.app.demo_settings import own_domain
from kame_ros.app.environment import variables
from kame_ros.app.versions import machine, versions
from kame_ros.msg import AudioFrame, RobotText, SpeakerState, VoiceActivity
from kame_ros.nodes import qos
from kame_ros.srv import Say

TEXT = "One, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, thirteen, fourteen, fifteen."
VOICES = ("slt", "rms", "awb", "kal16")
GAP_S = 4.0
LOAD_S = 60.0
AFTER_S = 0.5  # what a block that is on its way may need
EVENTS = {"backchannel_safe": VoiceActivity.INTERRUPT, "immediate": VoiceActivity.ONSET}


@dataclass
class Interruptions:
    """Times of each interruption, in ms."""

    noticed_ms: list[float] = field(default_factory=list)
    silent_ms: list[float] = field(default_factory=list)
    together_ms: list[float] = field(default_factory=list)
    missed: int = 0
    """Words over the robot's speech that did not stop it."""
    different: int = 0
    """Speeches of which another sound was recorded than ``speaker/state`` told of what was sent."""


class Listener:
    """A person who has the robot speak, and listens to both sides."""

    def __init__(self, event: int, monitor: Monitor) -> None:
        """Subscribe; ``event`` is what stops the robot, whose loudspeaker ``monitor`` records."""
        rclpy.init(args=[])
        self.node = rclpy.create_node("interruption_benchmark")
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.result = Interruptions()
        self.over = False
        """The microphone's file has been played."""
        self._begun = False
        self._event = event
        self._capture: tuple[int, int] | None = None  # a sample of mic/audio, and when it was captured
        self._monitor = monitor
        self._generation_at = 0  # what was recorded before belongs to earlier generations
        self._sent: list[Any] = []  # the speech of this generation
        self._generation = 0
        self._playing = False
        self._played_samples = 0
        self._noticed: tuple[int, int, int] | None = None  # generation, when it was told, when the word began
        self._asked: Any = None
        self._say = self.node.create_client(Say, "say")
        self.node.create_subscription(AudioFrame, "mic/audio", self._take_captured, qos.AUDIO)
        self.node.create_subscription(VoiceActivity, "mic/activity", self._take_activity, qos.EVENT)
        self.node.create_subscription(AudioFrame, "speaker/audio", self._take_sent, qos.AUDIO)
        self.node.create_subscription(SpeakerState, "speaker/state", self._take_state, qos.STATE)
        self.node.create_subscription(RobotText, "robot/text", self._take_text, qos.TEXT)

    def _take_captured(self, frame: AudioFrame) -> None:
        self._begun = self._begun or not frame.muted
        self.over = self._begun and frame.muted
        self._capture = (frame.first_sample, frame.steady_ns)

    def _take_activity(self, activity: VoiceActivity) -> None:
        now_ns = time.monotonic_ns()
        if activity.event == self._event and self._playing and self._capture and self._noticed is None:
            sample, steady_ns = self._capture
            began_ns = steady_ns + (activity.at_sample - sample) * 1_000_000_000 // MIC_RATE_HZ
            self._noticed = (self._generation, now_ns, began_ns)

    def _take_sent(self, frame: AudioFrame) -> None:
        self._sent.append(np.array(frame.samples, np.int16))

    def _take_state(self, state: SpeakerState) -> None:
        self._generation, self._playing = state.generation, state.playing
        self._played_samples = state.played_samples

    def _take_text(self, text: RobotText) -> None:
        if text.status != RobotText.GROWING:
            self._asked = None  # it is over, or was dropped before it began

    def step(self) -> None:
        """Take what has come, have the robot speak again when it is silent, and note an interruption that is over."""
        self.executor.spin_once(timeout_sec=0.05)
        if self._noticed and time.monotonic_ns() - self._noticed[1] > AFTER_S * 1e9:
            self._conclude(*self._noticed)
            self._noticed = None
        refused = self._asked is not None and self._asked.done() and not self._asked.result().accepted
        silent = not self._playing and self._noticed is None
        if silent and (self._asked is None or refused) and self._say.service_is_ready():
            self._sent.clear()
            self._generation_at = self._monitor.length
            self._asked = self._say.call_async(Say.Request(text=TEXT, when=Say.Request.WHEN_QUIET))

    def _conclude(self, generation: int, told_ns: int, began_ns: int) -> None:
        if self._playing and self._generation == generation:
            self.result.missed += 1
            return
        recorded = self._monitor.played(self._generation_at)
        loud = np.flatnonzero(recorded)
        silent_ns = self._monitor.time_ns(self._generation_at + int(loud[-1]))
        self.result.noticed_ms.append((told_ns - began_ns) / 1e6)
        self.result.silent_ms.append((silent_ns - told_ns) / 1e6)
        self.result.together_ms.append((silent_ns - began_ns) / 1e6)
        told = np.concatenate(self._sent)[: self._played_samples]
        # Without zeros: the loudspeaker may have paused within a speech that came late.
        self.result.different += not np.array_equal(recorded[loud], told[told != 0])

    def close(self) -> None:
        """Leave ROS."""
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.try_shutdown()


def measure(times: int, rule: str) -> Interruptions:
    """Let a person say "stop" ``times`` times, with the frontend's ``interrupt`` set to ``rule``."""
    os.environ.update({**variables("local", os.environ), "ROS_DOMAIN_ID": own_domain()})
    with tempfile.TemporaryDirectory(prefix="kame-interruption-") as name, ExitStack() as stack:
        server = stack.enter_context(serving())
        monitor = Monitor(server)
        stack.callback(monitor.close)
        words = Path(name) / "words.wav"
        lay_out([speak(VOICES[i % len(VOICES)], "stop") for i in range(times)], GAP_S, words)
        parameters = {
            "speaker": {"device": "pulse"},
            "frontend": {"interrupt": rule},
            # The file begins when the listener has found its way to the frontend, which consumes it.
            "microphone": {"source": "file", "file": str(words), "wait_for_consumers": 1},
        }
        for node, values in parameters.items():
            command = [sys.executable, "-m", "kame_ros.nodes", node, "--ros-args", "--log-level", "warn"]
            command += [word for key, value in values.items() for word in ("-p", f"{key}:={value}")]
            process = stack.enter_context(subprocess.Popen(command, env={**os.environ, **server.environment}))
            stack.callback(process.terminate)
        listener = Listener(EVENTS[rule], monitor)
        stack.callback(listener.close)
        end_s = time.monotonic() + LOAD_S + times * (GAP_S + 1.0)
        while time.monotonic() < end_s and not listener.over:
            listener.step()
        return listener.result


def markdown(results: dict[str, Interruptions]) -> str:
    """Lay the results out as the table of docs/benchmarks.md."""
    lines = ["| interrupt | what | times | median, ms | p99, ms | max, ms |", "|---|---|---|---|---|---|"]
    for rule, result in results.items():
        rows = (("noticed", result.noticed_ms), ("silent", result.silent_ms), ("together", result.together_ms))
        for name, values in rows:
            p50, p99 = np.percentile(values, [50, 99]) if values else (np.nan, np.nan)
            lines.append(f"| {rule} | {name} | {len(values)} | {p50:.0f} | {p99:.0f} | {max(values, default=0):.0f} |")
    return "\n".join(lines)


def main() -> None:
    """Measure under both rules and print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--times", type=int, default=40)
    options.add_argument("--json", type=Path, help="write everything to this file")
    chosen = options.parse_args()
    if why := missing():
        raise SystemExit(f"no sound server here: {why}")
    results = {rule: measure(chosen.times, rule) for rule in EVENTS}
    print(markdown(results))
    print({rule: result.missed for rule, result in results.items()}, "words did not stop the robot")
    print({rule: result.different for rule, result in results.items()}, "speeches sounded otherwise than was told")
    if chosen.json:
        told = {rule: vars(result) for rule, result in results.items()}
        chosen.json.write_text(json.dumps({"machine": machine(), "versions": versions(), "times": told}, indent=1))


if __name__ == "__main__":
    main()
