"""Measures the step of the full-size model for one number of sessions, in a process of its own (see `tandem_step`)."""

from __future__ import annotations

import gc
import json
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

import moshi
import numpy as np
import torch
from moshi.models import LMGen

from benchmarks.random_model import TINY, TINY_CODEC, random_codec, random_kame, random_moshi
from kame_ros.frontend.tandem.lm_step import LmStep
from kame_ros.frontend.tandem.sampling import Sampling
from kame_ros.frontend.tandem.step_layer import quicken
from kame_ros.frontend.tandem.stepper import Stepper
from kame_ros.models.full_size import FULL_SIZE
from kame_ros.models.step import AUDIO_CODEBOOKS, STEP_SAMPLES
from kame_ros.models.step_graph import StepGraph

DEADLINE_MS = 80.0
_WARM_UP_STEPS = 8  # beyond what compiles and captures
_PART_SHARE = 0.2
_BLOCK_BYTES = 4 << 30
_COPIES = 10
_PROFILED_STEPS = 5
_LISTED_KERNELS = 40


class Measurement:
    """One model size, device and number of sessions; each measuring method stands for itself."""

    def __init__(self, order: dict[str, Any]) -> None:
        """Take what the command line asks for."""
        self.sessions = int(order["sessions"])
        self.steps = int(order["steps"])
        self.device = torch.device(order["device"])
        self.dtype = torch.bfloat16 if self.device.type == "cuda" else torch.float32
        self.lm_arguments = dict(TINY if order["tiny"] else FULL_SIZE)
        if order["context"]:
            self.lm_arguments["context"] = order["context"]
        self.codec_arguments = TINY_CODEC if order["tiny"] else None
        self.tiny = bool(order["tiny"])
        if self.device.type == "cpu":
            torch.set_num_threads(1)
        self._sound = np.random.default_rng(1).normal(0, 0.1, (50, self.sessions, STEP_SAMPLES)).astype(np.float32)

    def machine(self) -> dict[str, Any]:
        """Return what the times depend on, with the bandwidth that a copy within the device's memory reaches."""
        block = torch.zeros((1 << 24) if self.tiny else _BLOCK_BYTES, dtype=torch.uint8, device=self.device)
        other = torch.empty_like(block)
        times_ms = []
        for _ in range(_COPIES):
            self.wait()
            start_s = time.perf_counter()
            other.copy_(block)
            self.wait()
            times_ms.append((time.perf_counter() - start_s) * 1e3)
        bandwidth = 2 * block.numel() / min(times_ms) / 1e6
        name = torch.cuda.get_device_name(self.device) if self.device.type == "cuda" else "CPU"
        versions = {"torch": torch.__version__, "cuda": torch.version.cuda or "", "moshi": moshi.__version__}
        return {"device": name, **versions, "bandwidth_gb_s": round(bandwidth, 1)}

    @torch.no_grad()
    def plain(self) -> dict[str, Any]:
        """Step Moshi by moshi's own `LMGen` and Mimi, from sound on the host to sound on the host."""
        codec = random_codec(self.codec_arguments, self.device)
        generator = LMGen(random_moshi(self.lm_arguments, self.device, self.dtype))

        def step(sound: np.ndarray) -> None:
            heard = torch.from_numpy(sound)[:, None].to(self.device)
            out = generator.step(codec.encode(heard))
            if out is not None:
                codec.decode(out[:, 1:]).cpu()
                out[:, 0].cpu()

        with codec.streaming(self.sessions), generator.streaming(self.sessions):
            return self.times(step, self.steps)

    def tandem(self) -> dict[str, Any]:
        """Step KAME by our `Stepper`, from sound on the host to sound on the host."""
        codec = random_codec(self.codec_arguments, self.device)
        model = random_kame(self.lm_arguments, self.device, self.dtype)
        stepper = Stepper(model, codec, self.sessions, Sampling())
        stepper.warm_up()
        active = [True] * self.sessions
        tokens = [stepper.padding_id] * self.sessions
        missing = 0

        def step(sound: np.ndarray) -> None:
            nonlocal missing
            missing += stepper.step(sound, tokens, active).text_tokens.count(None)

        found = self.times(step, self.steps)
        found |= {"one_graph": stepper.reason == "", "reason": stepper.reason, "steps_without_text": missing}
        found["weights_gb"] = round(self.read_bytes(model, codec) / 1e9, 3)
        found["cache_gb"] = round(self.cache_bytes() / 1e9, 3)
        stepper.close()
        return found

    def kernels(self) -> dict[str, Any]:
        """Return the kernels that take most of our step's time on the device: share of it in us, calls a step."""
        codec = random_codec(self.codec_arguments, self.device)
        model = random_kame(self.lm_arguments, self.device, self.dtype)
        stepper = Stepper(model, codec, self.sessions, Sampling())
        stepper.warm_up()
        given = ([stepper.padding_id] * self.sessions, [True] * self.sessions)
        with torch.profiler.profile() as profile:
            for turn in range(_PROFILED_STEPS):
                stepper.step(self._sound[turn], *given)
        stepper.close()
        rows = [
            (round(event.self_device_time_total / _PROFILED_STEPS, 1), event.count / _PROFILED_STEPS, event.key[:90])
            for event in profile.key_averages()
            if event.self_device_time_total > 0
        ]
        return {"calls": sum(row[1] for row in rows), "longest": sorted(rows, reverse=True)[:_LISTED_KERNELS]}

    @torch.no_grad()
    def parts(self) -> dict[str, Any]:
        """Time encoding, the language model and decoding of our step, each as a graph of its own."""
        codec = random_codec(self.codec_arguments, self.device)
        lm = LmStep(random_kame(self.lm_arguments, self.device, self.dtype), self.sessions, Sampling())
        quicken(codec)
        opened = codec.streaming(self.sessions)
        codec_states = list(codec.get_streaming_state().values())
        heard = torch.from_numpy(self._sound[0])[:, None].to(self.device)
        codes = torch.zeros(self.sessions, AUDIO_CODEBOOKS, 1, dtype=torch.int64, device=self.device)
        works: dict[str, tuple[Callable[[], object], list[Any]]] = {
            "encode": (lambda: codec.encode(heard), codec_states),
            "lm": (lambda: lm(codes), lm.states),
            "decode": (lambda: codec.decode(codes), codec_states),
        }
        found: dict[str, Any] = {}
        for name, (work, states) in works.items():
            graph = StepGraph(work, states, self.device)
            graph.warm_up()
            times = self.times(lambda _sound, graph=graph: graph(), round(self.steps * _PART_SHARE))
            found |= {f"{name}_p50_ms": times["p50_ms"], f"{name}_one_graph": graph.whole}
        lm.close()
        opened.close()
        return found

    def times(self, step: Callable[[np.ndarray], None], steps: int) -> dict[str, Any]:
        """Call ``step`` with sound ``steps`` times and return what it took."""
        for turn in range(_WARM_UP_STEPS):
            step(self._sound[turn])
        self.wait()
        times_ms = []
        for turn in range(steps):
            start_s = time.perf_counter()
            step(self._sound[turn % len(self._sound)])
            self.wait()
            times_ms.append((time.perf_counter() - start_s) * 1e3)
        p50, p95, p99 = np.percentile(times_ms, [50, 95, 99])
        peak = torch.cuda.max_memory_reserved(self.device) if self.device.type == "cuda" else 0
        return {
            "steps": steps,
            "p50_ms": round(float(p50), 2),
            "p95_ms": round(float(p95), 2),
            "p99_ms": round(float(p99), 2),
            "max_ms": round(max(times_ms), 2),
            "misses": sum(one > DEADLINE_MS for one in times_ms),
            "headroom": round(DEADLINE_MS / float(p99), 2),
            "memory_gb": round(peak / 1e9, 1),
        }

    def wait(self) -> None:
        """Wait until the device has nothing left to do."""
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)

    def read_bytes(self, *models: Any) -> int:
        """Return how many bytes of weights a step has to read: all but the tables, of which it reads rows."""
        return sum(
            tensor.numel() * tensor.element_size()
            for model in models
            for name, tensor in model.named_parameters()
            if "emb." not in name
        )

    def cache_bytes(self) -> int:
        """Return how many bytes of keys and values a step reads: the caches are read whole."""
        slot = 2 * self.lm_arguments["num_layers"] * self.lm_arguments["context"] * self.lm_arguments["dim"]
        return int(slot) * self.dtype.itemsize * self.sessions


def run(order: dict[str, Any]) -> dict[str, Any]:
    """Measure everything that ``order`` names; a part that fails is its traceback and the others go on."""
    measurement = Measurement(order)
    found: dict[str, Any] = {"sessions": measurement.sessions}
    for name in order["what"]:
        start_s = time.monotonic()
        try:
            found[name] = getattr(measurement, name)()
        except Exception:
            found[name] = {"error": traceback.format_exc()}
        gc.collect()
        if measurement.device.type == "cuda":
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats(measurement.device)
        took_s = time.monotonic() - start_s
        print(f"{measurement.sessions} sessions, {name}: {took_s:.0f} s: {found[name]}", file=sys.stderr, flush=True)
    return found


if __name__ == "__main__":
    print(json.dumps(run(json.loads(sys.argv[1]))))
