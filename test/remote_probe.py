"""Follows a dialogue on another host: events as lines of JSON; a line on standard input is typed as the user."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Any

from kame_ros.nodes.events import Event, Sounded
from kame_ros.nodes.observer import Observer


def write(told: dict[str, Any]) -> None:
    """Write a line."""
    sys.stdout.write(f"{json.dumps(told, default=str)}\n")
    sys.stdout.flush()


def tell(event: Event) -> None:
    """Write ``event``; of sound only where it is and how loud."""
    told: dict[str, Any] = {"kind": type(event).__name__, **asdict(event)}
    if isinstance(event, Sounded):
        told |= {"samples": len(event.samples), "peak": int(abs(event.samples.astype(int)).max(initial=0))}
    write(told)


if __name__ == "__main__":
    observer = Observer(tell)
    for line in sys.stdin:
        accepted = observer.ask(line.strip(), 20.0).result().accepted
        write({"kind": "Asked", "accepted": accepted})
    observer.close()
