"""Understands the catalogue's commands itself, and asks another backend about all else."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

from kame_ros.oracle.backend import Answering, AnswerPart, Backend, Finished, IntentPart, Request, TextDelta
from kame_ros.oracle.intents.answer_wording import AnswerWording
from kame_ros.oracle.intents.catalogue import Catalogue
from kame_ros.oracle.intents.confirmation import Reply, reply
from kame_ros.oracle.intents.rules import Rules
from kame_ros.oracle.intents.sayings import Heard, Sayings

_RULES = "rules"


class Commands:
    """Answers by the rules of ``catalogue`` where they understand a turn wholly, else lets ``inner``, which it owns.

    It asks whether an intent is meant that is to be confirmed, and understands the yes or no that follows.
    """

    def __init__(self, inner: Backend, catalogue: Catalogue) -> None:
        """Take the catalogue's rules apart."""
        self._inner = inner
        self._catalogue = catalogue
        self._sayings = Sayings(catalogue)
        self._rules = Rules(catalogue)

    @property
    def name(self) -> str:
        """Name of the backend that answers what the rules do not."""
        return self._inner.name

    @property
    def answers_whole(self) -> bool:
        """As that backend does; answers of the rules say so themselves."""
        return self._inner.answers_whole

    @property
    def free(self) -> bool:
        """As that backend is."""
        return self._inner.free

    async def answer(self, request: Request) -> AsyncGenerator[AnswerPart, None]:
        """Stream the answer to ``request``; raise `OracleError` as the inner backend does."""
        own = self._own(request)
        if own is not None:
            yield Answering(_RULES, answers_whole=True)
            for part in (*own, Finished()):
                yield part
            return
        wording = AnswerWording(self._catalogue, self._sayings)
        async with aclosing(self._inner.answer(request)) as parts:
            async for given in parts:
                for part in wording.take(given):
                    yield part

    async def disconnect(self) -> None:
        """Close what the inner backend has on the loop."""
        await self._inner.disconnect()

    def close(self) -> None:
        """Close the inner backend."""
        self._inner.close()

    def _own(self, request: Request) -> list[AnswerPart] | None:
        """Return text and intents of an answer without the inner backend; None: it is to be asked."""
        if awaiting := request.awaiting:
            match reply(request.text, self._catalogue.words):
                case Reply.AGREE:
                    return _parts(self._sayings.done(Heard(awaiting)), [replace(awaiting, confirmed=True)])
                case Reply.DECLINE:
                    return _parts(self._catalogue.declined, [])
        heard = self._rules.match(request.text)
        return _parts(self._sayings.about(heard), [each.intent for each in heard]) if heard else None


def _parts(text: str, intents: Sequence[IntentPart]) -> list[AnswerPart]:
    return [*([TextDelta(text)] if text else []), *intents]
