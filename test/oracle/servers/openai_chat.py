"""A server on this machine that speaks OpenAI's chat wire, well or as badly as it is told; standard library only."""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

DONE = b"data: [DONE]\n\n"
PING = b": ping\n\n"
_TLS_HELLO = b"\x16"


@dataclass(frozen=True)
class Drop:
    """The connection is reset here."""


Step = bytes | float | Drop  # sent as it is; a wait in seconds; the end


@dataclass(frozen=True)
class Reply:
    """What the server does with one request."""

    steps: Sequence[Step] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "text/event-stream"
    headers_after_s: float = 0.0
    hang_up: bool = False  # the connection is reset before a byte is answered


@dataclass
class Asked:
    """One request as it came, and when; times are steady, in seconds."""

    path: str
    headers: dict[str, str]  # names in lower case
    body: dict[str, Any]
    at_s: float
    client: tuple[str, int]  # one for all requests on one connection
    first_sent_s: float | None = None  # when the first byte of the answer's body went out
    left_s: float | None = None  # when the client went away before the answer's end; None: it did not


def event(data: object, name: str = "") -> bytes:
    """Return one event of a stream."""
    return (f"event: {name}\n" if name else "").encode() + f"data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def chunk(content: str | None = None, finish: str | None = None, **delta: object) -> bytes:
    """Return the event of one chunk; ``delta`` holds what there is beside the content."""
    if content is not None:
        delta = {"content": content, **delta}
    return raw_chunk([{"index": 0, "delta": delta, "finish_reason": finish}])


def raw_chunk(choices: object, **more: object) -> bytes:
    """Return the event of a chunk with any ``choices``."""
    return event(
        {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices, **more}
    )


def usage(prompt: int, answer: int) -> bytes:
    """Return the chunk that tells what an answer cost."""
    counts = {"prompt_tokens": prompt, "completion_tokens": answer, "total_tokens": prompt + answer}
    return raw_chunk([], usage=counts)


def said(*pieces: str, finish: str | None = "stop") -> list[Step]:
    """Return the stream of an answer in ``pieces`` that ends well."""
    return [chunk("", role="assistant"), *map(chunk, pieces), chunk(finish=finish), DONE]


def called(name: str, arguments: str, size: int = 5, index: int = 0) -> list[Step]:
    """Return the chunks of a function call, its arguments in pieces of ``size`` characters."""
    head = {"index": index, "id": f"call_{index}", "type": "function", "function": {"name": name, "arguments": ""}}
    pieces = [arguments[start : start + size] for start in range(0, len(arguments), size)]
    tails = [{"index": index, "function": {"arguments": piece}} for piece in pieces]
    return [chunk(tool_calls=[part]) for part in (head, *tails)]


def cut(steps: Iterable[Step], size: int) -> list[Step]:
    """Return ``steps`` with what is sent in pieces of ``size`` bytes, whatever is cut by it."""
    result: list[Step] = []
    for step in steps:
        if isinstance(step, bytes):
            result += [step[start : start + size] for start in range(0, len(step), size)]
        else:
            result.append(step)
    return result


def refusal(status: int, message: str, kind: str = "", code: str | None = None, **headers: str) -> Reply:
    """Return an error as OpenAI tells it; ``headers`` with _ for -."""
    body = json.dumps({"error": {"message": message, "type": kind, "param": None, "code": code}})
    return Reply([body.encode()], status, {k.replace("_", "-"): v for k, v in headers.items()}, "application/json")


def claude_refusal(status: int, kind: str, message: str) -> Reply:
    """Return an error as Claude tells it."""
    body = json.dumps({"type": "error", "error": {"type": kind, "message": message}})
    return Reply([body.encode()], status, {}, "application/json")


class ChatServer:
    """Answers on 127.0.0.1, in a thread of its own, until it is closed.

    ``replies`` are given in turn, the last again and again; or one function chooses by what was asked. Whatever a
    client does, the next one is served.
    """

    def __init__(self, *replies: Reply | Callable[[Asked], Reply], tls: ssl.SSLContext | None = None) -> None:
        """Start to listen."""
        self.replies = list(replies)
        self.asked: list[Asked] = []
        self._tls = tls
        self._connections: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._server = self._loop.run_until_complete(asyncio.start_server(self._accept, "127.0.0.1", 0, ssl=tls))
        self.port: int = self._server.sockets[0].getsockname()[1]
        self._thread = threading.Thread(target=self._loop.run_forever, name="chat server")
        self._thread.start()

    @property
    def base_url(self) -> str:
        """Address for the SDK."""
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}/v1"

    def close(self) -> None:
        """End all connections and the thread; may be called again."""
        if self._thread.is_alive():
            asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(5)
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def __enter__(self) -> ChatServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # What follows runs in the server's thread.

    async def _end(self) -> None:
        self._server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._connections.add(task)
        client = writer.get_extra_info("peername")
        try:
            first = await reader.read(1)
            if first == _TLS_HELLO:
                writer.write(b"HTTP/1.1 400 No TLS Here\r\ncontent-length: 0\r\n\r\n")
                return
            while first and await self._serve(await _read(first, reader, client), reader, writer):
                first = await reader.read(1)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client is gone, or we end
        finally:
            self._connections.discard(task)
            writer.close()

    async def _serve(self, asked: Asked, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; return whether the connection may go on."""
        self.asked.append(asked)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        sending = asyncio.ensure_future(_send(asked, reply if isinstance(reply, Reply) else reply(asked), writer))
        # The client sends nothing before it has the answer, so this returns only when it goes away.
        leaving = asyncio.ensure_future(reader.read(1))
        try:
            await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
            if leaving.done() and not sending.done():
                asked.left_s = time.monotonic()
                return False
            return sending.result()
        finally:
            for task in (sending, leaving):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError, OSError):
                    await task


async def _read(start: bytes, reader: asyncio.StreamReader, client: tuple[str, int]) -> Asked:
    head = (start + await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.strip().split("\r\n")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(first.split(" ")[1], headers, json.loads(body or b"{}"), time.monotonic(), client)


async def _send(asked: Asked, reply: Reply, writer: asyncio.StreamWriter) -> bool:
    await asyncio.sleep(reply.headers_after_s)
    if reply.hang_up:
        writer.transport.abort()
        return False
    headers = {"content-type": reply.content_type, "transfer-encoding": "chunked", **reply.headers}
    lines = [f"HTTP/1.1 {reply.status} As Told", *(f"{name}: {value}" for name, value in headers.items())]
    writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
    for step in reply.steps:
        if isinstance(step, Drop):
            writer.transport.abort()
            return False
        if isinstance(step, bytes):
            asked.first_sent_s = asked.first_sent_s or time.monotonic()
            writer.write(f"{len(step):x}\r\n".encode() + step + b"\r\n")
            await writer.drain()
        else:
            await asyncio.sleep(step)
    writer.write(b"0\r\n\r\n")
    await writer.drain()
    return True
