"""From words that were heard to the entry of the knowledge file that they ask for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from kame_ros.oracle.classifier import Classifier
from kame_ros.oracle.embedding import Embedder
from kame_ros.oracle.entries import Contents, Entry, named
from kame_ros.oracle.matching import Array, Judged, MatchSettings, decide, judge
from kame_ros.oracle.misheard import misheard
from kame_ros.oracle.slots import SlotFinder, blank_out, chosen
from kame_ros.oracle.wording import parts, without


@dataclass(frozen=True)
class Match:
    """The entry that was asked for."""

    entry: Entry
    score: float  # up to 1
    values: Mapping[str, str] = field(default_factory=dict)  # of the slots that were found

    @property
    def complete(self) -> bool:
        """Whether every slot of the entry has a value."""
        return all(slot in self.values for slot in self.entry.slots)


class Matcher:
    """Knows every wording of a knowledge file by meaning and spelling; one thread at a time."""

    def __init__(self, contents: Contents, embedder: Embedder, settings: MatchSettings | None = None) -> None:
        """Embed all wordings, which takes about 3 ms each."""
        self._contents = contents
        self._embedder = embedder
        self._settings = settings or MatchSettings()
        self._slots = SlotFinder(contents.slots)
        examples = [(index, text) for index, entry in enumerate(contents.entries) for text in entry.ask]
        examples += [(len(contents.entries), text) for text in contents.unknown_examples]
        self._kinds = [entry.kind for entry in contents.entries]
        self._texts = [without(named(text), contents.filler) for _, text in examples]
        self._vectors = embedder.embed(self._texts)
        classes = np.array([index for index, _ in examples], np.intp)
        self._classifier = Classifier(self._vectors, classes, len(contents.entries) + 1)
        self._near = self._vectors @ self._vectors.T
        self._likeness = self._classifier.likeness(self._vectors)
        self._examples_of = [np.flatnonzero(classes == index) for index in range(len(contents.entries) + 1)]
        self._entries_with: dict[tuple[str, ...], list[int]] = {}
        for index, entry in enumerate(contents.entries):
            if entry.slots:
                self._entries_with.setdefault(entry.slots, []).append(index)

    def match(self, heard: str) -> Match | None:
        """Return what ``heard`` asks for, None if it is nothing that the file knows."""
        readings = [self._read(part) for part in parts(heard)]
        if not readings:
            return None
        texts = [text for reading in readings for text in reading.texts]
        near, likeness = self._compare(texts)
        judged: list[Judged] = []
        row = 0
        for reading in readings:
            rows = slice(row, row + len(reading.texts))
            judged.append(self._judge(reading, near[rows], likeness[rows]))
            row = rows.stop
        best = decide(judged)
        if best is None:
            return None
        entry = self._contents.entries[judged[best].entry]
        return Match(entry, min(1.0, judged[best].score), readings[best].values.get(entry.slots, {}))

    def _read(self, part: str) -> _Reading:
        text = without(part, self._contents.filler)
        words = text.split()
        found = self._slots.find(words)
        texts, values = [text], {}
        for slots in self._entries_with:
            best = chosen(found, slots)
            if len(best) == len(slots):
                texts.append(blank_out(words, best.values()))
                values[slots] = {slot: value.value for slot, value in best.items()}
        return _Reading(tuple(texts), values)

    def _compare(self, texts: list[str]) -> tuple[Array, Array]:
        """Return closeness and likeness of each text to each entry, [texts, entries + 1], the unknown last."""
        vectors = self._embedder.embed(texts)
        near = vectors @ self._vectors.T
        likeness = self._classifier.likeness(vectors)
        for row, text in enumerate(texts):
            match misheard(text, self._texts):
                case wording, nearness if nearness > near[row].max():
                    # Then that wording was said, and its meaning counts.
                    near[row] = nearness * self._near[wording]
                    likeness[row] = nearness * self._likeness[wording]
        return self._of_entries(near), likeness

    def _of_entries(self, near: Array) -> Array:
        """Return the closeness of each entry's nearest wording, [texts, entries + 1], the unknown last."""
        result = np.full((len(near), len(self._examples_of)), -1, np.float32)
        for index, examples in enumerate(self._examples_of):
            if examples.size:
                result[:, index] = near[:, examples].max(axis=1)
        return result

    def _judge(self, reading: _Reading, near: Array, likeness: Array) -> Judged:
        near_each, likeness_each = near[0].copy(), likeness[0].copy()
        for slots, entries in self._entries_with.items():
            if slots in reading.values:
                row = 1 + list(reading.values).index(slots)
                near_each[entries] = near[row, entries] + self._settings.slot_gain
                likeness_each[entries] = likeness[row, entries]
            else:
                near_each[entries] -= self._settings.no_slot_cost
        return judge(near_each, likeness_each, self._kinds, self._settings)


@dataclass(frozen=True)
class _Reading:
    """One part of what was heard: as it is, then once for each set of slots whose values are all in it, blanked out."""

    texts: tuple[str, ...]
    values: Mapping[tuple[str, ...], Mapping[str, str]]  # set of slots -> slot -> value
