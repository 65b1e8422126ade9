"""What asking costs: calls, tokens and waiting, counted from observations, with the time given."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from kame_ros.oracle.backend import Answering, AnswerPart, Finish, Finished, TextDelta
from kame_ros.oracle.trouble import Trouble, no_troubles

_WINDOW = 200


class Waits:
    """The newest waits of one kind, in seconds."""

    def __init__(self) -> None:
        """Start with none."""
        self._newest: deque[float] = deque(maxlen=_WINDOW)

    def add(self, wait_s: float) -> None:
        """Take one."""
        self._newest.append(wait_s)

    def values(self, name: str) -> dict[str, float]:
        """Return the last one, the median and the 95th percentile; nothing where there is none."""
        waits = tuple(self._newest)
        if not waits:
            return {}
        median_s, slow_s = np.percentile(waits, (50, 95))
        return {f"{name}_last_s": waits[-1], f"{name}_p50_s": float(median_s), f"{name}_p95_s": float(slow_s)}


@dataclass
class Spent:
    """What one request has cost so far."""

    asked_s: float
    tokens: int = 0
    """As the provider counts, once it has told; the pieces of text before."""
    first_token: bool = False
    first_text: bool = False
    used: bool = False
    """Its answer served a final transcript."""


@dataclass
class Cost:
    """What all requests have cost since the start; latencies of the newest 200."""

    turns: int = 0
    """Final transcripts."""
    calls: int = 0
    adopted: int = 0
    """Answers that were asked for before the final transcript, and served it."""
    cancelled: int = 0
    complete: int = 0
    failed_by_kind: dict[str, int] = field(default_factory=no_troubles)
    """Requests that ended in an error, by kind of trouble."""
    refused_intents: int = 0
    prompt_tokens: int = 0
    """Where the provider tells."""
    tokens: int = 0
    """Of all answers: as the provider counts where it tells, pieces of text otherwise."""
    wasted_tokens: int = 0
    """Of answers that served no final transcript."""
    last_refused_intent: str = ""
    """Why."""
    last_failure: str = ""
    """Empty after an answer that is complete."""
    final_to_request: Waits = field(default_factory=Waits)
    """Only where the final transcript was asked about: an answer that is adopted was asked for before."""
    request_to_first_token: Waits = field(default_factory=Waits)
    request_to_first_text: Waits = field(default_factory=Waits)
    """To the first report with words of the answer."""
    request_to_complete: Waits = field(default_factory=Waits)
    final_to_first_text: Waits = field(default_factory=Waits)
    """To the first report of the answer as the one to a final transcript."""

    def asked(self, now_s: float, final_s: float | None) -> Spent:
        """Take a request that is put now; ``final_s``: steady time of the final transcript it is put for."""
        self.calls += 1
        if final_s is not None:
            self.final_to_request.add(now_s - final_s)
        return Spent(now_s)

    def part(self, spent: Spent, part: AnswerPart, now_s: float) -> None:
        """Take a part of the answer."""
        if isinstance(part, Answering):
            return
        if not spent.first_token:
            spent.first_token = True
            self.request_to_first_token.add(now_s - spent.asked_s)
        if isinstance(part, TextDelta):
            self._count(spent, spent.tokens + 1)
        elif isinstance(part, Finished):
            self.request_to_complete.add(now_s - spent.asked_s)
            if part.reason is Finish.COMPLETE:
                self.complete += 1
                self.last_failure = ""
            if part.usage:
                self.prompt_tokens += part.usage.prompt_tokens
                self._count(spent, part.usage.answer_tokens)

    def reported(self, spent: Spent, now_s: float, final_s: float | None) -> None:
        """Take that words of the answer are reported; ``final_s``: steady time of the final transcript they serve."""
        if not spent.first_text:
            spent.first_text = True
            self.request_to_first_text.add(now_s - spent.asked_s)
        if final_s is not None and not spent.used:
            spent.used = True
            self.final_to_first_text.add(now_s - final_s)

    def dropped(self, spent: Spent, running: bool) -> None:
        """Take that a request is forgotten; ``running``: before its end."""
        self.cancelled += running
        if not spent.used:
            self.wasted_tokens += spent.tokens

    def failed(self, what: Trouble, line: str) -> None:
        """Take a request that ended in an error, which ``line`` tells."""
        self.failed_by_kind[what.value] += 1
        self.last_failure = line

    def values(self) -> dict[str, object]:
        """Return everything that is known by name, seconds with three decimals; from any thread."""
        counted = {name: value for name, value in vars(self).items() if isinstance(value, (int, str))}
        failed = {f"failed_{kind}": count for kind, count in self.failed_by_kind.items()}
        waits = [waits.values(name) for name, waits in vars(self).items() if isinstance(waits, Waits)]
        rounded = {name: round(wait_s, 3) for values in waits for name, wait_s in values.items()}
        return {**counted, **failed, **rounded}

    def _count(self, spent: Spent, tokens: int) -> None:
        self.tokens += tokens - spent.tokens
        spent.tokens = tokens
