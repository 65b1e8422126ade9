"""The backend ``openai``: any server that speaks OpenAI's chat wire, asked through OpenAI's library."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kame_ros.oracle.backend import AnswerPart, Finished, Request, Speaker
from kame_ros.oracle.backends.network import connection_error, is_hang_up, split_address
from kame_ros.oracle.backends.openai_answer import OpenAiAnswer
from kame_ros.oracle.backends.openai_errors import (
    Remedies,
    WireTrouble,
    refused_option,
    told_error,
    wire_trouble,
)
from kame_ros.oracle.errors import BackendBrokenError, BackendSetUpError, OracleError
from kame_ros.oracle.intents.catalogue import Catalogue
from kame_ros.oracle.intents.tools import tools
from kame_ros.oracle.keys import OPENAI_KEY_FILE, OPENAI_VARIABLES, Key, find_key, read_key
from kame_ros.oracle.prompt.prompt import Prompt
from kame_ros.oracle.redaction import protect_logs, redacted, showable
from kame_ros.oracle.withheld import without_words

if TYPE_CHECKING:
    from openai import AsyncOpenAI, AsyncStream
    from openai.types.chat import ChatCompletionChunk

_OWN_ADDRESS = "https://api.openai.com/v1"
_NO_KEY = "none"  # what servers without accounts are given, since the library wants something
_CONNECT_S = 5.0  # all other time limits are the asker's
_USAGE_S = 0.5  # an answer that is complete is not kept longer than this from being so
_END = object()
_ROLE = {Speaker.USER: "user", Speaker.ROBOT: "assistant"}


@dataclass(frozen=True)
class OpenAiSettings:
    """Which server and which model, named as the parameters after ``openai_``."""

    base_url: str = ""  # empty: OpenAI's own; one of another server needs no key
    model: str = "gpt-4.1"
    key_file: Path | None = None  # None: OPENAI_API_KEY


class OpenAi:
    """Asks a language model behind an OpenAI-compatible server: GPT, Claude, vLLM, llama.cpp, Ollama and others.

    Each request is answered once and as a stream; retries are the asker's, and so are all time limits but that for
    connecting, 5 s. A server that takes no function calls, or does not count tokens, is asked without. ``tell`` gets
    one line for what is not an error of an answer. No line and no log of the library's shows the key.
    """

    name = "openai"
    answers_whole = True
    free = False

    def __init__(
        self,
        settings: OpenAiSettings,
        prompt: Prompt,
        catalogue: Catalogue,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Load the library, 0.5 s; nothing is sent yet. Raises `BackendSetUpError`."""
        if not settings.model.strip():
            raise BackendSetUpError("openai_model is empty; set it to a model that the server has")
        self._settings = settings
        self._prompt = prompt
        self._tell = tell
        key = _key(settings)
        address = settings.base_url or _OWN_ADDRESS
        self._keys = [*([key] if key else []), *_password(address)]
        protect_logs(self._keys)
        self._client = _client(address, key)
        self._completions = self._client.chat.completions  # here, since the library loads it only when it is used
        functions = tools(catalogue)
        self._functions = [function["name"] for function in functions]
        # What the request can do without where the server does not take it.
        self._options: dict[str, Any] = {"stream_options": {"include_usage": True}}
        if functions:
            self._options["tools"] = [{"type": "function", "function": function} for function in functions]
        self._remedies = Remedies(
            f"put {' or '.join((*OPENAI_VARIABLES, OPENAI_KEY_FILE))} right",
            f"set openai_model = {settings.model!r} to one that this server has",
            f"set openai_base_url = {settings.base_url!r} to the address of an OpenAI-compatible server, "
            "usually ending in /v1",
        )
        self._told_thoughts = False

    async def answer(self, request: Request) -> AsyncGenerator[AnswerPart, None]:
        """Stream the answer to ``request``; raise `OracleError` as the server's word, or its silence, has it."""
        answer = OpenAiAnswer(self._prompt.answer_text(self._functions))
        began_s = asyncio.get_running_loop().time()
        stream = None
        try:
            stream = await self._open(request)
            await self._check(stream)
            while answer.finish is None:
                if (chunk := await anext(stream, _END)) is _END:
                    raise BackendBrokenError("the answer broke off without a reason")
                for part in answer.feed(_plain(chunk)):
                    yield part
            for part in answer.rest():
                yield part
            for line in answer.dropped:
                self._say(line)
            await self._read_usage(stream, answer)
            yield Finished(answer.finish, answer.usage)
        except (asyncio.CancelledError, GeneratorExit):
            self._note_thoughts(answer, asyncio.get_running_loop().time() - began_s)
            raise
        except OracleError as error:
            raise self._named(error) from error.__cause__
        except Exception as error:  # the library lets errors of every kind through
            raise self._named(self._told(error)) from showable(error, self._keys)
        finally:
            if stream is not None:
                await stream.close()

    async def disconnect(self) -> None:
        """Close the connections."""
        await self._client.close()

    def close(self) -> None:
        """Hold nothing but connections, see `disconnect`."""

    async def _open(self, request: Request) -> AsyncStream[ChatCompletionChunk]:
        sent_again = False
        while True:
            options = dict(self._options)
            try:
                return await self._send(request, options)
            except Exception as error:
                trouble = self._trouble(error)
                if trouble is None and not sent_again and is_hang_up(error):
                    # A server may end an idle connection at the very moment at which it is used again.
                    sent_again = True
                    continue
                option = trouble and refused_option(trouble, options)
                if not trouble or not option:
                    raise
                # Another request may have found it out meanwhile.
                if self._options.pop(option, None):
                    refused = without_words(trouble.message, [request.text])
                    self._say(f"asks this server from now on without {option}, which it refused ({refused})")

    async def _send(self, request: Request, options: dict[str, Any]) -> AsyncStream[ChatCompletionChunk]:
        system = self._prompt.system(request, functions="tools" in options)
        talk = self._prompt.messages(request)
        messages: Any = [
            {"role": "system", "content": system},
            *({"role": _ROLE[said.speaker], "content": said.text} for said in talk),
        ]
        # Given as an argument, the tools would be walked through anew for each request, which takes 5 ms.
        beside = {"tools": options["tools"]} if "tools" in options else None
        rest = {name: value for name, value in options.items() if name != "tools"}
        stream: AsyncStream[ChatCompletionChunk] = await self._completions.create(
            model=self._settings.model, messages=messages, stream=True, extra_body=beside, **rest
        )
        return stream

    async def _check(self, stream: AsyncStream[ChatCompletionChunk]) -> None:
        """Raise where the response is no stream of events, of which the library would say nothing."""
        content_type = stream.response.headers.get("content-type", "").split(";")[0].strip()
        if content_type == "application/json":
            body = json.loads(await stream.response.aread())
            if isinstance(body, dict) and body.get("error"):
                raise told_error(wire_trouble(body["error"], keys=self._keys), _now(), self._remedies)
        if content_type in {"application/json", "text/html"}:
            raise BackendSetUpError(f"the answer is {content_type} and no stream; {self._remedies.address}")

    async def _read_usage(self, stream: AsyncStream[ChatCompletionChunk], answer: OpenAiAnswer) -> None:
        """Read what comes after the answer, to its end, so that the connection can be used again."""

        async def read() -> None:
            while (chunk := await anext(stream, _END)) is not _END:
                answer.feed(_plain(chunk))

        # Whatever goes wrong here, the answer is complete.
        with contextlib.suppress(Exception):
            await asyncio.wait_for(read(), _USAGE_S)

    def _told(self, error: Exception) -> OracleError:
        """Translate whatever the library raised."""
        if trouble := self._trouble(error):
            return told_error(trouble, _now(), self._remedies)
        return connection_error(error, f"openai_base_url = {self._settings.base_url or _OWN_ADDRESS!r}")

    def _trouble(self, error: Exception) -> WireTrouble | None:
        """Return what the server told; None: the error is not of its making."""
        response, body = getattr(error, "response", None), getattr(error, "body", None)
        if response is not None:
            headers = {name.lower(): text for name, text in response.headers.items()}
            return wire_trouble(body, response.status_code, headers, self._keys)
        return None if body is None else wire_trouble(body, keys=self._keys)

    def _named(self, error: OracleError) -> OracleError:
        """Put our name before the line of ``error``, and no key into it."""
        error.args = (redacted(f"backend openai: {error}", self._keys),)
        return error

    def _say(self, line: str) -> None:
        self._tell(redacted(f"backend openai: {line}", self._keys))

    def _note_thoughts(self, answer: OpenAiAnswer, after_s: float) -> None:
        """Tell once that the model thinks for longer than anybody waits, when such an answer is given up."""
        line = answer.only_thoughts(f"openai_model = {self._settings.model!r}", after_s)
        if line and not self._told_thoughts:
            self._told_thoughts = True
            self._say(line)


