"""The backend ``knowledge``: answers from the robot maker's YAML file, and says so when it does not know."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from kame_ros.oracle.backend import AnswerPart, Finished, IntentPart, Request, TextDelta
from kame_ros.oracle.errors import BackendSetUpError
from kame_ros.oracle.intents.catalogue import Catalogue
from kame_ros.oracle.matching.embedding import Embedder, MiniLm
from kame_ros.oracle.matching.entries import filled
from kame_ros.oracle.matching.knowledge_file import read
from kame_ros.oracle.matching.matcher import Match, Matcher


class Knowledge:
    """Matches what was heard with ``file``, in a thread of its own, in about 20 ms.

    Raises `YamlFileError` for a file with mistakes and `EmbeddingError` where the sentence model is missing.
    """

    name = "knowledge"
    answers_whole = False
    free = True

    def __init__(self, file: Path, catalogue: Catalogue, embedder: Embedder | None = None) -> None:
        """Read ``file`` and embed all its wordings: 4 s of one core for the 1,360 of the bundled file.

        Its commands may ask for the intents of ``catalogue`` only.
        """
        self._contents = read(file, catalogue)
        self._matcher = Matcher(self._contents, embedder or MiniLm())
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="knowledge")

    async def answer(self, request: Request) -> AsyncGenerator[AnswerPart, None]:
        """Stream the answer to ``request``; raise `BackendSetUpError` for a language that the file is not in."""
        language = self._contents.language
        if _primary(request.locale) != _primary(language):
            raise BackendSetUpError(
                f"locale = {request.locale!r}: the knowledge file is in {language}; set knowledge to another file"
            )
        match = await asyncio.get_running_loop().run_in_executor(self._thread, self._matcher.match, request.text)
        text = self._text(match, request.final)
        if text:
            yield TextDelta(text)
        if request.final and match and match.complete and match.sure and match.entry.intent:
            roles = {role: filled(value, match.values) for role, value in match.entry.roles.items()}
            yield IntentPart(match.entry.intent, roles, max(0.0, match.score))
        yield Finished()

    async def disconnect(self) -> None:
        """Have no connection."""

    def close(self) -> None:
        """Join the thread; may be called again."""
        self._thread.shutdown()

    def _text(self, match: Match | None, final: bool) -> str:
        if match is None:
            # Half a question is not unknown yet, and "I do not know" in the middle of it would be rude.
            return self._contents.unknown_answer if final else ""
        if not match.sure:
            return (self._contents.unsure_answer or self._contents.unknown_answer) if final else ""
        if not match.complete:
            return match.entry.otherwise or self._contents.unknown_answer
        return filled(match.entry.answer, match.values)


def _primary(locale: str) -> str:
    return locale.split("-", maxsplit=1)[0].casefold()
