"""The thread that owns the voice."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable

import numpy as np

from kame_ros.frontend.cascade import Wanted
from kame_ros.frontend.errors import VoiceError
from kame_ros.frontend.inputs import Samples
from kame_ros.frontend.outputs import Failed, Loaded
from kame_ros.frontend.voice import Voice
from kame_ros.frontend.voices import Voices

_KEPT_CLAUSES = 4


class Synthesiser:
    """Makes the sound of wanted clauses one at a time, what is to be spoken before what is to be prepared.

    A newer `want` replaces an older one; only a clause that is being made is finished. The newest clauses made are kept
    for `made`. A voice that fails is replaced by the next best, which makes the same clause; when none is left every
    clause is answered without sound.
    """

    def __init__(
        self, voices: Voices, on_sound: Callable[[str, Samples], None], report: Callable[[Loaded | Failed], None]
    ) -> None:
        """Start the thread and load the best of ``voices``; both functions are called from it."""
        self._voices = voices
        self._on_sound = on_sound
        self._report = report
        self._changed = threading.Condition()  # for all below
        self._wanted = Wanted(None, None)
        self._made: OrderedDict[str, Samples] = OrderedDict()
        self._voice: Voice | None = None
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="voice", daemon=True)
        self._thread.start()

    def want(self, wanted: Wanted) -> None:
        """Work on ``wanted`` from now on."""
        with self._changed:
            if wanted != self._wanted:
                self._wanted = wanted
                self._changed.notify()

    def made(self, clause: str) -> Samples | None:
        """Return the sound of ``clause`` if it is kept."""
        with self._changed:
            return self._made.get(clause)

    def close(self) -> None:
        """End the thread and the voice."""
        with self._changed:
            self._closing.set()
            self._changed.notify()
            voice = self._voice
        if voice:
            voice.close()
        self._thread.join()

    def _run(self) -> None:
        try:
            self._load_next()
            while (clause := self._next_clause()) is not None:
                sound = self._make(clause)
                with self._changed:
                    if self._closing.is_set():
                        break
                    if len(sound):
                        self._made[clause] = sound
                        self._made.move_to_end(clause)
                    if len(self._made) > _KEPT_CLAUSES:
                        self._made.popitem(last=False)
                    self._wanted = Wanted(None, None)  # `on_sound` leads to the next
                self._on_sound(clause, sound)
        except Exception as error:  # a flaw of ours: a thread that ends must not look healthy
            self._report(Failed(f"voice thread: {type(error).__name__}: {error}"))
        finally:
            if self._voice:
                self._voice.close()

    def _next_clause(self) -> str | None:
        with self._changed:
            while not self._closing.is_set():
                clause = self._wanted.speak if self._wanted.speak is not None else self._wanted.prepare
                if clause is not None:
                    return clause
                self._changed.wait()
        return None

    def _make(self, clause: str) -> Samples:
        while self._voice and not self._closing.is_set():
            try:
                return self._voice.speak(clause)
            except Exception as error:  # whatever it is, a flaw in one voice must not cost the others
                self._give_up(self._voice, error)
                self._load_next()
        return np.zeros(0, np.int16)

    def _load_next(self) -> None:
        while not self._closing.is_set():
            try:
                voice = self._voices.find_next()
            except VoiceError as error:
                self._report(Failed(str(error)))
                return
            with self._changed:
                self._voice = voice  # from now on `close` ends it, also while it loads
                if self._closing.is_set():
                    return
            try:
                voice.load()
            except Exception as error:
                self._give_up(voice, error)
                continue
            reasons = "; ".join(self._voices.reasons)
            self._report(Loaded(f"voice {voice.name}" + (f", because: {reasons}" if reasons else ""), not reasons))
            return

    def _give_up(self, voice: Voice, error: Exception) -> None:
        reason = str(error) if isinstance(error, VoiceError) else f"{type(error).__name__}: {error}"
        voice.close()
        self._voices.reasons.append(f"voice {voice.name}: {reason}")
        with self._changed:
            self._voice = None