def _key(settings: OpenAiSettings) -> Key | None:
    if settings.base_url:
        return find_key(OPENAI_VARIABLES, settings.key_file, OPENAI_KEY_FILE)
    return read_key(OPENAI_VARIABLES, settings.key_file, OPENAI_KEY_FILE)


def _password(address: str) -> list[Key]:
    """Check ``address`` and return the password in it, if there is one."""
    parts = split_address(address, "openai_base_url", "http://HOST:PORT/v1")
    return [Key(parts.password)] if parts.password else []


def _client(address: str, key: Key | None) -> AsyncOpenAI:
    try:
        library = importlib.import_module("openai")  # optional
    except ImportError as error:
        raise BackendSetUpError("package openai is not installed; pip install -r requirements/cloud.txt") from error
    client: AsyncOpenAI = library.AsyncOpenAI(
        api_key=key.value if key else _NO_KEY,
        base_url=address,
        max_retries=0,
        timeout=library.Timeout(None, connect=_CONNECT_S),
    )
    return client


def _plain(chunk: Any) -> dict[str, Any]:
    """Return a chunk as it was sent; the library gives back unchanged what is none."""
    return chunk.to_dict(warnings=False) if hasattr(chunk, "to_dict") else {}


def _now() -> datetime:
    return datetime.now(timezone.utc)
