"""The silero voice activity detector, from its own ONNX file, without torch."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import onnxruntime

from kame_ros.audio.error import DetectorError
from kame_ros.audio.pcm import SAMPLE_RATE_HZ, Floats, Pcm, to_float
from kame_ros.audio.resampling import Resampler
from kame_ros.audio.speech_detector import SpeechChunk

_MODEL_HZ = 16_000
_CHUNK = 512  # the only length the model takes at 16 kHz
_CONTEXT = 64  # samples of the chunk before, put in front of each chunk
CHUNK_SAMPLES = _CHUNK * SAMPLE_RATE_HZ // _MODEL_HZ


class Silero:
    """Gives the probability of speech for each 32 ms (768 samples at 24 kHz) of a stream; one thread.

    Chunk k covers the samples 768 k to 768 k + 767 after the start exactly, since the resampler shifts nothing; it is
    given about 1.25 ms after its last sample came.
    """

    def __init__(self) -> None:
        """Load the model; raise `DetectorError` when it is not installed."""
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3  # the file draws warnings about its own unused weights
        path = _model_file()
        try:
            self._model = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime derives its own errors from several bases
            raise DetectorError(f"{path} cannot be loaded; install silero-vad again") from error
        self.move_to(0)
        self.forget()

    def move_to(self, first_sample: int) -> None:
        """Take what comes next as being at ``first_sample``: after a gap, or in another stream."""
        self._resampler = Resampler(SAMPLE_RATE_HZ, _MODEL_HZ)
        self._pending: Floats = np.zeros(0, np.float32)
        self._next_sample = first_sample

    def forget(self) -> None:
        """Clear the model's memory of an utterance that has ended; positions and pending samples stay."""
        self._state = np.zeros((2, 1, 128), np.float32)
        self._context: Floats = np.zeros(_CONTEXT, np.float32)

    def push(self, samples: Pcm) -> list[SpeechChunk]:
        """Take the next ``samples`` (1-D int16, 24 kHz, any length) in and return the chunks that they complete."""
        pending = np.concatenate((self._pending, self._resampler.push(to_float(samples))))
        chunks = []
        while len(pending) >= _CHUNK:
            chunks.append(SpeechChunk(self._judge(pending[:_CHUNK]), self._next_sample, CHUNK_SAMPLES))
            self._next_sample += CHUNK_SAMPLES
            pending = pending[_CHUNK:]
        self._pending = pending
        return chunks

    def _judge(self, chunk: Floats) -> float:
        seen = np.concatenate((self._context, chunk))
        inputs = {"input": seen[np.newaxis], "state": self._state, "sr": np.array(_MODEL_HZ, np.int64)}
        probability, self._state = self._model.run(None, inputs)
        self._context = chunk[-_CONTEXT:]
        return float(probability[0, 0])


def _model_file() -> Path:
    # The package is only located: importing it would import torch.
    found = importlib.util.find_spec("silero_vad")
    path = Path(found.origin).parent / "data" / "silero_vad.onnx" if found and found.origin else None
    if path is None or not path.is_file():
        raise DetectorError("silero-vad is not installed: pip install --no-deps silero-vad")
    return path
