"""The loudspeaker's buffer: what is taken, what is refused, and what has been played of each generation."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from kame_ros.audio.framing import SampleOrder
from kame_ros.audio.pcm import Pcm
from kame_ros.audio.playout_latency import PlayoutLatency
from kame_ros.audio.stretching import REACH, stretch

_QUIET = 100  # of full scale 32,768: 50 dB below it


@dataclass(frozen=True)
class PlayedBlock:
    """One block for the device."""

    samples: Pcm
    """1-D int16: speech of one generation, then zeros to the block's end; or zeros alone."""
    generation: int
    """The generation that the speech belongs to; 0: silence."""
    speech_samples: int
    """How many of the samples are speech."""


@dataclass(frozen=True)
class PlayoutState:
    """What has been played so far."""

    session: int
    generation: int
    """Being played, or the last one that was; 0: none yet in this session."""
    playing: bool
    """True while speech of that generation is given out."""
    played_samples: int
    """Of that generation."""
    buffered_samples: int
    """Taken and not played yet, of all generations."""
    underruns: int
    """Times the buffer ran empty inside a generation."""
    flushed: bool
    """True when speech of that generation was dropped by an interruption."""


@dataclass
class PlayoutCounters:
    """What was not played, in samples, since the start."""

    other_session: int = 0
    stale_generation: int = 0
    flushed: int = 0
    overflow: int = 0


@dataclass
class _Generation:
    number: int
    pieces: deque[Pcm] = field(default_factory=deque)
    samples: int = 0
    idle_samples: int = 0
    """Played time since its newest piece came, while it waits to start."""
    tail: Pcm = field(default_factory=lambda: np.zeros(REACH, np.int16))
    """What was taken last."""

    def next(self, count: int) -> Pcm:
        """Return the next ``count`` samples, or all that there are, and leave them here."""
        found, pieces = 0, [np.zeros(0, np.int16)]
        for piece in self.pieces:
            if found >= count:
                break
            pieces.append(piece[: count - found])
            found += len(pieces[-1])
        return np.concatenate(pieces)

    def take(self, count: int) -> Pcm:
        """Take the next ``count`` samples, or all that there are, out."""
        samples = self.next(count)
        missing = len(samples)
        self.samples -= missing
        while missing:
            piece = self.pieces.popleft()
            if missing < len(piece):
                self.pieces.appendleft(piece[missing:])
            missing -= min(missing, len(piece))
        self.tail = np.concatenate((self.tail, samples))[-REACH:]
        return samples


