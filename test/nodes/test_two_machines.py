"""Ears and voice on one host, frontend and oracle bridge on another, with a link that can be cut."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from two_hosts import TwoHosts, missing, two_hosts

pytestmark = [pytest.mark.ros, pytest.mark.talk]

ROBOT, SERVER = 0, 1
CUT_S = 5.0
FRAME = 480


class Far:
    """Processes on two hosts, and what is heard of them on the robot."""

    def __init__(self, hosts: TwoHosts) -> None:
        self.hosts = hosts
        self.events: list[dict[str, Any]] = []
        self._processes: list[subprocess.Popen[str]] = []
        self._environment = {
            **os.environ,
            "ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET",
            # Between two real hosts there is no shared memory either.
            "FASTDDS_BUILTIN_TRANSPORTS": "UDPv4",
        }
        probe = [sys.executable, str(Path(__file__).parents[1] / "remote_probe.py")]
        self._probe = self._start(ROBOT, probe)
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def start(self, host: int, name: str, **parameters: Any) -> None:
        command = [sys.executable, "-m", "kame_ros.nodes", name, "--ros-args"]
        for key, value in parameters.items():
            command += ["-p", f"{key}:={json.dumps(value)}"]
        self._start(host, command)

    def _start(self, host: int, command: list[str]) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            self.hosts.command(host, command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE if not self._processes else subprocess.DEVNULL,
            text=True,
            env=self._environment,
        )
        self._processes.append(process)
        return process

    def _read(self) -> None:
        assert self._probe.stdout is not None
        for line in self._probe.stdout:
            self.events.append(json.loads(line))

    def ask(self, text: str) -> None:
        assert self._probe.stdin is not None
        self._probe.stdin.write(f"{text}\n")
        self._probe.stdin.flush()

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in list(self.events) if event["kind"] == kind]

    def wait(self, holds: Callable[[], object], timeout_s: float = 60.0) -> bool:
        end_s = time.monotonic() + timeout_s
        while time.monotonic() < end_s:
            if holds():
                return True
            time.sleep(0.1)
        return False

    def close(self) -> None:
        assert self._probe.stdin is not None
        self._probe.stdin.close()
        for process in self._processes[1:]:
            process.terminate()
        for process in self._processes:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
        self._reader.join()


@pytest.fixture
def far() -> Iterator[Far]:
    if why := missing():
        pytest.skip(f"needs {why}")
    with two_hosts() as hosts:
        made = Far(hosts)
        yield made
        made.close()


def test_a_talk_goes_on_after_the_link_was_cut_for_five_seconds(far: Far, root: Path, tmp_path: Path) -> None:
    far.start(SERVER, "oracle_bridge")
    far.start(SERVER, "frontend")
    far.start(ROBOT, "speaker", sink="file", file=str(tmp_path / "out.wav"))
    far.start(ROBOT, "microphone", source="file", file=str(root / "config" / "question.wav"))

    def heard(after: int) -> list[dict[str, Any]]:
        return [event for event in far.of("Spoke")[after:] if event["status"] == 1 and event["heard_length"]]

    assert far.wait(lambda: heard(0)), [event for event in far.events if event["kind"] != "Sounded"][-20:]
    sessions = {event["session"] for event in far.of("Spoke")}
    played = [event for event in far.of("Sounded") if event["place"] == 1 and event["generation"]]
    assert max(event["peak"] for event in played) > 1000, "the answer has come over and was played"

    said_before = len(far.of("Spoke"))
    far.hosts.plug(connected=False)
    time.sleep(CUT_S)
    far.hosts.plug(connected=True)
    back = len(far.of("DialogueChanged"))
    assert far.wait(lambda: len(far.of("DialogueChanged")) > back), "what happened meanwhile comes over"
    far.ask("When does the museum open on Sunday?")
    assert far.wait(lambda: heard(said_before)), far.events[-5:]

    assert {event["session"] for event in far.of("Spoke")} == sessions, "the session is the one before"
    ears = [event for event in far.of("Sounded") if event["place"] == 0]
    assert len({event["stream"] for event in ears}) == 1
    assert set(np.diff([event["first_sample"] for event in ears])) == {FRAME}, "the robot's own sound has no gap"
