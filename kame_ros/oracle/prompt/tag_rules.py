"""Where tags begin: HTML, and the marks by which models tell thoughts, calls and turns apart."""

from __future__ import annotations

from collections.abc import Collection

from kame_ros.oracle.prompt.call_rules import CallRules
from kame_ros.oracle.prompt.listener import Listener
from kame_ros.oracle.prompt.scanner import Part, Rule, Scanner
from kame_ros.oracle.prompt.tags import Tag, TagKind, cut_off, is_user, read_tag

_OTHER_ANGLES = str.maketrans("<>", "\u25c1\u25b7")


class TagRules:
    """Takes tags away, and with some of them what stands between them."""

    def __init__(self, scanner: Scanner, calls: CallRules, functions: Collection[str], listener: Listener) -> None:
        """Work for ``scanner``."""
        self._scanner = scanner
        self._calls = calls
        self._functions = frozenset(functions)
        self._listener = listener
        self._struck = False  # within <s>, which otherwise begins a text
        self._head = ""  # of a turn; may name a function

    def rules(self) -> dict[str, Rule]:
        """Return the rules by the characters that they begin after."""
        return {"<": lambda: self._tag("<", ">"), "\u25c1": lambda: self._tag("\u25c1", "\u25b7")}

    def _tag(self, opening: str, closing: str) -> Part:
        inside, character = yield from self._scanner.collect(f"{closing}<\n")
        if inside.startswith("!--") and not (character == closing and inside.endswith("--")):
            return (yield from self._scanner.skip("-->")) if character else ""
        if not character and cut_off(inside):
            return ""
        tag = read_tag(inside, self._functions) if character == closing else Tag(TagKind.NONE)
        if tag.kind is TagKind.NONE:
            self._scanner.say(opening)
            return (yield from self._scanner.read_again(inside, character))
        return (yield from self._after(tag, tag.closing if opening == "<" else tag.closing.translate(_OTHER_ANGLES)))

    def _after(self, tag: Tag, closing: str) -> Part:
        match tag.kind:
            case TagKind.SILENT:
                return (yield from self._scanner.skip(closing))
            case TagKind.CALL:
                return (yield from self._calls.up_to(closing, tag.written))
            case TagKind.HEAD:
                return (yield from self._read_head(closing))
            case TagKind.CHANNEL:
                return (yield from self._channel(closing))
        self._mark(tag)
        return (yield)

    def _mark(self, tag: Tag) -> None:
        match tag.kind:
            case TagKind.AFTER_THOUGHT:
                self._listener.take_back()
            case TagKind.STRIKE:
                self._struck = bool(self._scanner.last)
            case TagKind.AFTER_STRIKE if self._struck:
                self._struck = False
            case TagKind.AFTER_STRIKE | TagKind.END:
                self._listener.end()
            case _:
                self._scanner.say(tag.written)

    def _read_head(self, closing: str) -> Part:
        self._head, end = yield from self._scanner.region(closing)
        if is_user(self._head):
            self._listener.end()
        return end if end in ("", "<") else (yield)

    def _channel(self, closing: str) -> Part:
        name, end = yield from self._scanner.region(closing)
        head, self._head = f"{self._head} {name} ", ""
        if not end:
            return ""
        if "to=" in head:
            return (yield from self._calls.up_to("<|call|>", head))
        return (yield from self._scanner.skip("<|end|>")) if "analysis" in head else (yield)
