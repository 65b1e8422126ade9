"""How long Kyutai's recognisers take for a step (80 ms of sound) and for a reading at the end of speech, on this GPU.

    python -m benchmarks.recogniser_step [--steps 500] [--readings 20]

The weights are random, of the published sizes, in bfloat16: the time does not depend on their values. A step goes from
sound on the host to a token on the host; a reading is the silence that brings out the last words, with the memory of
the model copied before and put back after. `--tiny --device cpu` runs the same on a small model, to see that it works:
those times mean nothing. Whether a reading leaves the words after it alone is exact in float32 (`--dtype float32`) and
ends the program with 1 if not; in bfloat16 a GPU does not repeat itself to the last bit, so it is only told.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from benchmarks.random_model import TINY, TINY_CODEC, fill, random_moshi
from kame_ros.models.device import choose_device, choose_dtype, settle
from kame_ros.models.full_size import FULL_SIZE
from kame_ros.models.mimi import build_mimi
from kame_ros.models.step import STEP_SAMPLES
from kame_ros.models.tokenizer import Tokens
from kame_ros.oracle.transcribers.kyutai_model import KyutaiModel
from kame_ros.oracle.transcribers.speech_model import StepHeard
from kame_ros.oracle.transcribers.step_reader import StepReader

_EARS = {"dep_q": 0, "extra_heads_dim": 6}
_PUBLISHED = {**FULL_SIZE, **_EARS, "dim": 2048, "n_q": 32, "delays": [0] * 33, "max_period": 100_000.0}
_EN_FR = {"num_layers": 16, "num_heads": 16, "context": 750, "text_card": 8000, "extra_heads_num_heads": 4}
_EN = {"num_layers": 48, "num_heads": 32, "context": 375, "text_card": 4000}
SIZES: dict[str, tuple[dict[str, Any], float, float]] = {  # with the delay and the first silence, in seconds
    "stt-1b-en_fr": ({**_PUBLISHED, **_EN_FR}, 0.5, 0.0),
    "stt-2.6b-en": ({**_PUBLISHED, **_EN}, 2.5, 1.0),
}
_SMALL = {**TINY, **_EARS, "n_q": 8, "delays": [0] * 9, "extra_heads_num_heads": 4}


class _Numbers:
    """A tokenizer for random words."""

    def encode(self, text: str) -> Tokens:
        return Tokens(tuple(int(word) for word in text.split()), ())

    def decode(self, ids: Sequence[int]) -> str:
        return " ".join(map(str, ids))


def main() -> None:
    """Measure, print the table, and end with 1 where a reading changed what was read after it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--readings", type=int, default=20)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--dtype", default="auto")
    parser.add_argument("--tiny", action="store_true")
    chosen = parser.parse_args()
    rows = [
        measure(name, arguments, delay_s, silence_s, chosen) for name, (arguments, delay_s, silence_s) in SIZES.items()
    ]
    for row in rows:
        print(json.dumps(row))
    sys.exit(0 if all(row["equal_after_readings"] == 1.0 for row in rows if row["dtype"] == "float32") else 1)


def measure(
    name: str, arguments: dict[str, Any], delay_s: float, silence_s: float, chosen: argparse.Namespace
) -> dict[str, Any]:
    """Return the times of one model in milliseconds, and whether readings left its words alone."""
    device = choose_device(chosen.device, "--device", "measure on a machine that has one")
    settle(device)
    torch.manual_seed(1)
    dtype = choose_dtype(chosen.dtype, device, "--dtype")
    lm = random_moshi(_SMALL if chosen.tiny else arguments, device, dtype)
    mimi = fill(build_mimi(TINY_CODEC if chosen.tiny else None, lm.n_q), device)
    start_s = time.perf_counter()
    model = KyutaiModel(lm, mimi, _Numbers(), delay_s, silence_s)
    warm_s = time.perf_counter() - start_s
    noise = np.random.default_rng(1).normal(0, 3000, (chosen.steps, STEP_SAMPLES)).astype(np.int16)
    model.begin()
    steps_ms, words = [], []
    for sound in noise:
        start_s = time.perf_counter()
        words.append(model.step(sound))
        steps_ms.append((time.perf_counter() - start_s) * 1e3)
    reader = StepReader(model)
    readings_ms = []
    for sound in np.array_split(noise, chosen.readings):
        reader.hear(sound.ravel())
        start_s = time.perf_counter()
        reader.read(speech_ended=True)
        readings_ms.append((time.perf_counter() - start_s) * 1e3)
    # The sound again, with nothing before it and then with the readings that were made of it.
    model.begin()
    again = [model.step(sound) for sound in noise]
    reader.begin()
    read = []
    for number, sound in enumerate(noise):
        if number % (chosen.steps // chosen.readings) == 0:
            reader.read(speech_ended=True)
        read.append(model.step(sound))
    memory = torch.cuda.max_memory_reserved(device) / 1e9 if device.type == "cuda" else 0.0
    model.close()
    return {
        "model": name,
        "warm_up_s": round(warm_s, 1),
        "step_p50_ms": round(float(np.percentile(steps_ms, 50)), 2),
        "step_p99_ms": round(float(np.percentile(steps_ms, 99)), 2),
        "step_max_ms": round(max(steps_ms), 2),
        "reading_p50_ms": round(float(np.percentile(readings_ms, 50)), 1),
        "reading_max_ms": round(max(readings_ms), 1),
        "memory_gb": round(memory, 1),
        "dtype": str(dtype).removeprefix("torch."),
        "equal_again": _equal(words, again),
        "equal_after_readings": _equal(words, read),
    }


def _equal(one: Sequence[StepHeard], other: Sequence[StepHeard]) -> float:
    """Return the share of steps that wrote the same token."""
    return float(np.mean([first.token == second.token for first, second in zip(one, other, strict=True)]))


if __name__ == "__main__":
    main()
