"""Moonshine, a small recogniser of English whose model comes in its wheel, through its C interface.

The wheel's own Python package is not imported: it loads sound cards' and downloaders' libraries, which are not needed
and may be missing. The structures below are those of version 0.1.0.
"""

from __future__ import annotations

import ctypes
import importlib.util
from pathlib import Path

import numpy as np

from kame_ros.oracle.agreement import Agreement
from kame_ros.oracle.transcriber import SAMPLE_RATE_HZ, Hypothesis, Sound, TranscriberError
from kame_ros.oracle.transcribers.locales import check_language, language

_INTERFACE_VERSION = 30_000
_MODEL_FILES = ("encoder_model.ort", "decoder_model_merged.ort", "tokenizer.bin")
_KINDS = {"tiny": 0, "base": 1}
# Our microphone decides what is speech; the library's own detector cut first words and wrote "You" before them.
_OPTIONS = {b"vad_threshold": b"0", b"return_audio_data": b"false"}
# Shorter sound holds no word, and the model writes "You" for it.
_SHORTEST_SAMPLES = SAMPLE_RATE_HZ // 10
# A recognition takes 0.05 s for each second of sound up to here, and grows faster beyond it.
_LONGEST_SAMPLES = 10 * SAMPLE_RATE_HZ
_CUT_FROM_SAMPLES = 5 * SAMPLE_RATE_HZ
_PAUSE_SAMPLES = SAMPLE_RATE_HZ // 5
# Of 0.05 to 0.5 s of quiet before the first word, 0.1 s gave the fewest wrong words (7.1 %, against 10.2 % with 0.4 s:
# 57 questions by two voices). What has less than a fiftieth of the loudest amplitude, -34 dB, is quiet.
_QUIET_BEFORE_SAMPLES = SAMPLE_RATE_HZ // 10
_QUIET = 0.02
_STEP_SAMPLES = SAMPLE_RATE_HZ // 100
# Without it the model leaves out a word that ends with the sound.
_SILENCE_AFTER = np.zeros(SAMPLE_RATE_HZ // 5, np.int16)


class _Option(ctypes.Structure):
    _fields_ = (("name", ctypes.c_char_p), ("value", ctypes.c_char_p))


class _Line(ctypes.Structure):
    _fields_ = (
        ("text", ctypes.c_char_p),
        ("audio", ctypes.c_void_p),
        ("audio_count", ctypes.c_size_t),
        ("start_s", ctypes.c_float),
        ("duration_s", ctypes.c_float),
        ("id", ctypes.c_uint64),
        ("flags", ctypes.c_int8 * 5),
        ("speakers", ctypes.c_void_p),
        ("speaker_count", ctypes.c_uint64),
        ("latency_ms", ctypes.c_uint32),
        ("words", ctypes.c_void_p),
        ("word_count", ctypes.c_uint64),
    )


class _Lines(ctypes.Structure):
    _fields_ = (("lines", ctypes.POINTER(_Line)), ("count", ctypes.c_uint64))


class Moonshine:
    """Reads the whole turn anew at each `read`: about 0.1 to 0.2 s for a question, on one core.

    A turn of more than ten seconds is cut at its quietest place, and what comes before is read for the last time.
    """

    name = "moonshine"

    def __init__(self, model: str = "", locale: str = "en-US") -> None:
        """Load ``model``, a folder with a tiny or base model of one language; empty: the English one in the wheel.

        ``locale`` is the language of the talk, a BCP 47 tag; that of a model in a folder is known to who named it.

        Raises:
            TranscriberError: the wheel or the model is missing, does not fit, or is of another language.
        """
        self.locale = locale
        if not model:
            check_language(
                locale,
                ("en",),
                "the model in Moonshine's wheel",
                f"set transcriber_model to the folder of one that writes {language(locale)}, or another transcriber",
            )
        package = importlib.util.find_spec("moonshine_voice")
        if package is None or not package.submodule_search_locations:
            raise TranscriberError(
                "transcriber = moonshine: it is not installed; pip install --no-deps moonshine-voice==0.1.0"
            )
        wheel = Path(package.submodule_search_locations[0])
        folder = Path(model).expanduser() if model else wheel / "assets" / "tiny-en"
        missing = [name for name in _MODEL_FILES if not (folder / name).is_file()]
        if missing:
            raise TranscriberError(
                f"transcriber_model = {str(folder)!r}: lacks {', '.join(missing)}; name a folder of a Moonshine model, "
                "or leave it empty with moonshine-voice==0.1.0, the wheel that holds one"
            )
        self._library = _library(wheel / "libmoonshine.so")
        self._handle: int | None = self._load(folder)
        self.begin()

    def begin(self) -> None:
        """Forget the turn before."""
        self._sound: Sound = np.zeros(0, np.int16)
        self._pieces: list[Sound] = []
        self._settled = ""
        self._agreement = Agreement()

    def feed(self, samples: Sound) -> None:
        """Take the next sound of the turn."""
        self._pieces.append(samples)

    def read(self, *, speech_ended: bool) -> Hypothesis:
        """Return the words of the turn so far."""
        self._sound = np.concatenate((self._sound, *self._pieces))
        self._pieces.clear()
        if not self._settled:
            self._sound = _without_quiet_lead(self._sound)
        while len(self._sound) > _LONGEST_SAMPLES:
            cut = _quietest(self._sound, _CUT_FROM_SAMPLES, _LONGEST_SAMPLES)
            self._settled = _join(self._settled, self._recognise(self._sound[:cut]))
            self._sound = self._sound[cut:]
        text = self._settled
        if len(self._sound) >= _SHORTEST_SAMPLES:
            sound = np.concatenate((self._sound, _SILENCE_AFTER)) if speech_ended else self._sound
            text = _join(text, self._recognise(sound))
        return Hypothesis(text, max(len(self._settled), self._agreement.observe(text)))

    def close(self) -> None:
        """Release the model."""
        handle, self._handle = self._handle, None
        if handle is not None:
            self._library.moonshine_free_transcriber(handle)

    def _load(self, folder: Path) -> int:
        options = (_Option * len(_OPTIONS))(*(_Option(name, value) for name, value in _OPTIONS.items()))
        for kind in _KINDS.values():
            handle = int(
                self._library.moonshine_load_transcriber_from_files(
                    str(folder).encode(), kind, options, len(options), _INTERFACE_VERSION
                )
            )
            # A model of the other kind loads, and fails on its first sound.
            if handle >= 0 and self._try(handle, np.zeros(SAMPLE_RATE_HZ, np.int16)) is not None:
                return handle
        raise TranscriberError(
            f"transcriber_model = {str(folder)!r}: cannot be loaded; "
            f"a Moonshine model of kind {' or '.join(_KINDS)} is needed"
        )

    def _recognise(self, sound: Sound) -> str:
        if self._handle is None:
            raise TranscriberError("moonshine: closed")
        text = self._try(self._handle, sound)
        if text is None:
            raise TranscriberError(f"moonshine: failed on {len(sound) / SAMPLE_RATE_HZ:.1f} s of sound")
        return text

    def _try(self, handle: int, sound: Sound) -> str | None:
        """Return the words of ``sound``, None where the library refuses."""
        floats = sound.astype(np.float32) / 32768.0
        lines = ctypes.POINTER(_Lines)()
        code = self._library.moonshine_transcribe_without_streaming(
            handle, floats.ctypes.data, len(floats), SAMPLE_RATE_HZ, 0, ctypes.byref(lines)
        )
        if code < 0:
            return None
        # The lines belong to the library and live until its next call.
        found = (lines.contents.lines[index].text for index in range(lines.contents.count)) if lines else ()
        return " ".join((text or b"").decode("utf-8", "replace").strip() for text in found)


def _library(path: Path) -> ctypes.CDLL:
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:
        raise TranscriberError(f"transcriber = moonshine: {path} cannot be loaded: {error}") from error
    if library.moonshine_get_version() != _INTERFACE_VERSION:
        raise TranscriberError(
            f"transcriber = moonshine: interface {library.moonshine_get_version()} is installed, "
            f"{_INTERFACE_VERSION} is needed; pip install --no-deps moonshine-voice==0.1.0"
        )
    library.moonshine_load_transcriber_from_files.argtypes = (
        ctypes.c_char_p,
        ctypes.c_uint32,
        ctypes.POINTER(_Option),
        ctypes.c_uint64,
        ctypes.c_int32,
    )
    library.moonshine_transcribe_without_streaming.argtypes = (
        ctypes.c_int32,
        ctypes.c_void_p,
        ctypes.c_uint64,
        ctypes.c_int32,
        ctypes.c_uint32,
        ctypes.POINTER(ctypes.POINTER(_Lines)),
    )
    library.moonshine_free_transcriber.argtypes = (ctypes.c_int32,)
    library.moonshine_free_transcriber.restype = None
    return library


def _without_quiet_lead(sound: Sound) -> Sound:
    steps = sound[: len(sound) // _STEP_SAMPLES * _STEP_SAMPLES].reshape(-1, _STEP_SAMPLES).astype(np.float64)
    amplitudes = np.sqrt(np.mean(np.square(steps), axis=1))
    loud = np.flatnonzero(amplitudes > _QUIET * np.max(amplitudes, initial=0.0))
    first = int(loud[0]) * _STEP_SAMPLES if len(loud) else 0
    return sound[max(0, first - _QUIET_BEFORE_SAMPLES) :]


def _quietest(sound: Sound, first: int, last: int) -> int:
    """Return the middle of the quietest pause between two samples."""
    power = np.cumsum(np.square(sound[first:last].astype(np.float64)))
    energy = power[_PAUSE_SAMPLES:] - power[:-_PAUSE_SAMPLES]
    return first + int(np.argmin(energy)) + _PAUSE_SAMPLES // 2


def _join(before: str, after: str) -> str:
    return f"{before} {after}".strip()
