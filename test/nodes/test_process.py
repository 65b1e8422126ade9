"""The process around one node, as a process: what signals do to it at awkward moments."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from kame_ros.nodes.parameters import ALL_NODES

pytestmark = pytest.mark.ros

IN_A_STEP = """
import os, signal
from kame_ros.nodes import speaker
from kame_ros.nodes.process import run

class Node(speaker.SpeakerNode):
    def on_configure(self, state):
        os.kill(os.getpid(), {number})
        return super().on_configure(state)

speaker.SpeakerNode = Node
raise SystemExit(run("speaker", []))
"""

AT_THE_END = """
import os
from kame_ros.nodes import process

class Last:
    def __del__(self, kill=os.kill, pid=os.getpid()):
        kill(pid, {number})

last = Last()
process.import_module = lambda name: __import__("types").SimpleNamespace(SpeakerNode=None, spin=lambda *_: 0)
raise SystemExit(process.run("speaker", []))
"""


# In a library where neither Python's own signal handlers run nor a flag is looked at, as in a model or a driver.
BLOCKED = """
import hashlib, os, signal, threading, time
from kame_ros.nodes import speaker
from kame_ros.nodes.process import run

def stop():
    time.sleep(0.2)
    print(time.monotonic(), flush=True)
    for _ in range(3):
        os.kill(os.getpid(), {number})
        time.sleep(0.2)

class Node(speaker.SpeakerNode):
    def {step}(self):
        threading.Thread(target=stop, daemon=True).start()
        hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)

    def check(self, values):
        if "{step}" == "deactivate":
            os.kill(os.getpid(), {number})

speaker.SpeakerNode = Node
raise SystemExit(run("speaker", []))
"""

A_CALLBACK_RAISES = """
import os, signal
from kame_ros.nodes import speaker
from kame_ros.nodes.process import run

class Node(speaker.SpeakerNode):
    def activate(self):
        self.create_timer(0.01, self.tick)

    def tick(self):
        if self.faults == 3:
            print(self.last_fault, flush=True)
            os.kill(os.getpid(), signal.SIGTERM)
        raise ValueError("broken")

speaker.SpeakerNode = Node
raise SystemExit(run("speaker", ["--ros-args", "--log-level", "fatal"]))
"""

# A thread publishes as fast as it can until the node is deactivated, and tells what it meets.
PUBLISHES_TO_THE_END = """
import os, signal, threading
import rclpy
from kame_ros.msg import SpeakerState
from kame_ros.nodes import speaker
from kame_ros.nodes.process import run

class Node(speaker.SpeakerNode):
    def activate(self):
        self.on = True
        self.worker = threading.Thread(target=self.work)
        self.worker.start()

    def work(self):
        count = 0
        while self.on:
            self._state.publish(SpeakerState())
            count += 1
            if count == 100:
                os.kill(os.getpid(), {number})

    def deactivate(self):
        print("deactivate", rclpy.ok(), flush=True)
        self.on = False
        self.worker.join()

    def cleanup(self):
        print("cleanup", rclpy.ok(), flush=True)

    def destroy_node(self):
        print("destroy", rclpy.ok(), self.worker.is_alive(), flush=True)
        super().destroy_node()

speaker.SpeakerNode = Node
raise SystemExit(run("speaker", []))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("code", [IN_A_STEP, AT_THE_END], ids=["in a step", "at the end"])
def test_a_signal_is_a_quiet_stop(code: str, number: signal.Signals) -> None:
    command = [sys.executable, "-c", code.format(number=int(number))]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("step", ["configure", "deactivate"])
def test_what_blocks_does_not_hold_a_stop_up_and_more_signals_change_nothing(step: str, number: signal.Signals) -> None:
    code = BLOCKED.format(step=step, number=int(number))
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False)
    assert time.monotonic() - float(ended.stdout) < 3.0
    assert (ended.returncode, ended.stderr) == (
        0,
        "stopped without finishing: something blocked for more than 2.0 s\n",
    )


def test_an_exception_in_a_callback_is_counted_and_told_and_the_node_goes_on() -> None:
    command = [sys.executable, "-c", A_CALLBACK_RAISES]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert (ended.returncode, ended.stdout) == (0, "callback: ValueError: broken\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_workers_end_first_then_the_node_then_ros(number: signal.Signals) -> None:
    command = [sys.executable, "-c", PUBLISHES_TO_THE_END.format(number=int(number))]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.splitlines() == ["deactivate True", "cleanup True", "destroy True False"]


@pytest.mark.parametrize("arguments", [[], ["ear"]])
def test_a_name_that_is_no_nodes_is_one_line(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "kame_ros.nodes", *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert ended.returncode == 2
    assert ended.stderr == f"{' '.join(command[1:])}: give the name of a node: {', '.join(ALL_NODES)}\n".replace(
        "-m", "python -m"
    )
