"""Kyutai's recognisers of speech: checkpoints of Moshi's kind that write down what they hear, word by word."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TooLateError
from dataclasses import dataclass
from importlib.util import find_spec
from queue import SimpleQueue

from kame_ros.models.checkpoint_files import Wanted, find_checkpoint
from kame_ros.models.errors import CheckpointError, one_line
from kame_ros.oracle.transcriber import Hypothesis, Sound, TranscriberError
from kame_ros.oracle.transcribers.locales import check_language
from kame_ros.oracle.transcribers.step_reader import StepReader

# 1 billion weights, words after 0.5 s. The repository without -candle holds the same model, but not the part of it that
# predicts pauses; the larger one of English, whose words come after 2.5 s, never had one.
USUAL = "kyutai/stt-1b-en_fr-candle"
_LANGUAGES = {USUAL: ("en", "fr"), "kyutai/stt-1b-en_fr": ("en", "fr"), "kyutai/stt-2.6b-en": ("en",)}
_WANTED = Wanted("transcriber_model", f"a checkpoint that recognises speech, as {USUAL}")
_NEEDED = ("torch", "moshi", "safetensors", "sentencepiece")
# A model that keeps up has at most a step to do for a reading, and a third of a second's work at the end of speech.
_LONGEST_READ_S = 5.0
_CLOSE_S = 2.0


@dataclass(frozen=True)
class KyutaiSettings:
    """What the node's parameters say."""

    model: str = ""
    """A checkpoint's folder, or a Hugging Face repository as owner/name; empty: the usual one."""
    device: str = "auto"
    dtype: str = "auto"
    locale: str = "en-US"


class Kyutai:
    """Hears each step of 80 ms as soon as it is there, on a thread that owns the model.

    Sound that waits for the model is that of one turn at most: `begin` drops the rest.
    """

    name = "kyutai"

    def __init__(self, settings: KyutaiSettings, load: Callable[[KyutaiSettings], StepReader] | None = None) -> None:
        """Load the model, seconds for one that was downloaded before; ``load`` is for another way to get it.

        Raises:
            TranscriberError: packages, files or the device are missing or do not fit, or the language does not.
        """
        self.locale = settings.locale
        self._turn = 0
        self._fault = ""  # of the turn: why nothing more of it is heard
        self._jobs: SimpleQueue[Callable[[StepReader], None] | None] = SimpleQueue()
        loaded: Future[None] = Future()
        # A daemon: a process that is told to end while it loads must end.
        self._thread = threading.Thread(
            target=self._run, args=(settings, load or _load, loaded), name="kyutai", daemon=True
        )
        self._thread.start()
        loaded.result()

    def begin(self) -> None:
        """Forget the turn before."""
        self._turn += 1
        self._jobs.put(self._begin)

    def feed(self, samples: Sound) -> None:
        """Take the next sound of the turn."""
        turn = self._turn
        self._jobs.put(lambda reader: self._hear(reader, turn, samples))

    def read(self, *, speech_ended: bool) -> Hypothesis:
        """Return the words of everything fed since `begin`, waiting until it has been heard."""
        answer: Future[Hypothesis] = Future()
        self._jobs.put(lambda reader: self._read(reader, answer, speech_ended))
        try:
            return answer.result(_LONGEST_READ_S)
        except TooLateError as error:
            answer.cancel()
            raise TranscriberError(
                f"kyutai: its words are more than {_LONGEST_READ_S:g} s late; set transcriber_device to a quicker one"
            ) from error

    def close(self) -> None:
        """End the thread and release the model; may be called again."""
        self._turn += 1
        self._jobs.put(None)
        self._thread.join(_CLOSE_S)

    # In the model's thread

    def _run(
        self, settings: KyutaiSettings, load: Callable[[KyutaiSettings], StepReader], loaded: Future[None]
    ) -> None:
        try:
            reader = load(settings)
        except TranscriberError as error:
            loaded.set_exception(error)
            return
        except Exception as error:  # out of memory, a lost GPU, a flaw: whoever waits must hear of it
            line = str(error) if isinstance(error, CheckpointError) else one_line(error)
            fault = TranscriberError(f"transcriber = kyutai: {line}")
            fault.__cause__ = error
            loaded.set_exception(fault)
            return
        loaded.set_result(None)
        while (job := self._jobs.get()) is not None:
            job(reader)
        reader.close()

    def _begin(self, reader: StepReader) -> None:
        self._fault = ""
        self._guard(reader.begin)

    def _hear(self, reader: StepReader, turn: int, samples: Sound) -> None:
        if turn == self._turn and not self._fault:
            self._guard(lambda: reader.hear(samples))

    def _read(self, reader: StepReader, answer: Future[Hypothesis], speech_ended: bool) -> None:
        if not answer.set_running_or_notify_cancel():
            return
        found: list[Hypothesis] = []
        if not self._fault:
            self._guard(lambda: found.append(reader.read(speech_ended=speech_ended)))
        if found:
            answer.set_result(found[0])
        else:
            answer.set_exception(TranscriberError(f"kyutai: {self._fault}"))

    def _guard(self, work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as error:  # a lost GPU, no memory: the thread must outlive it, and the next reading tells it
            self._fault = one_line(error)


def _load(settings: KyutaiSettings) -> StepReader:
    """Load the model that ``settings`` name; in the thread that will step it."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise CheckpointError(f"{missing[0]} is not installed; pip install '.[tandem]', or set moonshine")
    # Only here: a machine without torch has other recognisers.
    from kame_ros.models.device import choose_device, choose_dtype, settle  # noqa: PLC0415
    from kame_ros.oracle.transcribers.kyutai_model import load_kyutai_model  # noqa: PLC0415

    name = settings.model or USUAL
    if name in _LANGUAGES:
        check_language(settings.locale, _LANGUAGES[name], name, "set another transcriber_model or transcriber")
    device = choose_device(settings.device, "transcriber_device", "transcriber to moonshine")
    settle(device)
    files = find_checkpoint(name, wanted=_WANTED)
    return StepReader(load_kyutai_model(files, device, choose_dtype(settings.dtype, device)))
