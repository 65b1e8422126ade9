"""The thread that owns model and codec, and steps the sessions in their slots together."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from kame_ros.frontend.errors import FrontendError
from kame_ros.frontend.inputs import CutReason, InterruptRule, MicFrame, News, SayWhen
from kame_ros.frontend.outputs import Consumed, Failed, Loaded, Output, SayReply
from kame_ros.frontend.tandem.backlog import Block
from kame_ros.frontend.tandem.counts import Counts
from kame_ros.frontend.tandem.sampling import Sampling
from kame_ros.frontend.tandem.schedule import Schedule
from kame_ros.frontend.tandem.slot import Slot
from kame_ros.frontend.tandem.step_maker import Model, Stepped
from kame_ros.frontend.tuning import Tuning
from kame_ros.models.errors import CheckpointError
from kame_ros.models.step import STEP_SAMPLES

_NO_SESSION = "no session is open"
_CLOSE_S = 0.8  # a step is over by then; a model that is being loaded is left behind


@dataclass(frozen=True)
class _Turn:
    """One slot's share of a step."""

    slot: Slot
    block: Block
    token: int


class Engine:
    """A `Frontend` whose speech comes from a model that is stepped by the microphone's sound.

    Everything that is decided is decided by the slots' conversations, in the calling thread under one lock, which is
    not held while the model works: a step holds up neither news nor an interruption. The model is loaded, stepped and
    given back by one thread of the engine's own.
    """

    def __init__(self, load: Callable[[], Model], slots: int, most_steps: int, rule: InterruptRule) -> None:
        """Serve up to ``slots`` sessions, of which each lets up to ``most_steps`` of sound wait.

        ``load`` is called in the engine's thread; the `CheckpointError` that it raises says why there is no model.
        """
        self._load = load
        self._most_steps = most_steps
        self._rule = rule
        self._new_sampling: Sampling | None = None  # for the next step
        self._schedule = Schedule()
        self._changed = threading.Condition()  # for all below; `emit` is called while it is held, so that order is kept
        self._emit: Callable[[Output], None] = _drop
        self._slots: list[Slot | None] = [None] * slots
        self._model: Model | None = None
        self._failure = ""
        self._counts = Counts()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)

    def start(self, emit: Callable[[Output], None]) -> None:
        """Begin to load, see `Frontend`."""
        self._emit = emit
        self._thread.start()

    def open_session(self, session: int) -> None:
        """Take a free slot, see `Frontend`."""
        with self._changed:
            if None not in self._slots:
                taken = ", ".join(str(slot.session) for slot in self._slots if slot)
                raise FrontendError(
                    f"session {session}: max_sessions = {len(self._slots)}, and all are taken, by {taken}; stop one"
                )
            slot = Slot(session, self._most_steps)
            self._slots[self._slots.index(None)] = slot
            if self._model:
                slot.begin(self._model.converse, self._rule)
                self._tell_of(slot)

    def close_session(self, session: int) -> None:
        """Free the slot, see `Frontend`."""
        with self._changed:
            slot = self._find(session)
            if slot is None:
                return
            if slot.conversation:
                slot.conversation.close()
                self._tell_of(slot)
            self._counts.end(slot)
            self._slots[self._slots.index(slot)] = None
            self._changed.notify()  # the others need not wait for it

    def hear(self, frame: MicFrame) -> None:
        """Let a frame wait for its step; without a model it is heard by nobody, and nobody waits for it."""
        with self._changed:
            slot = self._find(frame.session)
            if slot and self._failure:
                self._emit(Consumed(frame.session, frame.stream, frame.first_sample + len(frame.samples)))
            elif slot:
                slot.hear(frame, time.monotonic())
                if slot.backlog.ready_steps:
                    self._changed.notify()

    def tell(self, news: News) -> None:
        """Take ``news``, see `Frontend`."""
        with self._changed:
            slot = self._find(news.session)
            if slot:
                slot.tell(news)
                self._tell_of(slot)

    def say(self, session: int, text: str, when: SayWhen) -> SayReply:
        """Have the model say ``text``, see `Frontend`."""
        with self._changed:
            slot = self._find(session)
            if slot is None:
                return SayReply(0, _NO_SESSION)
            if slot.conversation is None or self._failure:
                return SayReply(0, self._failure or "the model is still being loaded")
            reply = slot.conversation.say(text, when)
            self._tell_of(slot)
            return reply

    def interrupt(self, session: int) -> str:
        """Stop what is being said, see `Frontend`."""
        with self._changed:
            slot = self._find(session)
            if slot is None:
                return _NO_SESSION
            if slot.conversation is None:
                return "the robot is not speaking"
            refusal = slot.conversation.interrupt(CutReason.SERVICE)
            self._tell_of(slot)
            return refusal

    def tune(self, tuning: Tuning) -> None:
        """Change what stops the robot, from now on, and how its words and sounds are chosen, from the next step on."""
        with self._changed:
            self._rule, self._new_sampling = tuning.rule, tuning.sampling
            for slot in self._slots:
                if slot and slot.conversation:
                    slot.conversation.rule = tuning.rule

    def counters(self) -> Mapping[str, object]:
        """Return step times, backlog, oracle tokens, slots and memory."""
        with self._changed:
            return self._counts.told(self._slots, self._model.context_steps if self._model else None)

    def close(self) -> None:
        """End every session and the thread, which gives the model back."""
        with self._changed:
            for slot in self._slots:
                if slot:
                    self.close_session(slot.session)
            self._closing = True
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join(_CLOSE_S)

    # In the engine's thread

    def _run(self) -> None:
        model: Model | None = None
        try:
            model = self._load()
            model.maker.warm_up()
            self._begin(model)
            while turns := self._wait_for_turns():
                self._step(model, turns)
        except (FrontendError, CheckpointError) as error:
            self._fail(str(error))
        except Exception as error:  # out of memory, a lost GPU, a flaw: a thread that ends must not look healthy
            self._fail(f"engine: {type(error).__name__}: {' '.join(str(error).split())}")
        finally:
            if model:
                model.maker.close()

    def _begin(self, model: Model) -> None:
        with self._changed:
            self._model = model
            if self._closing:
                return
            self._emit(Loaded(model.description, model.best))
            for slot in self._slots:
                if slot:
                    slot.begin(model.converse, self._rule)
                    self._tell_of(slot)

    def _wait_for_turns(self) -> dict[int, _Turn]:
        """Wait until a step is due and return who takes part in it, by the place in the batch; none: it is over."""
        with self._changed:
            while not self._closing:
                now_s = time.monotonic()
                decision = self._schedule.decide([slot.view(now_s) if slot else None for slot in self._slots])
                if decision.slots:
                    return {index: turn for index in decision.slots if (turn := _turn(self._slots[index]))}
                self._changed.wait(decision.wait_s)
        return {}

    def _step(self, model: Model, turns: Mapping[int, _Turn]) -> None:
        began_s = time.monotonic()
        sound = np.zeros((len(self._slots), STEP_SAMPLES), np.int16)
        tokens, active = [0] * len(self._slots), [False] * len(self._slots)
        for index, turn in turns.items():
            if not turn.slot.begun:
                model.maker.reset(index)
                turn.slot.begun = True
            sound[index], tokens[index], active[index] = turn.block.samples, turn.token, True
        with self._changed:
            sampling, self._new_sampling = self._new_sampling, None
        if sampling:
            model.maker.sample(sampling)
        stepped = model.maker.step(sound, tokens, active)
        memory_bytes = model.maker.memory_bytes()
        with self._changed:
            self._counts.step(time.monotonic() - began_s, memory_bytes)
            self._take(stepped, turns)

    def _take(self, stepped: Stepped, turns: Mapping[int, _Turn]) -> None:
        for index, turn in turns.items():
            slot, block = turn.slot, turn.block
            if self._slots[index] is slot:  # its session may have ended meanwhile
                slot.take(stepped, index)
                self._tell_of(slot)
                self._emit(Consumed(slot.session, block.stream, block.end_sample))

    def _fail(self, reason: str) -> None:
        with self._changed:
            self._failure = reason
            if self._closing:
                return
            self._emit(Failed(reason))
            for slot in self._slots:
                while slot and (block := slot.backlog.pop()):  # whoever waits for it waits in vain
                    self._emit(Consumed(slot.session, block.stream, block.end_sample))

    # With the lock held

    def _find(self, session: int) -> Slot | None:
        return next((slot for slot in self._slots if slot and slot.session == session), None)

    def _tell_of(self, slot: Slot) -> None:
        for output in slot.outputs():
            self._emit(output)


def _turn(slot: Slot | None) -> _Turn | None:
    block = slot.backlog.pop() if slot and slot.conversation else None
    return _Turn(slot, block, slot.conversation.next_token()) if slot and slot.conversation and block else None


def _drop(output: Output) -> None:
    """Tell nobody: the engine has not been started."""
