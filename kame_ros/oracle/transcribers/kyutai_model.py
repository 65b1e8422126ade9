"""A checkpoint of Moshi's kind that recognises speech, stepped on its device."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import torch
from moshi.models import LMGen, LMModel, MimiModel

from kame_ros.models.checkpoint_files import CheckpointFiles
from kame_ros.models.device import check_memory
from kame_ros.models.errors import NO_SENSE, CheckpointError, one_line
from kame_ros.models.memory import cache_bytes, needed_bytes
from kame_ros.models.mimi import build_mimi
from kame_ros.models.port import Port
from kame_ros.models.sentencepiece_tokenizer import SentencePieceTokenizer
from kame_ros.models.slot_states import kept_in_place
from kame_ros.models.state_copy import StateCopy
from kame_ros.models.step import STEP_S, STEP_SAMPLES
from kame_ros.models.step_graph import StepGraph
from kame_ros.models.tokenizer import Tokenizer
from kame_ros.models.weights import fill, size_bytes, tensor_shapes
from kame_ros.oracle.transcriber import Sound
from kame_ros.oracle.transcribers.speech_model import StepHeard

# The heads predict a pause of 0.5, 1, 2 and 3 s, the first of their classes being yes. Kyutai's own programs end a turn
# by that of 2 s.
_PAUSE_HEAD = 2
_FULL_SCALE = 32_768
_COPIES = 3  # of what the model remembers: at work, as new, and where a reading began
_SILENCE = np.zeros(STEP_SAMPLES, np.int16)


class KyutaiModel:
    """A `SpeechModel` on a GPU, or a tiny one on a CPU; every call from one thread."""

    def __init__(self, lm: LMModel, mimi: MimiModel, tokenizer: Tokenizer, delay_s: float, silence_s: float) -> None:
        """Take the parts, in evaluation mode on one device; seconds on a GPU, which compiles and captures.

        Args:
            lm: the language model, without any audio of its own.
            mimi: the codec, with as many codebooks as ``lm`` hears.
            tokenizer: of the words that ``lm`` writes.
            delay_s: how long after a word's sound its text comes.
            silence_s: what the model was made to hear before the first sound.
        """
        self.delay_steps = math.ceil(delay_s / STEP_S)
        self._mimi = mimi
        self._tokenizer = tokenizer
        self._no_word = (lm.text_padding_token_id, lm.end_of_text_padding_id, lm.ungenerated_token_id)
        self._head = min(_PAUSE_HEAD, len(lm.extra_heads) - 1)  # -1: none
        self._generator = LMGen(lm, use_sampling=False, support_out_of_sync=True)
        self._open = (self._generator.streaming(1), mimi.streaming(1))
        parts = (self._generator, lm, mimi)
        self._states = list(chain.from_iterable(part.get_streaming_state().values() for part in parts))
        self._sound = Port(torch.zeros(1, 1, STEP_SAMPLES, device=lm.device))
        self._token = Port(torch.zeros(1, dtype=torch.int64, device=lm.device))
        self._pause = Port(torch.zeros(1, device=lm.device))
        self._graph = StepGraph(self._run, self._states, lm.device)
        self._device: torch.device = lm.device
        self._fresh = StateCopy(self._states)
        with torch.no_grad():
            self._graph.warm_up()
            self._fresh.put_back()
            self._skip_first(lm.n_q)
        for _ in range(math.ceil(silence_s / STEP_S)):
            self.step(_SILENCE)
        self._fresh.take()
        self._marked = StateCopy(self._states)

    def begin(self) -> None:
        """Forget everything, see `SpeechModel`."""
        self._fresh.put_back()

    @torch.no_grad()
    def step(self, sound: Sound) -> StepHeard:
        """Hear the next step, see `SpeechModel`, and wait for the outcome."""
        self._sound.array[0, 0] = sound * np.float32(1 / _FULL_SCALE)
        self._sound.send()
        self._graph()
        for port in (self._token, self._pause):
            port.fetch()
        if self._device.type == "cuda":
            torch.cuda.current_stream(self._device).synchronize()
        token = int(self._token.array[0])
        pause = float(self._pause.array[0]) if self._head >= 0 else None
        return StepHeard(None if token in self._no_word else token, pause)

    def mark(self) -> None:
        """Remember this moment, see `SpeechModel`."""
        self._marked.take()

    def rewind(self) -> None:
        """Go back to it, see `SpeechModel`."""
        self._marked.put_back()

    def decode(self, tokens: list[int]) -> str:
        """Return the text of ``tokens``, see `SpeechModel`."""
        return self._tokenizer.decode(tokens)

    def close(self) -> None:
        """Give the memory of the talk back."""
        for part in self._open:
            part.close()

    def _run(self) -> None:
        """Do the device's share of a step; nothing in it waits for the host, so a CUDA graph can hold it."""
        out, heads = self._generator.step_with_extra_heads(self._mimi.encode(self._sound.tensor))
        self._token.tensor.copy_(out[:, 0, 0])
        if self._head >= 0:
            self._pause.tensor.copy_(heads[self._head][:, 0, 0])

    def _skip_first(self, codebooks: int) -> None:
        """Do the generator's first step, which reads its own start and not yet the codes it is given."""
        with kept_in_place(self._states):
            self._generator.step(torch.zeros(1, codebooks, 1, dtype=torch.int64, device=self._device))


