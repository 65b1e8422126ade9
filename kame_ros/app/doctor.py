"""``kame doctor``: a table of what works on this machine, and what to do about the rest."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from kame_ros.app.arguments import parse
from kame_ros.app.checks import gpu, keys, ros, sound, weights
from kame_ros.app.checks.finding import Check, Finding, State, Values
from kame_ros.app.settings import Settings, resolve
from kame_ros.app.signals import Signals
from kame_ros.nodes.parameters import NODES

_WIDTH = 100
_PART = 24
_STATE = 10


def doctor(words: Sequence[str], signals: Signals) -> int:
    """Print what `kame run` with the same arguments would find; return 0 when all that it needs works.

    Otherwise, and when it was stopped before the end, return 1.

    Raises:
        KameError: an argument is wrong.
    """
    settings = resolve(parse(words))
    checks: tuple[Check, ...] = (
        sound.check,
        gpu.check,
        weights.check,
        keys.check,
        lambda values: ros.check(values, settings.discovery),
    )
    values = all_values(settings)
    print("\n".join(row("part", "state", "what is there, and -> what to do")))
    fails = 0
    for check in checks:
        for finding in check(values):
            if signals.stop:
                print("stopped before the end")
                return 1
            fails += finding.state is State.FAILS
            # At once: some take seconds.
            print("\n".join(lines(finding)), flush=True)
    print(summary(fails))
    return 1 if fails else 0


def all_values(settings: Settings) -> Values:
    """Return the value of every parameter: what was given, else the table's default."""
    return {
        node: {**{parameter.name: parameter.default for parameter in table}, **settings.parameters[node]}
        for node, table in NODES.items()
    }


def lines(finding: Finding) -> list[str]:
    """Return the finding's row of the table, wrapped, with what to do below."""
    return row(finding.part, finding.state.value, finding.told, *([f"-> {finding.remedy}"] if finding.remedy else []))


def row(part: str, state: str, *texts: str) -> list[str]:
    """Return a row of the table, with each of the ``texts`` on lines of its own."""
    wrapped = [line for text in texts for line in _wrapped(text)]
    indent = " " * (_PART + _STATE)
    return [f"{part:<{_PART}}{state:<{_STATE}}{wrapped[0]}", *(indent + line for line in wrapped[1:])]


def _wrapped(text: str) -> Iterable[str]:
    return textwrap.wrap(text, _WIDTH - _PART - _STATE, break_long_words=False, break_on_hyphens=False) or [""]


def summary(fails: int) -> str:
    """Return the last line."""
    if fails:
        return f"of what kame run needs, {fails} fail{'s' * (fails == 1)}; the nodes start all the same and tell it"
    return "all that kame run needs works"
