"""``kame run``: the four nodes, watched until they are told to stop."""

from __future__ import annotations

from collections.abc import Sequence

from kame_ros.app.arguments import parse
from kame_ros.app.console import Console
from kame_ros.app.ensemble import Ensemble
from kame_ros.app.settings import resolve
from kame_ros.app.signals import Signals

_LOOK_S = 0.2


def run(words: Sequence[str], signals: Signals) -> int:
    """Run the nodes with the arguments ``words``; return the exit code.

    It is 0 after a stop that was asked for, 2 when a node found its parameters wrong and none runs any more, and 1
    when none runs for another reason.
    """
    settings = resolve(parse(words))
    console = Console(on_closed=signals.request_stop)
    ensemble = Ensemble(settings, signals, console, sound=False)
    try:
        _watch(ensemble, signals, console)
        ensemble.stop(_LOOK_S)
    finally:
        ensemble.close()
    if signals.stop:
        return 0
    console.say("[kame] no node runs any more")
    return 2 if ensemble.fleet.refused else 1


def _watch(ensemble: Ensemble, signals: Signals, console: Console) -> None:
    """Say each time when a talk can begin, until a stop is asked for or no node is left."""
    were_ready: set[str] = set()
    while not signals.stop and not ensemble.fleet.finished:
        ensemble.step(_LOOK_S)
        ready = {talk.namespace for talk in ensemble.talks if talk.readiness.ready}
        for namespace in sorted(ready - were_ready):
            robot = f"{namespace} " if len(ensemble.talks) > 1 else ""
            console.say(f"[kame] {robot}ready: speak, or type with kame ask")
        were_ready = ready
