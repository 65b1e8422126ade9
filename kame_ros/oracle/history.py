"""The talk so far as backends want it: strictly alternating, nothing empty, not too long."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kame_ros.oracle.backend import Said, Speaker


def alternating(talk: Iterable[Said]) -> tuple[Said, ...]:
    """Return ``talk`` alternating from the user on: empty texts dropped, neighbours of one speaker merged."""
    result: list[Said] = []
    for said in talk:
        text = said.text.strip()
        if not text or (not result and said.speaker is Speaker.ROBOT):
            continue
        if result and result[-1].speaker is said.speaker:
            result[-1] = Said(said.speaker, f"{result[-1].text} {text}")
        else:
            result.append(Said(said.speaker, text))
    return tuple(result)


def newest(talk: Sequence[Said], characters: int) -> tuple[Said, ...]:
    """Return the newest whole exchanges (user, then robot) of an alternating ``talk`` that fit into ``characters``."""
    start = len(talk)
    room = characters
    for index in range(len(talk) - 1, -1, -1):
        room -= len(talk[index].text)
        if room < 0:
            break
        if talk[index].speaker is Speaker.USER:
            start = index
    return tuple(talk[start:])