class Playout:
    """Takes speech in as it comes and gives it out in blocks, each sample of each generation once and in order.

    A generation starts when ``prefill_samples`` of it are there, or a later one is behind it, or nothing more came for
    as long as the prefill lasts; so it does again after it ran dry. That it ran dry inside, and not at its end, is
    known, and counted as an underrun, only when more of it comes. Pulled samples are the only time here. No thread.

    A ``latency`` decides the prefill instead, and has speech played a little faster or slower: then a block holds a few
    samples more or less than its length, and they count as played.
    """

    def __init__(self, prefill_samples: int, capacity_samples: int, latency: PlayoutLatency | None = None) -> None:
        """Start without a session (0), silent."""
        self._fixed_prefill_samples = prefill_samples
        self._latency = latency
        self._capacity_samples = capacity_samples
        self.counters = PlayoutCounters()
        self.order = SampleOrder()
        self._underruns = 0
        self._session = 0
        self._clear()

    def _clear(self) -> None:
        self._begun = False
        self._waiting: deque[_Generation] = deque()
        self._buffered = 0
        self._newest = 0
        self._flushed_up_to = 0
        self._generation = 0
        self._playing = False
        self._played = 0
        self._ran_dry = False
        self._flushed = False

    def gather(self, prefill_samples: int, longest_samples: int) -> None:
        """Gather so much before a generation starts, from now on; a latency up to ``longest_samples``."""
        self._fixed_prefill_samples = prefill_samples
        if self._latency:
            self._latency.gather(prefill_samples, longest_samples)

    def start_session(self, session: int) -> None:
        """Take speech of ``session`` only, from now on; what waits of another is dropped and never heard."""
        if session != self._session:
            self._session = session
            self.counters.other_session += self._buffered
            self._clear()

    def push(self, session: int, stream: int, first_sample: int, generation: int, samples: Pcm) -> int:
        """Take a piece in (1-D int16, at ``first_sample`` of the sender's ``stream``); return how much of it was taken.

        The rest is counted: of another session, there already, of a dropped or earlier generation, or beyond capacity.
        """
        if session != self._session:
            self.counters.other_session += len(samples)
            return 0
        verdict = self.order.feed(stream, first_sample, len(samples))
        if verdict.new_stream and self._begun:
            # The sender has restarted: its generations count from 1 again.
            self.counters.flushed += self._buffered
            self._clear()
        self._begun = True
        samples = samples[verdict.drop_samples :]
        if generation <= self._flushed_up_to or generation < self._newest:
            self.counters.stale_generation += len(samples)
            self._flushed |= generation == self._generation and generation <= self._flushed_up_to
            return 0
        room = self._capacity_samples - self._buffered
        self.counters.overflow += max(0, len(samples) - room)
        samples = samples[:room]
        if len(samples):
            self._append(generation, samples)
        return len(samples)

    def _append(self, generation: int, samples: Pcm) -> None:
        if not self._waiting or self._waiting[-1].number != generation:
            self._waiting.append(_Generation(generation))
        newest = self._waiting[-1]
        newest.pieces.append(samples.copy())
        newest.samples += len(samples)
        newest.idle_samples = 0
        self._newest = generation
        self._buffered += len(samples)
        if self._ran_dry and generation == self._generation:
            self._underruns += 1
            self._ran_dry = False
            if self._latency:
                self._latency.ran_dry()

    def pull(self, count: int) -> PlayedBlock:
        """Give out the next block of ``count`` samples, silence when nothing is to be played; never waits."""
        out = np.zeros(count, np.int16)
        if self._playing and not self._waiting[0].samples:
            self._run_dry()
        if not self._playing and not self._start():
            if self._waiting:
                self._waiting[0].idle_samples += count
            return PlayedBlock(out, 0, 0)
        current = self._waiting[0]
        samples = self._take(current, count)
        out[: len(samples)] = samples
        if len(samples) < count:
            self._run_dry()
        return PlayedBlock(out, current.number, len(samples))

    def _take(self, current: _Generation, count: int) -> Pcm:
        """Take a block's speech, shorter only at its end; of a few samples more or fewer where the latency wants it."""
        taken = count
        ahead = current.next(2 * count + REACH)
        if self._latency and len(self._waiting) == 1:
            self._latency.observe(max(0, current.samples - count), count)
            if len(ahead) == 2 * count + REACH:
                taken += self._latency.change(count, quiet=bool(ahead.max() < _QUIET and ahead.min() > -_QUIET))
        before = current.tail
        samples = current.take(taken)
        self._buffered -= len(samples)
        self._played += len(samples)
        return samples if taken == count else stretch(before, samples, ahead[taken : taken + REACH], count)

    def _run_dry(self) -> None:
        self._waiting.popleft()
        self._playing = False
        self._ran_dry = True

    def _start(self) -> bool:
        if not self._waiting:
            return False
        first = self._waiting[0]
        prefill_samples = self._latency.prefill_samples if self._latency else self._fixed_prefill_samples
        ready = first.samples >= prefill_samples or len(self._waiting) > 1
        if not ready and first.idle_samples < prefill_samples:
            return False
        if first.number != self._generation:
            self._enter(first.number)
        self._playing = True
        self._ran_dry = False
        return True

    def _enter(self, generation: int) -> None:
        self._generation = generation
        self._played = 0
        self._flushed = False
        if self._latency:
            self._latency.begin()

    def flush(self, session: int, up_to_generation: int) -> bool:
        """Drop every generation up to ``up_to_generation``, also what comes of it later; False: not this session's."""
        if session != self._session:
            return False
        self._flushed_up_to = max(self._flushed_up_to, up_to_generation)
        while self._waiting and self._waiting[0].number <= self._flushed_up_to:
            dropped = self._waiting.popleft()
            self._buffered -= dropped.samples
            self.counters.flushed += dropped.samples
            if dropped.number != self._generation:
                self._enter(dropped.number)
            self._flushed = True
            self._playing = False
            self._ran_dry = False
        return True

    def take_back(self, count: int) -> None:
        """Count ``count`` samples of the generation as not played: the device let them go unheard, and cut its end."""
        self._played = max(0, self._played - count)
        self._flushed |= count > 0

    def give_up(self) -> None:
        """Drop every generation that waits, as an interruption does: there is nothing to play it on."""
        if self._waiting:
            self.flush(self._session, self._newest)

    @property
    def state(self) -> PlayoutState:
        """What has been played so far."""
        return PlayoutState(
            session=self._session,
            generation=self._generation,
            playing=self._playing,
            played_samples=self._played,
            buffered_samples=self._buffered,
            underruns=self._underruns,
            flushed=self._flushed,
        )