def load_kyutai_model(files: CheckpointFiles, device: torch.device, dtype: torch.dtype) -> KyutaiModel:
    """Load ``files`` onto ``device``, the LM in ``dtype``, the codec in float32.

    Raises:
        CheckpointError: a file is not what it should be, it is no recogniser, or the GPU's memory cannot hold it.
    """
    where = f"transcriber_model = {files.name!r}"
    lm = _build_lm({**files.lm_arguments, **_heads(files.lm)}, dtype)
    if lm.dep_q:
        raise CheckpointError(f"{where}: its LM talks (dep_q {lm.dep_q}); must be a recogniser, with dep_q 0")
    mimi = build_mimi(files.mimi_arguments, lm.n_q)
    if lm.card != mimi.cardinality:
        raise CheckpointError(f"{where}: the LM knows {lm.card} codes, the codec {mimi.cardinality}")
    tokenizer = SentencePieceTokenizer(files.tokenizer)
    if tokenizer.size > lm.text_card:
        raise CheckpointError(f"{where}: the tokenizer has {tokenizer.size} pieces, the LM knows {lm.text_card}")
    delay_s, silence_s = (_seconds(files, key) for key in ("audio_delay_seconds", "audio_silence_prefix_seconds"))
    memory = cache_bytes(len(lm.transformer.layers), lm.dim, lm.context, dtype.itemsize)
    check_memory(
        device,
        needed_bytes(size_bytes(lm) + size_bytes(mimi), memory, _COPIES),
        where,
        "set transcriber_device to another GPU, or transcriber to moonshine",
    )
    fill(lm, files.lm, device, dtype)
    fill(mimi, files.mimi, device, torch.float32)
    return KyutaiModel(lm, mimi, tokenizer, delay_s, silence_s)


def _build_lm(arguments: Mapping[str, Any], dtype: torch.dtype) -> LMModel:
    """Build the LM without weights, on ``meta``."""
    meta = torch.device("meta")
    try:
        with meta:  # moshi hands the device on to most of its parts only
            lm = LMModel(device=meta, dtype=dtype, **arguments).eval()
        if not (isinstance(lm.context, int) and lm.context > 0):
            raise ValueError(f"context = {lm.context!r}")
    except NO_SENSE as error:
        raise CheckpointError(f"checkpoint: its config.json does not describe Moshi's LM: {one_line(error)}") from error
    return lm


def _heads(weights: Path) -> dict[str, int]:
    """Return the LM's arguments for the heads that ``weights`` hold, whatever config.json says.

    Of the same model there is a repository with heads and one without.
    """
    shapes = [shape for name, shape in tensor_shapes(weights).items() if name.startswith("extra_heads.")]
    return {"extra_heads_num_heads": len(shapes), "extra_heads_dim": shapes[0][0] if shapes else 1}


def _seconds(files: CheckpointFiles, key: str) -> float:
    value = files.recogniser.get(key, 0.0)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 60:
        raise CheckpointError(
            f"transcriber_model = {files.name!r}: its config.json has {key} = {value!r}; must be 0 to 60"
        )
    return float(value)
