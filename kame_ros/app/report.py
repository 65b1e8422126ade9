"""Makes the report of a talk: what was said, and how long each step took after the end of speech."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kame_ros.app.record import TalkRecord, Turn
from kame_ros.nodes.events import Answered, Spoke, Transcribed

STEPS = ("final", "first_oracle", "oracle_complete", "first_sound")
_REPLACEABLE = (("oracle_bridge", "transcriber"), ("oracle_bridge", "backend"))
_NAMES = ("final transcript", "first oracle", "oracle complete", "first sound played")


def latencies_s(turn: Turn) -> dict[str, float | None]:
    """Return the time of each step after the end of the user's speech, seconds.

    Below zero: it came while the user still spoke. None: it did not come, or the turn was typed.
    """
    times_ns = (turn.final_ns, turn.first_oracle_ns, turn.oracle_complete_ns, turn.first_sound_ns)
    return {
        f"{step}_s": None if time_ns is None or turn.speech_end_ns is None else (time_ns - turn.speech_end_ns) / 1e9
        for step, time_ns in zip(STEPS, times_ns, strict=True)
    }


def report(record: TalkRecord, missing: str, about: Mapping[str, Any]) -> dict[str, Any]:
    """Return the report as what JSON can hold; ``about`` says what was run, and stands at its beginning.

    Times ``at_s`` are seconds since the microphone gave its first sound.
    """
    start_ns = record.listening_ns or 0
    return {
        **about,
        "frontend": record.frontend,
        "succeeded": not missing,
        "missing": missing or None,
        "played_s": record.played_samples / 24000,
        "turns": [_turn(turn, start_ns) for turn in record.turns],
        "parts": {
            f"{node}: {part}": {"level": ("good", "warning", "error")[min(told.level, 2)], "message": told.message}
            for (node, part), told in sorted(record.parts.items())
        },
        "replaced": replaced(record),
    }


def replaced(record: TalkRecord) -> list[str]:
    """Return which parts are the next best and why, a line each, as their nodes tell it."""
    told = [record.parts[part].message for part in _REPLACEABLE if part in record.parts and record.parts[part].level]
    return [*told, record.remark] if record.remark else told


def _turn(turn: Turn, start_ns: int) -> dict[str, Any]:
    def told(texts: Sequence[Transcribed | Answered | Spoke]) -> list[dict[str, Any]]:
        return [
            {
                "revision": one.revision,
                "at_s": (one.at_ns - start_ns) / 1e9,
                "status": one.status.name.lower(),
                "text": one.text,
            }
            for one in texts
        ]

    return {
        "session": turn.session,
        "turn": turn.number,
        "user": turn.text,
        "oracle": turn.answer,
        "robot": turn.speech[-1].text if turn.speech else "",
        "latencies_s": latencies_s(turn),
        "backend": turn.oracles[-1].backend if turn.oracles else "",
        "intents": [{"intent": one.intent, "data": one.data} for one in turn.intents],
        "transcripts": told(turn.transcripts),
        "oracles": told(turn.oracles),
        "speech": told(turn.speech),
    }


def table(record: TalkRecord) -> list[str]:
    """Return the latencies of every turn that was understood, as lines for a person."""
    lines: list[str] = []
    for turn in record.turns:
        if turn.text:
            lines.append(f'"{turn.text}"')
            lines += [
                f"  {name:<20}{_shown(value)}" for name, value in zip(_NAMES, latencies_s(turn).values(), strict=True)
            ]
    return lines


def _shown(value: float | None) -> str:
    if value is None:
        return "     -"
    return f"{value:6.2f} s after the end of speech" if value >= 0 else f"{-value:6.2f} s before the end of speech"
