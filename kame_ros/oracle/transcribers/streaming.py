"""A recogniser elsewhere, behind the same seam as one in the process: sound goes, words come, sessions end."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any

from kame_ros.oracle.agreement import Agreement
from kame_ros.oracle.transcriber import SAMPLE_RATE_HZ, Hypothesis, Sound, TranscriberError
from kame_ros.oracle.transcribers.finals import Finals
from kame_ros.oracle.transcribers.kept_sound import KeptSound, Mark
from kame_ros.oracle.transcribers.session_policy import Seam, SessionPolicy, SessionSettings
from kame_ros.oracle.transcribers.streaming_counts import StreamingCounts
from kame_ros.oracle.transcribers.wire import Ending, Flushed, Wire, WireError, WireEvent, Words

# The longest turn that can be set, with what comes before and after it: 15 MB.
_LONGEST_KEPT_S = 305
_CLOSE_S = 2.0
_CLOSE_WIRE_S = 0.5
_LAST_WORDS_S = 0.1


class Streaming:
    """Keeps one session open, and the sound of the running turn until its words are known.

    Sound is sent as it comes, and at the end of speech the words of all of it are asked for. Where a session ends,
    stalls or has lasted as long as it may, the next is opened, at once or after a growing wait, and is sent again
    whatever had not been told to its end: no word is lost or doubled. The network is worked by a thread of its own.
    """

    def __init__(
        self,
        name: str,
        locale: str,
        make_wire: Callable[[], Wire],
        settings: SessionSettings,
        final_wait_s: float,
        tell: Callable[[str], None],
    ) -> None:
        """Start the thread, which opens the first session.

        Args:
            name: as the parameter ``transcriber`` spells it.
            locale: language that the sessions are opened for, a BCP 47 tag.
            make_wire: makes a session that is not yet open, all of one kind; raises nothing.
            settings: when sessions are opened and given up.
            final_wait_s: longest that `read` waits for the last words; more than ``settings.answer_s`` leaves time for
                another session.
            tell: takes one line when sessions begin to fail, and one when they are back; called on the thread.
        """
        self.name = name
        self.locale = locale
        self.counts = StreamingCounts()
        self._make_wire = make_wire
        self._settings = settings
        self._final_wait_s = final_wait_s
        self._tell = tell
        # Guards everything below; notified when words were told, and when a session opens or ends.
        self._changed = threading.Condition()
        self._kept = KeptSound(_LONGEST_KEPT_S * SAMPLE_RATE_HZ)
        self._next_wire = make_wire()
        self._finals = Finals(self._next_wire.cumulative)
        self._agreement = Agreement()
        self._policy = SessionPolicy(settings, time.monotonic())
        self._open = False
        self._trying = True
        self._told_trouble = False
        self._closed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._work: asyncio.Task[None] | None = None
        self._poked = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name=f"transcriber {name}", daemon=True)
        self._thread.start()

    def begin(self) -> None:
        """Forget the turn before."""
        with self._changed:
            self._kept.begin()
            self._finals.begin(owed=not self._kept.quiet)
            self._agreement = Agreement()
            self._policy.turn_began(time.monotonic())
            self._poke()

    def feed(self, samples: Sound) -> None:
        """Take the next sound of the turn, whatever the network does."""
        with self._changed:
            self._kept.append(samples)
            self.counts.forgotten_samples = self._kept.forgotten_samples
            self._poke()

    def read(self, *, speech_ended: bool) -> Hypothesis:
        """Return the words that have come, at the end of speech after waiting for the last; raise `TranscriberError`.

        It waits no longer than ``final_wait_s``, and not at all where no session is to be had within it.
        """
        with self._changed:
            if speech_ended:
                self._kept.flush()
            else:
                self._kept.want()
            self._poke()
            if speech_ended:
                self._wait()
            elif self._in_trouble:
                raise TranscriberError(self.counts.last_trouble)
            text = self._finals.text
            return Hypothesis(text, min(len(text), max(len(self._finals.settled), self._agreement.observe(text))))

    def close(self) -> None:
        """End the session and the thread; may be called again and from any thread."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            if self._loop and self._work:
                self._loop.call_soon_threadsafe(self._work.cancel)
        if self._thread is not threading.current_thread():
            self._thread.join(_CLOSE_S)

    @property
    def _in_trouble(self) -> bool:
        return not self._open and self._policy.in_trouble

    def _wait(self) -> None:
        until_s = time.monotonic() + self._final_wait_s
        while self._kept.waiting:
            if self._closed:
                raise TranscriberError(f"transcriber = {self.name}: closed")
            hopeless = self._in_trouble and not self._trying and not self._policy.may_open_by(until_s)
            if hopeless or not self._changed.wait(until_s - time.monotonic()):
                raise TranscriberError(
                    self.counts.last_trouble
                    or f"transcriber = {self.name}: no words within {self._final_wait_s:g} s of the end of speech"
                )

    def _poke(self) -> None:
        """Let the thread look at what there is to do; the lock is held."""
        if self._loop and not self._closed:
            self._loop.call_soon_threadsafe(self._poked.set)

    def _run(self) -> None:
        with contextlib.suppress(asyncio.CancelledError):
            asyncio.run(self._keep_open())

    async def _keep_open(self) -> None:
        with self._changed:
            self._loop, self._work = asyncio.get_running_loop(), asyncio.current_task()
        self._loop.set_exception_handler(_left_behind)
        try:
            while not self._closed:
                with self._changed:
                    wait_s = self._policy.open_at_s - time.monotonic()
                    self._trying = wait_s <= 0.0
                if wait_s > 0.0:
                    await self._nap(wait_s)
                else:
                    await self._session()
        finally:
            with self._changed:
                self._loop, self._closed = None, True  # also where a fault of ours ends it
                self._changed.notify_all()

    async def _nap(self, longest_s: float) -> None:
        alarm = asyncio.get_running_loop().call_later(max(0.0, longest_s), self._poked.set)
        await self._poked.wait()
        alarm.cancel()
        self._poked.clear()

    async def _session(self) -> None:
        """Open a session and work it to its end."""
        wire, self._next_wire = self._next_wire, self._make_wire()
        was_open = False
        try:
            with self._changed:
                self._policy.opening(time.monotonic())
            await self._within(self._settings.connect_s, wire.connect(), "no session")
            was_open = True
            self._begin_session()
            self._give_up(await self._work_wire(wire))
        except Exception as error:  # a wire's library raises kinds of its own
            self._lose(error, was_open=was_open)
        finally:
            with contextlib.suppress(Exception):
                await asyncio.wait_for(wire.close(), _CLOSE_WIRE_S)

    def _begin_session(self) -> None:
        with self._changed:
            self.counts.sessions += 1
            self.counts.replayed_samples += self._kept.rewind()
            self.counts.last_trouble = ""
            self._finals.replay()
            self._policy.opened(time.monotonic())
            self._open = True
            self._changed.notify_all()
        if self._told_trouble:
            self._told_trouble = False
            self._tell(f"transcriber = {self.name}: a session is open again")

    def _give_up(self, seam: Seam) -> None:
        with self._changed:
            self._open, self._trying = False, True
            self.counts.late_sessions += seam is Seam.LATE
            self.counts.wordless_sessions += seam is Seam.WORDLESS
            self.counts.rolled_over_sessions += seam is Seam.LIMIT
            if seam is not Seam.LIMIT:
                self.counts.last_trouble = f"transcriber = {self.name}: {seam.value}"
            self._policy.given_up(seam, time.monotonic())
            self._changed.notify_all()

    def _lose(self, error: Exception, *, was_open: bool) -> None:
        line = str(error) if isinstance(error, WireError) else f"transcriber = {self.name}: {error!r}"
        with self._changed:
            self._open = self._trying = False
            self.counts.failed_sessions += 1
            self.counts.last_trouble = line
            wire_error = error if isinstance(error, WireError) else WireError(line)
            self._policy.lost(wire_error, time.monotonic(), was_open=was_open)
            news = self._policy.in_trouble and not self._told_trouble
            self._changed.notify_all()
        if news:
            self._told_trouble = True
            self._tell(line)

    async def _work_wire(self, wire: Wire) -> Seam:
        """Send and receive until the session is to be given up; raise where it ends by itself."""
        sending = asyncio.ensure_future(self._send(wire))
        receiving = asyncio.ensure_future(self._receive(wire))
        try:
            await asyncio.wait((sending, receiving), return_when=asyncio.FIRST_COMPLETED)
            if sending.done() and sending.exception():
                # What the other side said last tells more than that nothing can be sent.
                await asyncio.wait((receiving,), timeout=_LAST_WORDS_S)
            return await (receiving if receiving.done() else sending)
        finally:
            await _stop(sending, receiving)

    async def _send(self, wire: Wire) -> Seam:
        while True:
            with self._changed:
                now_s, quiet = time.monotonic(), self._kept.quiet
                seam = self._policy.seam(now_s, quiet=quiet)
                if seam:
                    return seam
                sending = self._kept.next()
                look_s = self._policy.next_look_s(quiet=quiet)
                if sending is Mark.FLUSH:
                    self._policy.flushed(now_s)
                elif sending is not None and wire.tells_early:
                    self._policy.sent(len(sending) / SAMPLE_RATE_HZ, now_s)
            if sending is None:
                await self._nap(look_s - now_s)
            elif isinstance(sending, Mark):
                await self._within(self._settings.answer_s, wire.flush(), "takes no sound")
            else:
                await self._within(self._settings.answer_s, wire.send(sending), "takes no sound")

    async def _receive(self, wire: Wire) -> Seam:
        while True:
            self._take(await wire.receive())

    def _take(self, event: WireEvent) -> None:
        with self._changed:
            now_s = time.monotonic()
            match event:
                case Words():
                    if event.text.strip():
                        self._policy.heard(now_s)
                    self._finals.take(event)
                case Flushed():
                    self._policy.told()
                    if self._kept.told():
                        self._finals.settle()
                    self._changed.notify_all()
                    self._poked.set()
                case Ending():
                    self._policy.ending(event.left_s, now_s)
                    self._poked.set()

    async def _within(self, longest_s: float, doing: Coroutine[object, object, None], failure: str) -> None:
        # Not by wait_for, which before Python 3.12 forgets a cancellation that comes as it ends.
        task = asyncio.ensure_future(doing)
        try:
            done, _ = await asyncio.wait((task,), timeout=longest_s)
        finally:
            await _stop(task)
        if not done:
            raise WireError(f"transcriber = {self.name}: {failure} within {longest_s:g} s")
        task.result()


def _left_behind(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    # A library's client that was only half made, for want of a certificate, fails once more as it is thrown away.
    if "never retrieved" not in context["message"]:
        loop.default_exception_handler(context)


async def _stop(*tasks: asyncio.Future[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
