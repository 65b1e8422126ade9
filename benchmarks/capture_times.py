"""How far the capture times of a sound card's samples are from the truth.

    python -m benchmarks.capture_times [--seconds 30]

A null sink's monitor cannot tell: it gives a sample up to 50 ms before the sink plays it. So the sound server has a
source that is written to as a card would: samples at their own rate, in pieces of 5 ms, each when its last sample is
over. Now and then one is a click, whose time is written down. The microphone's streams are opened on that source.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.sound_server import Pcm, SoundServer, SoundServerError, missing, serving
from kame_ros.audio.clock import SECOND_NS, SteadyClock, duration_ns
from kame_ros.audio.input_device import InputDevice
from kame_ros.audio.pcm import SAMPLE_RATE_HZ

_SOURCE = "clicks"
_PIECE_S = 0.005
_FIRST_PIECE, _PIECES_APART = 100, 61  # 0.305 s, so that clicks fall anywhere within a block
_START_S = 10.0
_LOUD = 20_000
_HEARD = 3_000
_OFF_NS = SECOND_NS // 8


@dataclass(frozen=True)
class ClickingSource:
    """A source of the sound server that clicks at known times."""

    environment: dict[str, str]
    """What a process needs to listen to it."""
    file: Path

    def times_ns(self) -> NDArray[np.int64]:
        """Return when the clicks so far were captured, on the steady clock."""
        return np.array([int(line) for line in self.file.read_text().split()], np.int64)


@contextmanager
def clicking(server: SoundServer, rate_hz: int) -> Iterator[ClickingSource]:
    """Give ``server`` a source of ``rate_hz`` that clicks."""
    with tempfile.TemporaryDirectory(prefix="kame-clicks-") as name:
        pipe, times = Path(name) / "pipe", Path(name) / "times"
        times.touch()
        server.load("module-pipe-source", source_name=_SOURCE, file=pipe, rate=rate_hz, channels=1, format="s16le")
        environment = {**server.environment, "PULSE_SOURCE": _SOURCE}
        command = [sys.executable, "-m", "benchmarks.capture_times", "--click", str(pipe), str(times), str(rate_hz)]
        # Nothing is read from the pipe while nobody listens, and what had gathered in it would be late ever after.
        listener = subprocess.Popen(
            ["parec", "--raw"], env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        _wait_until_heard(server)
        clicker = subprocess.Popen(command)
        try:
            yield ClickingSource(environment, times)
        finally:
            for process in (clicker, listener):
                process.terminate()
                process.wait()


def _wait_until_heard(server: SoundServer) -> None:
    end_s = time.monotonic() + _START_S
    while not re.search(rf"{_SOURCE}\b.*RUNNING", server.control("list", "short", "sources")):
        if time.monotonic() > end_s:
            raise SoundServerError("nobody listens to the source that clicks")
        time.sleep(0.05)


def click(pipe: Path, times: Path, rate_hz: int) -> None:
    """Write noise with clicks into ``pipe`` until the process is ended, and their times into ``times``."""
    rng = np.random.default_rng(1)
    with pipe.open("wb", buffering=0) as sound, times.open("w", buffering=1) as told:
        start_ns, end = time.monotonic_ns(), 0
        for piece in range(1, sys.maxsize):
            first, end = end, round(piece * _PIECE_S * rate_hz)
            samples = rng.integers(-20, 20, end - first).astype(np.int16)
            if piece > _FIRST_PIECE and piece % _PIECES_APART == 0:
                samples[0] = _LOUD
                told.write(f"{start_ns + duration_ns(first, rate_hz)}\n")
            late_s = (time.monotonic_ns() - start_ns) / SECOND_NS - piece * _PIECE_S
            time.sleep(max(0.0, -late_s))
            sound.write(samples.tobytes())


def errors_ms(true_ns: NDArray[np.int64], blocks: list[tuple[int, Pcm]]) -> list[float]:
    """Return by how much each click is told too late; ``blocks`` are capture time and samples, 24 kHz."""
    errors = []
    for steady_ns, samples in blocks:
        loudest = int(np.abs(samples.astype(np.int32)).argmax())
        if abs(int(samples[loudest])) < _HEARD:
            continue
        told_ns = steady_ns + duration_ns(loudest)
        nearest = true_ns[np.abs(true_ns - told_ns).argmin()]
        if abs(told_ns - nearest) < _OFF_NS:
            errors.append((told_ns - int(nearest)) / 1e6)
    return errors


def measure(rate_hz: int, block_ms: int, seconds: float) -> list[float]:
    """Return the errors, milliseconds, of a stream with blocks of ``block_ms`` from a card of ``rate_hz``."""
    with serving() as server, clicking(server, rate_hz) as source:
        os.environ.update(source.environment)
        device = InputDevice("pulse", SteadyClock(), block_s=block_ms / 1000)
        blocks = []
        end_s = time.monotonic() + seconds
        while time.monotonic() < end_s:
            block = device.read(0.1)
            if block and block.steady_ns is not None:
                blocks.append((block.steady_ns, block.samples))
        device.close()
        return errors_ms(source.times_ns(), blocks)


def row(rate_hz: int, block_ms: int, seconds: float) -> str:
    """Measure, and lay it out as a row of the table."""
    errors = measure(rate_hz, block_ms, seconds)
    spread = " | ".join(f"{value:+.1f}" for value in np.percentile(errors, [0, 50, 100]))
    return f"| {rate_hz} Hz | {block_ms} ms | {len(errors)} | {spread} |"


def main() -> None:
    """Print a row for each rate and length of block."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seconds", type=float, default=30.0, help="length of each row's stream")
    chosen = options.parse_args()
    if why := missing():
        raise SystemExit(f"no sound server here: {why}")
    print("| card | block | clicks | earliest, ms | median, ms | latest, ms |\n|---|---|---|---|---|---|", flush=True)
    for rate_hz in (16_000, SAMPLE_RATE_HZ, 44_100, 48_000):
        for block_ms in (10, 20):
            # PulseAudio's library keeps its first server for good: a process for each.
            command = [sys.executable, "-m", "benchmarks.capture_times", "--row", f"{rate_hz}", f"{block_ms}"]
            subprocess.run([*command, f"{chosen.seconds}"], check=True, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--click", pipe, times, rate]:
            click(Path(pipe), Path(times), int(rate))
        case ["--row", rate, block, length]:
            print(row(int(rate), int(block), float(length)))
        case _:
            main()
