"""The backend ``gemini``: Google's language models, asked through the google-genai library, its majors 2 and 3."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kame_ros.oracle.backend import AnswerPart, Finished, Request, Speaker
from kame_ros.oracle.backends.gemini_answer import GeminiAnswer
from kame_ros.oracle.backends.gemini_errors import Asked, oracle_error
from kame_ros.oracle.backends.network import split_address
from kame_ros.oracle.errors import BackendBrokenError, BackendSetUpError
from kame_ros.oracle.intents.catalogue import Catalogue
from kame_ros.oracle.intents.tools import tools
from kame_ros.oracle.keys import GEMINI_KEY_FILE, GEMINI_VARIABLES, Key, find_key, read_key
from kame_ros.oracle.prompt.prompt import Prompt
from kame_ros.oracle.redaction import protect_logs, redacted, showable

if TYPE_CHECKING:
    from google.genai.client import Client
    from google.genai.types import GenerateContentConfig, GenerateContentResponse, ToolListUnion

_NO_KEY = Key("unused")  # an address of one's own may do without; the library insists on one
_LONGEST_TOKENS = 2048  # bounds the cost; thoughts count too, and the prompt says how short an answer is to be
_LAST_BYTES_S = 0.1  # an answer that was read to its end leaves its connection to the next
_ROLE = {Speaker.USER: "user", Speaker.ROBOT: "model"}


@dataclass(frozen=True)
class GeminiSettings:
    """Which model, and where, named as the parameters after ``gemini_``."""

    base_url: str = ""  # empty: Google's own; an address of one's own needs no key
    model: str = "gemini-3.8-flash"
    key_file: Path | None = None  # None: GEMINI_API_KEY or GOOGLE_API_KEY


class Gemini:
    """Asks a model of Google's, or a server that speaks like Google's Gemini API.

    Each request is sent once and as a stream; retries and all time limits are the asker's. ``tell`` gets one line for
    what is not an error of an answer. No line and no log of the library's shows the key.
    """

    name = "gemini"
    answers_whole = True
    free = False

    def __init__(
        self,
        settings: GeminiSettings,
        prompt: Prompt,
        catalogue: Catalogue,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Load the library, 1 to 2 s; nothing is sent yet. Raises `BackendSetUpError`."""
        _check(settings)
        self._prompt = prompt
        self._tell = tell
        find = find_key if settings.base_url else read_key
        key = find(GEMINI_VARIABLES, settings.key_file, GEMINI_KEY_FILE) or _NO_KEY
        self._asked = Asked(settings.model, settings.base_url, (key,))
        protect_logs(self._asked.keys)
        try:
            library = importlib.import_module("google.genai")  # optional
        except ImportError as error:
            raise BackendSetUpError(
                "package google-genai is not installed; pip install -r requirements/cloud.txt"
            ) from error
        self._types = library.types
        self._client: Client = self._connect(library, key)
        functions = tools(catalogue)
        self._functions = [function["name"] for function in functions]
        self._tools = self._declared(functions)
        self._told_thoughts = False

    async def answer(self, request: Request) -> AsyncGenerator[AnswerPart, None]:
        """Stream the answer to ``request``; raise `OracleError` as the server's word, or its silence, has it."""
        answer = GeminiAnswer(self._prompt.answer_text(self._functions))
        pieces: asyncio.Queue[GenerateContentResponse | Exception] = asyncio.Queue()  # holds at most an answer
        began_s = asyncio.get_running_loop().time()
        # A task of its own waits for the wire and for nothing else: cancelled there, the library closes the connection
        # at once. Its streams, when they are closed between two pieces, leave that to the garbage collector.
        reading = asyncio.ensure_future(self._read(request, pieces))
        try:
            while answer.finish is None:
                piece = await pieces.get()
                if isinstance(piece, Exception):
                    raise piece
                for part in answer.feed(piece):
                    yield part
            for part in answer.rest():
                yield part
            for line in answer.dropped:
                self._say(line)
            await asyncio.wait([reading], timeout=_LAST_BYTES_S)
            yield Finished(answer.finish, answer.usage)
        except (asyncio.CancelledError, GeneratorExit):
            self._note_thoughts(answer, asyncio.get_running_loop().time() - began_s)
            raise
        except Exception as error:  # the library lets errors of every kind through
            told = oracle_error(error, self._asked)
            cause = error.__cause__ if told is error else showable(error, self._asked.keys)
            told.args = (redacted(f"backend gemini: {told}", self._asked.keys),)
            raise told from cause
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)

    async def disconnect(self) -> None:
        """Close the connections."""
        await self._client.aio.aclose()

    def close(self) -> None:
        """Close what the library keeps for calls that block, of which there are none."""
        self._client.close()

    async def _read(self, request: Request, pieces: asyncio.Queue[GenerateContentResponse | Exception]) -> None:
        """Put every piece of the answer into ``pieces``, and last of all the error that ended it."""
        try:
            stream = await self._client.aio.models.generate_content_stream(
                model=self._asked.model, contents=request.text, config=self._config(request)
            )
            async for piece in stream:
                pieces.put_nowait(piece)
            raise BackendBrokenError("the answer broke off without a reason")
        except Exception as error:
            pieces.put_nowait(error)

    def _config(self, request: Request) -> GenerateContentConfig:
        # As it goes over the wire. The library's own way to it takes 0.4 ms for each thing that was said.
        talk = [
            {"role": _ROLE[said.speaker], "parts": [{"text": said.text}]} for said in self._prompt.messages(request)
        ]
        config: GenerateContentConfig = self._types.GenerateContentConfig(
            http_options=self._types.HttpOptions(extra_body={"contents": talk}),
            system_instruction=self._prompt.system(request, functions=bool(self._functions)),
            max_output_tokens=_LONGEST_TOKENS,
            tools=self._tools,
            automatic_function_calling=self._types.AutomaticFunctionCallingConfig(disable=True),
            automatic_continuation=False,  # the library would ask on by itself
        )
        return config

    def _declared(self, functions: list[dict[str, Any]]) -> ToolListUnion:
        if not functions:
            return []
        declare = self._types.FunctionDeclaration
        return [
            self._types.Tool(
                function_declarations=[
                    declare(name=it["name"], description=it["description"], parameters_json_schema=it["parameters"])
                    for it in functions
                ]
            )
        ]

    def _connect(self, library: Any, key: Key) -> Client:
        client: Client = library.Client(
            api_key=key.value,
            vertexai=False,  # whatever the environment says: that is another service, with other keys
            http_options=self._types.HttpOptions(
                base_url=self._asked.base_url or None,
                timeout=None,  # would be in milliseconds, and told to the server
                # Left out, one of the two HTTP clients that the library may take tries again after up to 10 s.
                retry_options=self._types.HttpRetryOptions(attempts=1),
                # A redirect would take the key elsewhere. Each of the two clients has its own name for that.
                async_client_args={"follow_redirects": False, "allow_redirects": False},
            ),
        )
        return client

    def _say(self, line: str) -> None:
        self._tell(redacted(f"backend gemini: {line}", self._asked.keys))

    def _note_thoughts(self, answer: GeminiAnswer, after_s: float) -> None:
        """Tell once that the model thinks for longer than anybody waits, when such an answer is given up."""
        line = answer.only_thoughts(f"gemini_model = {self._asked.model!r}", after_s)
        if line and not self._told_thoughts:
            self._told_thoughts = True
            self._say(line)


def _check(settings: GeminiSettings) -> None:
    if not settings.model.strip():
        raise BackendSetUpError("gemini_model is empty; set it to a model that the key may use")
    if settings.base_url:
        split_address(settings.base_url, "gemini_base_url", "http://HOST:PORT")
