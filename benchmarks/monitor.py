"""What the virtual loudspeaker plays, and when each sample of it came out."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from bisect import bisect_left

import numpy as np

from benchmarks.sound_server import LOUDSPEAKER, RATE_HZ, Pcm, SoundServer

_SAMPLE_BYTES = 2
_READ_BYTES = 65_536
# As long as PulseAudio's own block when nobody records: a quicker recorder would make the loudspeaker quicker.
_LATENCY_MS = 20


class Monitor:
    """Records the loudspeaker of ``server`` until it is closed; `played` and `time_ns` from any thread.

    A sample is told of when the recorder has it: up to 20 ms after the loudspeaker has played it, and never before.
    """

    def __init__(self, server: SoundServer) -> None:
        """Begin to record."""
        words = [f"--rate={RATE_HZ}", "--channels=1", "--format=s16le", "--raw", f"--latency-msec={_LATENCY_MS}"]
        command = ["parec", f"--device={LOUDSPEAKER}.monitor", *words]
        self._process = subprocess.Popen(command, env={**os.environ, **server.environment}, stdout=subprocess.PIPE)
        self._lock = threading.Lock()
        self._data = bytearray()
        self._arrivals: list[tuple[int, int]] = []  # samples there, and when
        self._thread = threading.Thread(target=self._run, name="monitor")
        self._thread.start()

    def _run(self) -> None:
        assert self._process.stdout
        while data := os.read(self._process.stdout.fileno(), _READ_BYTES):
            with self._lock:
                self._data += data
                self._arrivals.append((len(self._data) // _SAMPLE_BYTES, time.monotonic_ns()))

    @property
    def length(self) -> int:
        """Samples so far."""
        with self._lock:
            return len(self._data) // _SAMPLE_BYTES

    def played(self, first: int, end: int | None = None) -> Pcm:
        """Return the samples from ``first`` up to ``end``, or all that are there, 1-D int16."""
        with self._lock:
            last = len(self._data) // _SAMPLE_BYTES if end is None else end
            return np.frombuffer(bytes(self._data[first * _SAMPLE_BYTES : last * _SAMPLE_BYTES]), np.int16)

    def time_ns(self, sample: int) -> int:
        """Return when ``sample`` had come, on the steady clock."""
        with self._lock:
            return self._arrivals[bisect_left(self._arrivals, (sample + 1, 0))][1]

    def close(self) -> None:
        """End the recording."""
        self._process.terminate()
        self._process.wait()
        self._thread.join()
