"""From words that were heard to the entry of the knowledge file that they ask for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from kame_ros.oracle.matching.classifier import Classifier
from kame_ros.oracle.matching.doubt import Doubt
from kame_ros.oracle.matching.embedding import Embedder
from kame_ros.oracle.matching.entries import Contents, Entry, named
from kame_ros.oracle.matching.judging import Array, Judged, MatchSettings, decide, judge, score, was_meant
from kame_ros.oracle.matching.misheard import misheard
from kame_ros.oracle.matching.slots import SlotFinder, blank_out, chosen
from kame_ros.oracle.matching.soundalike import Soundalikes
from kame_ros.oracle.matching.wording import parts, without


@dataclass(frozen=True)
class Match:
    """The entry that was asked for."""

    entry: Entry
    score: float  # up to 1
    values: Mapping[str, str] = field(default_factory=dict)  # of the slots that were found
    sure: bool = True  # False: a command that was denied or put right in the same breath

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
        self._doubt = Doubt(contents, self._slots)
        examples = [(index, text) for index, entry in enumerate(contents.entries) for text in entry.ask]
        examples += [(len(contents.entries), text) for text in contents.unknown_examples]
        self._kinds = [entry.kind for entry in contents.entries]
        self._texts = [without(named(text), contents.filler) for _, text in examples]
        self._soundalikes = Soundalikes(self._texts)
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
        heard_parts = parts(heard)
        best = [self._best(without(part, self._contents.filler)) for part in heard_parts]
        chosen_part = decide([judged for _, judged in best])
        if chosen_part is None:
            return None
        reading, judged = best[chosen_part]
        entry = self._contents.entries[judged.entry]
        sure = not self._doubt.about(entry, heard[heard.index(heard_parts[chosen_part]) :])
        return Match(entry, min(1.0, judged.score), reading.values.get(entry.slots, {}), sure)

    def _best(self, text: str) -> tuple[_Reading, Judged]:
        """Return how ``text`` is best read: as it was heard, or with a word that sounds like one of its words."""
        readings = [self._read(text), *(self._read(other) for other in self._soundalikes.readings(text))]
        near, likeness = self._compare([text for reading in readings for text in reading.texts])
        ends = np.cumsum([len(reading.texts) for reading in readings])
        scores = [
            self._scores(reading, near[end - len(reading.texts) : end], likeness[end - len(reading.texts) : end])
            for reading, end in zip(readings, ends, strict=True)
        ]
        judged = [judge(each, self._kinds, self._settings) for each in scores]
        meant = [0, *(index for index in range(1, len(judged)) if was_meant(judged[index], scores[0], self._settings))]
        best = max(meant, key=lambda index: judged[index].score)
        return readings[best], judged[best]

    def _read(self, text: str) -> _Reading:
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

    def _scores(self, reading: _Reading, near: Array, likeness: Array) -> Array:
        """Return the score of each entry from closeness and likeness of the reading's texts, [texts, entries + 1]."""
        near_each, likeness_each = near[0].copy(), likeness[0].copy()
        for slots, entries in self._entries_with.items():
            if slots in reading.values:
                row = 1 + list(reading.values).index(slots)
                near_each[entries] = near[row, entries] + self._settings.slot_gain
                likeness_each[entries] = likeness[row, entries]
            else:
                near_each[entries] -= self._settings.no_slot_cost
        return score(near_each, likeness_each, self._settings)


@dataclass(frozen=True)
class _Reading:
    """One part of what was heard: as it is, then once for each set of slots whose values are all in it, blanked out."""

    texts: tuple[str, ...]
    values: Mapping[tuple[str, ...], Mapping[str, str]]  # set of slots -> slot -> value
