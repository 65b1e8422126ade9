"""The process around one node, as a process: what signals do to it at awkward moments."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

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


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("code", [IN_A_STEP, AT_THE_END], ids=["in a step", "at the end"])
def test_a_signal_is_a_quiet_stop(code: str, number: signal.Signals) -> None:
    command = [sys.executable, "-c", code.format(number=int(number))]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
