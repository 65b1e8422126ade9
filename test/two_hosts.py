"""Two hosts on one machine: network namespaces with a cable between them that can be pulled."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

_CARRIER_S = 10.0


def missing() -> str:
    """Return why no such hosts can be made here; empty: they can."""
    if shutil.which("ip") is None:
        return "the command ip (package iproute2)"
    if os.geteuid() != 0:
        return "root, who may make network namespaces"
    name = f"kame{os.getpid()}t"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True, check=False)
    if made.returncode:
        return f"network namespaces, which are refused here: {made.stderr.strip()}"
    _ip("netns", "delete", name)
    return ""


class TwoHosts:
    """The hosts 0 and 1, with the addresses 10.77.0.1 and 10.77.0.2."""

    def __init__(self) -> None:
        """Name them; `two_hosts` makes them."""
        self.names = [f"kame{os.getpid()}h{number}" for number in (0, 1)]
        self._ends = [f"kame{os.getpid() % 100_000}e{number}" for number in (0, 1)]

    def command(self, host: int, command: Sequence[str]) -> list[str]:
        """Return ``command`` as it runs on ``host``."""
        return ["ip", "netns", "exec", self.names[host], *command]

    def plug(self, *, connected: bool) -> None:
        """Pull the cable, or plug it in again."""
        _ip("-n", self.names[0], "link", "set", self._ends[0], "up" if connected else "down")

    def make(self) -> None:
        """Make hosts and cable."""
        for name in self.names:
            _ip("netns", "add", name)
        _ip("-n", self.names[0], "link", "add", self._ends[0], "type", "veth",
            "peer", "name", self._ends[1], "netns", self.names[1])  # fmt: skip
        for number, (name, end) in enumerate(zip(self.names, self._ends, strict=True), 1):
            _ip("-n", name, "address", "add", f"10.77.0.{number}/24", "dev", end)
            for device in ("lo", end):
                _ip("-n", name, "link", "set", device, "up")
        # The kernel tells of a carrier within a second, and DDS looks for interfaces once, at its start.
        end_s = time.monotonic() + _CARRIER_S
        while not all(map(self._has_carrier, (0, 1))) and time.monotonic() < end_s:
            time.sleep(0.05)

    def _has_carrier(self, host: int) -> bool:
        command = ["ip", "-n", self.names[host], "-brief", "link", "show", "dev", self._ends[host]]
        return " UP " in subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def remove(self) -> None:
        """Remove them; the cable goes with them."""
        for name in self.names:
            subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)


@contextmanager
def two_hosts() -> Iterator[TwoHosts]:
    """Give two hosts that are removed at the end."""
    hosts = TwoHosts()
    try:
        hosts.make()
        yield hosts
    finally:
        hosts.remove()


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)
