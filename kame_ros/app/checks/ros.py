"""Whether ROS is here, and whether its middleware carries a frame from one process to another."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

from kame_ros.app.checks.finding import Finding, State, Values, missing
from kame_ros.app.environment import check_ros, variables
from kame_ros.app.error import KameError

_LIMIT_S = 20.0
_COMMAND = (sys.executable, "-m", "kame_ros.nodes.hop")


def check(_values: Values, discovery: str = "local") -> Iterator[Finding]:
    """Import ROS and our messages, and send one through the middleware that RMW_IMPLEMENTATION names."""
    try:
        check_ros()
    except KameError as error:
        yield missing("ROS", error, needed=True)
        yield missing("middleware", "not tried without ROS", needed=True)
        return
    yield Finding("ROS", State.WORKS, f"{os.environ.get('ROS_DISTRO', 'from wheels')}, Python {sys.version.split()[0]}")
    yield _middleware({**os.environ, **variables(discovery, os.environ)})


def _middleware(environment: dict[str, str]) -> Finding:
    part = "middleware"
    remedy = "try without RMW_IMPLEMENTATION and with another ROS_DOMAIN_ID; is /dev/shm full, or a firewall up?"
    sender = subprocess.Popen(
        [*_COMMAND, "send"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        taken = subprocess.run(
            [*_COMMAND, "take"], env=environment, capture_output=True, text=True, timeout=_LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return missing(part, f"no message came from another process within {_LIMIT_S:g} s", remedy, needed=True)
    finally:
        sender.kill()
        sender.wait()
    said = (taken.stdout if taken.returncode == 0 else taken.stderr).strip().splitlines()
    last = said[-1].rpartition("]: ")[2] if said else "it ended without a word"
    if taken.returncode:
        return missing(part, last, remedy, needed=True)
    return Finding(part, State.WORKS, last)
