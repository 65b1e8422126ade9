"""Which of several backends is asked next, and which rests until when: decided on troubles, with the time given."""

from __future__ import annotations

from dataclasses import dataclass, field

from kame_ros.oracle.trouble import Trouble

# The words' fault and not the link's: it may be asked about others at once.
_OF_THE_WORDS = frozenset({Trouble.TOO_LONG, Trouble.REFUSED})
_LONGEST_LIMIT_S = 3600.0  # an hour; a server that asks for more has its numbers wrong


@dataclass(frozen=True)
class ChainSettings:
    """How patient a chain is, in seconds."""

    retry_wait_s: float = 3.0
    """A limit that ends within this is waited for; a longer one lets the next link answer."""
    first_rest_s: float = 1.0
    """Rest after a first failure; doubled with each further one."""
    longest_rest_s: float = 60.0
    set_up_rest_s: float = 300.0
    """Rest where somebody has to put something right first."""


@dataclass(frozen=True)
class Try:
    """Ask a link."""

    link: int
    wait_s: float = 0.0
    """After waiting this long."""
    again: bool = False
    """It was asked this before."""
    shorter: bool = False
    """With half of the talk so far."""


@dataclass
class _Link:
    failures: int = 0  # in a row
    rests_until_s: float = float("-inf")
    limited: bool = False  # until then it takes no requests: it said so
    told: set[Trouble] = field(default_factory=set)


class ChainPolicy:
    """Knows how the links, 0 the most preferred, have done so far.

    A link that rests is asked only when no other answers, and not even then before the end of a limit that it told.
    """

    def __init__(self, links: int, settings: ChainSettings) -> None:
        """Start with every link well."""
        self.settings = settings
        self._links = [_Link() for _ in range(links)]

    def failed(self, link: int, what: Trouble, now_s: float, retry_after_s: float | None = None) -> bool:
        """Take a link's trouble; return whether it is new, that is not told since the link last answered."""
        if what in _OF_THE_WORDS:
            return False
        state = self._links[link]
        state.failures += 1
        state.limited = what is Trouble.LIMITED and retry_after_s is not None
        state.rests_until_s = now_s + self._rest_s(state.failures, what, retry_after_s)
        new = what not in state.told
        state.told.add(what)
        return new

    def answered(self, link: int) -> bool:
        """Take the news that a link gave a whole answer; return whether a trouble of it was told before."""
        was_told = bool(self._links[link].told)
        self._links[link] = _Link()
        return was_told

    def rests_s(self, link: int, now_s: float) -> float:
        """Return how long a link rests from now on; 0: it does not."""
        return max(0.0, self._links[link].rests_until_s - now_s)

    def limit_s(self, link: int, now_s: float) -> float:
        """Return how long a link takes no requests from now on, as it said; 0: it takes them."""
        return self.rests_s(link, now_s) if self._links[link].limited else 0.0

    def order(self, now_s: float) -> list[int]:
        """Return the links in the order in which they are to be asked now."""

        def later(link: int) -> bool:
            return self.rests_s(link, now_s) > 0.0 and self.limit_s(link, now_s) == 0.0

        return sorted(range(len(self._links)), key=later)

    def _rest_s(self, failures: int, what: Trouble, retry_after_s: float | None) -> float:
        if what is Trouble.SET_UP:
            return self.settings.set_up_rest_s
        if what is Trouble.LIMITED and retry_after_s is not None:
            return min(_LONGEST_LIMIT_S, retry_after_s)
        doublings = min(failures - 1, 30)
        return float(min(self.settings.longest_rest_s, self.settings.first_rest_s * 2**doublings))


class Attempt:
    """One request's way along the chain."""

    def __init__(self, policy: ChainPolicy, *, can_shorten: bool) -> None:
        """Start before the first link; ``can_shorten``: there is a talk so far, so it can be halved."""
        self._policy = policy
        self._can_shorten = can_shorten
        self._asked: set[int] = set()
        self._waited: set[int] = set()
        self._shortened: set[int] = set()
        self._again: int | None = None

    def next(self, now_s: float, left_s: float) -> Try | None:
        """Return whom to ask, with ``left_s`` of the answer's time left; None: there is nobody else."""
        if left_s <= 0.0:
            return None
        again, self._again = self._again, None
        if again is not None:
            return self._try(again, now_s, again=True)
        for link in self._policy.order(now_s):
            wait_s = self._policy.limit_s(link, now_s)
            if link not in self._asked and self._may_wait(wait_s, left_s):
                self._asked.add(link)
                return self._try(link, now_s, again=False)
        return None

    def failed(self, link: int, what: Trouble, now_s: float, left_s: float) -> None:
        """Take why ``link`` gave nothing, after `ChainPolicy.failed` was told the same."""
        if what is Trouble.TOO_LONG and self._can_shorten and link not in self._shortened:
            self._shortened.add(link)
            self._again = link
        limit_s = self._policy.limit_s(link, now_s)
        told_limit = what is Trouble.LIMITED and limit_s > 0.0
        if told_limit and link not in self._waited and self._may_wait(limit_s, left_s):
            self._again = link

    def _try(self, link: int, now_s: float, *, again: bool) -> Try:
        wait_s = self._policy.limit_s(link, now_s)
        if wait_s > 0.0:
            self._waited.add(link)
        return Try(link, wait_s, again, shorter=link in self._shortened)

    def _may_wait(self, wait_s: float, left_s: float) -> bool:
        return wait_s <= self._policy.settings.retry_wait_s and wait_s < left_s
