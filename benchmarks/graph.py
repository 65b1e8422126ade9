"""The four nodes as `kame run` starts them, for a measurement."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from kame_ros.app.console import Console
from kame_ros.app.demo_settings import own_domain
from kame_ros.app.ensemble import Ensemble
from kame_ros.app.settings import resolve
from kame_ros.app.signals import Signals
from kame_ros.nodes.events import Event
from kame_ros.nodes.parameters import NODES

_LOOK_S = 0.05
_LOAD_S = 120.0


class Graph:
    """The running nodes; what happens is handed on."""

    def __init__(self, ensemble: Ensemble, signals: Signals, take: Callable[[Event], None]) -> None:
        """Take an ensemble; ``take`` is called with each event."""
        self._ensemble = ensemble
        self._signals = signals
        self._take = take

    def wait(self, over: Callable[[], bool], limit_s: float) -> bool:
        """Hand events on until ``over()``; return False when ``limit_s`` has passed first or a signal came."""
        end_s = time.monotonic() + limit_s
        while time.monotonic() < end_s and not self._signals.stop:
            for event in self._ensemble.step(_LOOK_S):
                self._take(event)
            if over():
                return True
        return False

    def load(self) -> None:
        """Start the nodes and wait until a talk can begin."""
        follower, readiness = self._ensemble.follower, self._ensemble.readiness
        while not (follower.ready or follower.failure):
            time.sleep(_LOOK_S)
        if not self.wait(lambda: readiness.ready, _LOAD_S):
            raise SystemExit(f"not ready: {follower.failure or readiness.hindrance or readiness.waiting_for}")


@contextmanager
def running(question: Path, take: Callable[[Event], None], *, sound: bool = True, **given: str) -> Iterator[Graph]:
    """Run the nodes with ``question`` as the microphone and a file as the loudspeaker; stop them at the end."""
    os.environ["ROS_DOMAIN_ID"] = own_domain()
    signals = Signals()
    arguments = {
        "source": "file",
        "microphone_file": str(question),
        "sink": "file",
        "speaker_file": str(question.with_name("loudspeaker.wav")),
        "log_level": "warn",
        **given,
    }
    ensemble = Ensemble(resolve(arguments), signals, Console(), sound=sound)
    try:
        graph = Graph(ensemble, signals, take)
        graph.load()
        yield graph
        ensemble.stop(_LOOK_S)
    finally:
        ensemble.close()


def processes() -> dict[str, list[int]]:
    """Return the process of each node, by its name, and those that it started beside it, as /proc tells."""
    found: dict[str, list[int]] = {}
    for pid in children(os.getpid()):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        name = next((name for name in NODES if name.encode() in words), None)
        if name:
            found[name] = [pid]
            if started := children(pid):
                found[f"what {name} started"] = started
    return found


def children(pid: int) -> list[int]:
    """Return the processes that a process has started and that have not ended, as /proc tells."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(FileNotFoundError):  # a thread that has just ended
            found += map(int, (task / "children").read_text().split())
    return found


def resident_mib(pids: list[int]) -> float:
    """Return the resident memory of some processes together."""
    pages = sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in pids)
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def cpu_s(pids: list[int]) -> float:
    """Return the processor time that some processes have used together."""
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")
