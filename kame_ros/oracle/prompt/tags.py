"""What stands between angle brackets: HTML, and the marks by which models tell thoughts, calls and turns apart."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum, auto


class TagKind(Enum):
    """What a tag means for what follows it."""

    NONE = auto()  # no tag: less than
    MARKUP = auto()
    SILENT = auto()  # up to its closing tag, nothing is said
    AFTER_THOUGHT = auto()  # closes a thought
    CALL = auto()  # up to its closing tag, a call is written
    HEAD = auto()  # who speaks follows, up to the closing text
    CHANNEL = auto()  # what kind of words follow, up to the closing text
    STRIKE = auto()  # what follows is struck out, or it is the beginning of all
    AFTER_STRIKE = auto()  # closes the former, or is the end of all
    END = auto()  # the answer is over


@dataclass(frozen=True)
class Tag:
    """A tag, what closes it, and what is written instead of it."""

    kind: TagKind
    closing: str = ""  # in small letters
    written: str = ""


_THOUGHTS = frozenset(
    {"think", "thinking", "thought", "thoughts", "reasoning", "reflection", "scratchpad", "analysis", "start_thinking"}
)
_CALLS = frozenset(
    {"tool_call", "tool_calls", "function_call", "function_calls", "functioncall", "function", "invoke", "tool_use"}
    | {"start_action", "python_tag", "tool_calls_section_begin", "tool_calls_begin", "tool_call_begin"}
)
_SILENT = frozenset(
    {"script", "style", "svg", "math", "tool_response", "tool_result", "function_results", "tool_outputs"}
)
_ENDS = frozenset({"im_end", "eot_id", "endoftext", "end_of_text", "end_of_turn", "end_of_sentence", "eos"})
_USERS = frozenset({"user", "human", "system", "tool"})
_SPECIAL_ENDS = _USERS | {"return"}
_HEADS = {"im_start": "\n", "start_of_turn": "\n", "start_header_id": "<|end_header_id|>", "start": "<"}
_WRITTEN = {
    "br": "\n",
    "div": "\n",
    "tr": "\n",
    "h1": "\n\n",
    "h2": "\n\n",
    "h3": "\n\n",
    "p": "\n\n",
    "ul": "\n",
    "ol": "\n",
    "table": "\n",
    "li": "\n- ",
    "td": "|",
    "th": "|",
    "hr": "\n\n",
}
_NAME = re.compile(r"/?\s*(?:[a-z_]+:)?([a-z][\w-]*)")
_ELEMENT = re.compile(r"/?[A-Za-z][\w:.-]*(?:\s+[\w:-]+\s*=[^<>]*|=[^<>]*)?\s*/?|!--.*|![A-Z]+\b.*|\?xml.*|/")
_AUTOLINK = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+|\S+@\S+")
_SPECIAL = re.compile(r"[|\uff5c].*[|\uff5c]")
_CUT_OFF = re.compile(r"[!/|\uff5c]?[\w|\uff5c/:=\u2581-]*")


def read_tag(inside: str, functions: Collection[str] = ()) -> Tag:
    """Tell what the text ``inside`` a pair of angle brackets is; tags named like one of ``functions`` call it."""
    special = _SPECIAL.fullmatch(inside) is not None
    if not special and not _ELEMENT.fullmatch(inside):
        return Tag(TagKind.MARKUP if _AUTOLINK.fullmatch(inside) else TagKind.NONE)
    plain = inside.strip("|\uff5c ").replace("\u2581", "_")
    found = _NAME.match(plain.lower())
    name = found[1] if found else ""
    tag = _turn_tag(name, special)
    if tag:
        return tag
    if plain.startswith("/") or name.startswith("end_") or inside.endswith("/"):
        return _closing_tag(name)
    named = plain in functions or plain.lower() != name
    closing = _closing(inside, name, special)
    if plain in functions or name in _CALLS:
        return Tag(TagKind.CALL, closing, f"<{plain}>" if named else "")
    if name in _THOUGHTS or name in _SILENT:
        return Tag(TagKind.SILENT, closing)
    return Tag(TagKind.STRIKE if name == "s" else TagKind.MARKUP, written=_WRITTEN.get(name, ""))


def cut_off(inside: str) -> bool:
    """Return whether ``inside``, the last that came, is what a tag begins with."""
    return _CUT_OFF.fullmatch(inside) is not None


def is_user(head: str) -> bool:
    """Return whether the head of a turn says that it is not the robot's."""
    return head.lower().split()[:1] != [] and head.lower().split()[0] in _USERS


def _turn_tag(name: str, special: bool) -> Tag | None:
    """Return the tag where it tells one speaker's words from another's."""
    if special and name == "channel":
        return Tag(TagKind.CHANNEL, "<|message|>")
    if name in _HEADS and (special or name == "start_of_turn"):
        return Tag(TagKind.HEAD, _HEADS[name])
    if name in _ENDS or (special and name in _SPECIAL_ENDS):
        return Tag(TagKind.END)
    return None


def _closing_tag(name: str) -> Tag:
    if name == "s":
        return Tag(TagKind.AFTER_STRIKE)
    if name.replace("end_", "start_") in _THOUGHTS:
        return Tag(TagKind.AFTER_THOUGHT)
    return Tag(TagKind.MARKUP, written=_WRITTEN.get(name, "").rstrip("- |"))


def _closing(inside: str, name: str, special: bool) -> str:
    low = inside.lower()
    if name == "python_tag":
        return "<|eom_id|>"
    if "begin" in name:
        return f"<{low.replace('begin', 'end')}>"
    if name.startswith("start_"):
        return f"<{low.replace('start_', 'end_')}>"
    return f"<|/{name}|>" if special else f"</{re.split(r'[ =]', low, maxsplit=1)[0]}>"
