"""The frontend that reads the oracle aloud, clause by clause, with a text-to-speech voice."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping

from kame_ros.frontend.cascade import Cascade
from kame_ros.frontend.errors import FrontendError
from kame_ros.frontend.inputs import CutReason, InterruptRule, MicFrame, News, Samples, SayWhen
from kame_ros.frontend.outputs import Consumed, Failed, Output, SayReply
from kame_ros.frontend.synthesiser import Synthesiser
from kame_ros.frontend.tuning import Tuning
from kame_ros.frontend.voices import Voices


class CascadeFrontend:
    """A `Frontend` with one slot, whose speech comes from a voice.

    All its decisions are those of `Cascade`, taken in the calling thread under one lock, so that an interruption waits
    for nobody. Two threads of its own let time pass and make the sound of clauses.
    """

    def __init__(self, voices: Voices, lead_s: float, rule: InterruptRule) -> None:
        """Send speech at most ``lead_s`` seconds ahead of what was played; let ``rule`` say what stops the robot."""
        self._voices = voices
        self._lead_s = lead_s
        self._rule = rule
        self._changed = threading.Condition()  # for all below; `emit` is called while it is held, so that order is kept
        self._emit: Callable[[Output], None] = _drop
        self._cascade: Cascade | None = None
        self._synthesiser: Synthesiser | None = None
        self._pacer: threading.Thread | None = None
        self._pacer_waits_for_news = False
        self._now_s = time.monotonic()
        self._closing = False

    def start(self, emit: Callable[[Output], None]) -> None:
        """Begin to load the voice, see `Frontend`."""
        with self._changed:
            self._emit = emit
            self._synthesiser = Synthesiser(self._voices, self._take_sound, self._tell)
            self._pacer = threading.Thread(target=self._pace, name="pacer", daemon=True)
            self._pacer.start()

    def open_session(self, session: int) -> None:
        """Take the slot, see `Frontend`."""
        with self._changed:
            if self._cascade:
                taken = self._cascade.session
                raise FrontendError(
                    f"session {session}: the cascade has one slot, and session {taken} is in it; stop it"
                )
            self._pass_time()
            self._cascade = Cascade(session, self._lead_s, self._rule)
            self._step()

    def close_session(self, session: int) -> None:
        """Free the slot, see `Frontend`."""
        with self._changed:
            if self._cascade and self._cascade.session == session:
                self._pass_time()
                self._cascade.close()
                self._step()
                self._cascade = None

    def hear(self, frame: MicFrame) -> None:
        """Take a frame: the cascade listens through the oracle only, so it is worked through at once."""
        self._emit(Consumed(frame.session, frame.stream, frame.first_sample + len(frame.samples)))

    def tell(self, news: News) -> None:
        """Take ``news``, see `Frontend`."""
        with self._changed:
            if self._cascade:
                self._pass_time()
                self._cascade.tell(news)
                self._step()

    def say(self, session: int, text: str, when: SayWhen) -> SayReply:
        """Speak ``text``, see `Frontend`."""
        with self._changed:
            if self._cascade is None or self._cascade.session != session:
                return SayReply(0, "no session is open")
            self._pass_time()
            reply = self._cascade.say(text, when)
            self._step()
            return reply

    def interrupt(self, session: int) -> str:
        """Stop what is being said, see `Frontend`."""
        with self._changed:
            if self._cascade is None or self._cascade.session != session:
                return "no session is open"
            self._pass_time()
            refusal = self._cascade.interrupt(CutReason.SERVICE)
            self._step()
            return refusal

    def tune(self, tuning: Tuning) -> None:
        """Change what stops the robot, from now on, and how far ahead its next speech is sent."""
        with self._changed:
            self._rule, self._lead_s = tuning.rule, tuning.lead_s
            if self._cascade:
                self._cascade.rule, self._cascade.lead_s = tuning.rule, tuning.lead_s

    def counters(self) -> Mapping[str, object]:
        """Count nothing."""
        return {}

    def close(self) -> None:
        """End the session, both threads and the voice."""
        with self._changed:
            if self._cascade:
                self.close_session(self._cascade.session)
            self._closing = True
            self._changed.notify()
        if self._synthesiser:
            self._synthesiser.close()
        if self._pacer:
            self._pacer.join()

    def _take_sound(self, clause: str, sound: Samples) -> None:
        with self._changed:
            if self._cascade:
                self._pass_time()
                self._cascade.take_sound(clause, sound)
                self._step()

    def _tell(self, output: Output) -> None:
        with self._changed:
            self._emit(output)

    def _step(self) -> None:
        """Do what has become due; the lock is held, and time has been passed."""
        if self._cascade is None or self._synthesiser is None:
            return
        while True:
            for output in self._cascade.advance():
                self._emit(output)
            wanted = self._cascade.wanted
            # What was prepared is spoken at once, also while the voice is at work on something else.
            clause = wanted.speak if wanted.speak is not None else wanted.prepare
            sound = None if clause is None else self._synthesiser.made(clause)
            if clause is None or sound is None:
                break
            self._cascade.take_sound(clause, sound)
        self._synthesiser.want(wanted)
        if self._pacer_waits_for_news and self._cascade.patience_s is not None:
            self._changed.notify()

    def _pass_time(self) -> None:
        now_s = time.monotonic()
        if self._cascade:
            self._cascade.elapse(now_s - self._now_s)
        self._now_s = now_s

    def _pace(self) -> None:
        with self._changed:
            try:
                while not self._closing:
                    self._pass_time()
                    self._step()
                    patience_s = self._cascade.patience_s if self._cascade else None
                    self._pacer_waits_for_news = patience_s is None
                    self._changed.wait(patience_s)
            except Exception as error:  # a flaw of ours: a thread that ends must not look healthy
                self._emit(Failed(f"pacer thread: {type(error).__name__}: {error}"))


def _drop(output: Output) -> None:
    """Tell nobody: the frontend has not been started."""
