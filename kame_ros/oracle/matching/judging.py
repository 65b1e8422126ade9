"""Deciding which entry was asked for, if any, from how near what was heard is to every wording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kame_ros.oracle.matching.entries import Kind

Array = NDArray[np.float32]


@dataclass(frozen=True)
class MatchSettings:
    """Chosen on test/oracle/data/development.yaml."""

    nearest: float = 0.45  # score from which an entry counts as meant
    slot_gain: float = 0.25  # closeness gained by a command whose slots were found
    no_slot_cost: float = 0.5  # closeness lost by a command whose slots were not found
    likeness_weight: float = 1.0  # of the classifier, beside the nearest wording
    unknown_closeness_weight: float = 0.6  # of the nearest example of the unknown
    unknown_likeness_weight: float = 0.6  # of the classifier's unknown
    soundalike_nearest: float = 0.9  # score from which words that sound like what was heard count as meant ...
    soundalike_heard: float = -0.2  # ... if what was heard had at least this score for their entry


@dataclass(frozen=True)
class Judged:
    """The best entry for one part of what was heard."""

    entry: int  # index of the entry
    kind: Kind
    score: float  # about 0 to 1
    accepted: bool


def score(near: Array, likeness: Array, settings: MatchSettings) -> Array:
    """Return the score of each entry from closeness and likeness of each, float32 [entries + 1], the unknown last."""
    unknown = settings.unknown_closeness_weight * max(0.0, float(near[-1]))
    unknown += settings.unknown_likeness_weight * max(0.0, float(likeness[-1]))
    scores: Array = near[:-1] + np.float32(settings.likeness_weight) * likeness[:-1] - np.float32(unknown)
    return scores


def judge(scores: Array, kinds: Sequence[Kind], settings: MatchSettings) -> Judged:
    """Return the best entry from the score of each."""
    entry = int(np.argmax(scores))
    best = float(scores[entry])
    return Judged(entry, kinds[entry], best, best >= settings.nearest)


def was_meant(judged: Judged, heard_scores: Array, settings: MatchSettings) -> bool:
    """Tell whether words that only sound like what was heard were meant.

    Then they are hardly other than a wording of their entry, and what was heard does not speak against that entry: who
    asks about the ferry does not mean the fire.
    """
    return judged.score >= settings.soundalike_nearest and heard_scores[judged.entry] >= settings.soundalike_heard


def decide(judged: Sequence[Judged]) -> int | None:
    """Return which of the parts of one turn to answer, whole first and in the order they were said; None: unknown.

    A fact or a command wins over small talk wherever it stands; small talk counts only as the whole or the last part,
    so that "Hello. How old is the mayor?" is not answered with a greeting.
    """
    accepted = [index for index, part in enumerate(judged) if part.accepted]
    serious = [index for index in accepted if judged[index].kind is not Kind.SMALL_TALK]
    answerable = serious or [index for index in accepted if index in (0, len(judged) - 1)]
    return max(answerable, key=lambda index: judged[index].score, default=None)
