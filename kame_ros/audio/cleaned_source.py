"""A source whose sound has been cleaned."""

from __future__ import annotations

import threading
from collections import deque

import numpy as np

from kame_ros.audio.cleaner import PIECE_SAMPLES, Cleaner
from kame_ros.audio.clock import duration_ns
from kame_ros.audio.echo_reference import EchoReference
from kame_ros.audio.pcm import Pcm
from kame_ros.audio.source import Block, Source


class CleanedSource:
    """Gives the blocks of another source without echo and noise; positions and stamps stay those of the samples.

    Without a cleaner the blocks pass as they are, and any thread may put another in its place.

    The cleaner wants 10 ms at a time, so that blocks of another length wait up to as long for the next. Muted blocks,
    a piece cut short by a gap, and sound without a capture time pass as they are: none of them holds an echo that could
    be known. Read by one thread.
    """

    def __init__(self, source: Source, cleaner: Cleaner | None, reference: EchoReference) -> None:
        """Take ``source`` and ``cleaner`` over, and close them at the end."""
        self._source = source
        self._cleaner = cleaner
        self._reference = reference
        self._ready: deque[Block] = deque()
        self._rest: Block | None = None
        self._lock = threading.Lock()  # for the cleaner: who reads cleans while it is held
        self._closed = False
        reference.begin()

    def clean_with(self, cleaner: Cleaner | None) -> None:
        """Clean what is read from now on with ``cleaner``, taken over, or not at all; the one before is closed."""
        with self._lock:
            before, self._cleaner = self._cleaner, cleaner
            if self._closed and cleaner:
                cleaner.close()
        if before:
            before.close()

    def read(self, timeout_s: float) -> Block | None:
        """Wait up to ``timeout_s`` for the next block; None: not yet. Raise `AudioError` when no more will come."""
        if not self._ready:
            block = self._source.read(timeout_s)
            if block:
                with self._lock:
                    self._take(block)
        return self._ready.popleft() if self._ready else None

    def _take(self, block: Block) -> None:
        rest, self._rest = self._rest, None
        if rest and not block.muted and rest.first_sample + len(rest.samples) == block.first_sample:
            block = _joined(rest, block)
        elif rest:
            self._ready.append(rest)
        if self._cleaner is None or block.muted or block.steady_ns is None:
            self._ready.append(block)
            return
        whole = len(block.samples) // PIECE_SAMPLES * PIECE_SAMPLES
        if whole < len(block.samples):
            self._rest = _part(block, whole, len(block.samples))
        if whole:
            self._ready.append(self._cleaned(self._cleaner, _part(block, 0, whole), block.steady_ns))

    def _cleaned(self, cleaner: Cleaner, block: Block, steady_ns: int) -> Block:
        pieces: list[Pcm] = []
        for start in range(0, len(block.samples), PIECE_SAMPLES):
            played = self._reference.take(block.first_sample + start, steady_ns + duration_ns(start), PIECE_SAMPLES)
            pieces.append(cleaner.clean(block.samples[start : start + PIECE_SAMPLES], played))
        # The cleaner is a little late: what comes out at a position was captured before what went in there.
        return Block(np.concatenate(pieces), block.first_sample, steady_ns - duration_ns(cleaner.delay_samples))

    def close(self) -> None:
        """Close the source and the cleaner; again does nothing."""
        self._source.close()
        self._closed = True
        self.clean_with(None)


def _part(block: Block, start: int, end: int) -> Block:
    steady_ns = None if block.steady_ns is None else block.steady_ns + duration_ns(start)
    return Block(block.samples[start:end], block.first_sample + start, steady_ns)


def _joined(rest: Block, block: Block) -> Block:
    # The newer stamp rests on more observations.
    steady_ns = None if block.steady_ns is None else block.steady_ns - duration_ns(len(rest.samples))
    return Block(np.concatenate((rest.samples, block.samples)), rest.first_sample, steady_ns)
