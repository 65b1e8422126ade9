"""Several backends in order of preference: when one does not answer, the next does."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from kame_ros.oracle.backend import Answering, AnswerPart, Backend, Finish, Finished, Request
from kame_ros.oracle.backends.chain_policy import Attempt, ChainPolicy, ChainSettings, Try
from kame_ros.oracle.deadlines import Deadlines, within
from kame_ros.oracle.errors import BackendLimitedError, BackendRefusedError, OracleError
from kame_ros.oracle.history import newest
from kame_ros.oracle.trouble import no_troubles, trouble
from kame_ros.oracle.withheld import without_words


@dataclass
class ChainCounts:
    """What has happened since the start."""

    calls: int = 0
    """Requests to links, repeated ones too."""
    fallbacks: int = 0
    """Answers that a link other than the most preferred gave."""
    repeated: int = 0
    """Requests put to the same link again: after a limit, or with less of the talk so far."""
    errors: dict[str, int] = field(default_factory=no_troubles)
    """Calls that failed, by kind of trouble."""

    def values(self) -> dict[str, object]:
        """Return all of it by name."""
        counted = {"calls": self.calls, "fallbacks": self.fallbacks, "repeated": self.repeated}
        return {**counted, **{f"errors_{kind}": count for kind, count in self.errors.items()}}


class Chain:
    """Answers through the first of ``links`` that does; belongs to one asyncio loop, and owns its links.

    Nothing of a link that failed before its first part is seen. Once a part was given, nobody else goes on with that
    answer: it raises what the link raised. ``tell`` gets a line for each new trouble of a link, and one when it
    answers again.
    """

    def __init__(
        self,
        links: Sequence[Backend],
        settings: ChainSettings,
        deadlines: Deadlines,
        tell: Callable[[str], None],
        counts: ChainCounts | None = None,
    ) -> None:
        """Take at least one link; ``deadlines`` hold for each, and ``answer_s`` for all that an answer waits for.

        ``counts`` goes on from those of another chain.
        """
        self.counts = counts or ChainCounts()
        self._links = tuple(links)
        self._deadlines = deadlines
        self._tell = tell
        self._policy = ChainPolicy(len(links), settings)

    @property
    def name(self) -> str:
        """Names of the links, the most preferred first."""
        return ", ".join(link.name for link in self._links)

    @property
    def answers_whole(self) -> bool:
        """True where whoever would be asked now does; `Answering` says it of the one who answers."""
        return self._preferred.answers_whole

    @property
    def free(self) -> bool:
        """True where asking whoever would be asked now is."""
        return self._preferred.free

    @property
    def _preferred(self) -> Backend:
        return self._links[self._policy.order(time.monotonic())[0]]

    async def answer(self, request: Request) -> AsyncGenerator[AnswerPart, None]:
        """Stream the answer of the first link that gives one; raise the most preferred link's error where none does."""
        started_s = time.monotonic()
        attempt = Attempt(self._policy, can_shorten=bool(request.history))
        errors: list[OracleError] = []
        while trial := attempt.next(time.monotonic(), self._left_s(started_s)):
            await asyncio.sleep(trial.wait_s)
            given = False
            try:
                async with aclosing(self._ask(trial, request, started_s)) as parts:
                    async for part in parts:
                        given = True
                        yield part
                return
            except OracleError as error:
                error.args = (without_words(str(error), _said(request)),)
                self._failed(trial.link, error)
                if given:
                    raise
                attempt.failed(trial.link, trouble(error), time.monotonic(), self._left_s(started_s))
                errors.append(error)
        raise errors[0] if errors else self._all_limited()

    async def disconnect(self) -> None:
        """Disconnect every link; one that fails to is left as it is."""
        await asyncio.gather(*(link.disconnect() for link in self._links), return_exceptions=True)

    def close(self) -> None:
        """Close every link; may be called again."""
        with contextlib.ExitStack() as links:
            for link in self._links:
                links.callback(link.close)

    async def _ask(self, trial: Try, request: Request, started_s: float) -> AsyncGenerator[AnswerPart, None]:
        """Stream a link's answer, `Answering` first unless the link says so itself."""
        link = self._links[trial.link]
        self.counts.calls += 1
        self.counts.repeated += trial.again
        if trial.shorter:
            half = sum(len(said.text) for said in request.history) // 2
            request = replace(request, history=newest(request.history, half))
        given = False
        async with aclosing(within(self._deadlines, link, request, started_s)) as parts:
            async for part in parts:
                if not given and isinstance(part, Finished) and part.reason is not Finish.COMPLETE:
                    raise BackendRefusedError(
                        f"backend {link.name}: the answer ended before its first word: {part.reason.value}"
                    )
                if not given:
                    self.counts.fallbacks += trial.link > 0
                    if not isinstance(part, Answering):
                        yield Answering(link.name, link.answers_whole)
                given = True
                if isinstance(part, Finished) and self._policy.answered(trial.link):
                    self._tell(f"backend {link.name} answers again")
                yield part

    def _failed(self, link: int, error: OracleError) -> None:
        what = trouble(error)
        self.counts.errors[what.value] += 1
        now_s = time.monotonic()
        retry_after_s = error.retry_after_s if isinstance(error, BackendLimitedError) else None
        if self._policy.failed(link, what, now_s, retry_after_s):
            self._tell(f"{error}; it rests for {self._policy.rests_s(link, now_s):.0f} s")

    def _left_s(self, started_s: float) -> float:
        return started_s + self._deadlines.answer_s - time.monotonic()

    def _all_limited(self) -> OracleError:
        now_s = time.monotonic()
        limits = [self._policy.limit_s(link, now_s) for link in range(len(self._links))]
        return BackendLimitedError(f"backend {self.name}: takes no requests for {min(limits):.0f} s", min(limits))


def _said(request: Request) -> Iterator[str]:
    yield request.text
    for said in request.history:
        yield said.text
