"""Where a word ends in writing that puts no blanks between words, and which marks of a pause go with it."""

from __future__ import annotations

import re

_KANA_AND_HAN = "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
_WIDE_MARKS = "\u3000-\u3004\u3008-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
_OPENING = "\u3008\u300a\u300c\u300e\u3010\u3014\u3016\u3018\u301a\uff08\uff3b\uff5b\uff5f\uff62"

_UNSPACED = re.compile(f"[{_KANA_AND_HAN}{_WIDE_MARKS}]")
# After a mark, before an opening bracket, and where hiragana, which end a Japanese phrase, give way to anything else
# that can begin one.
_BREAK = re.compile(
    f"(?<=[{_WIDE_MARKS}])(?<![{_OPENING}])(?=[^{_WIDE_MARKS}])"
    f"|(?<=[^{_OPENING}])(?=[{_OPENING}])"
    "|(?<=[\u3041-\u309f])(?=[^\u3041-\u309f\u30fc!-/:-@\\[-`{-~" + _WIDE_MARKS + "])"
)


def unspaced(character: str) -> bool:
    """Return whether ``character`` belongs to Japanese or Chinese, where words follow each other without blanks."""
    return _UNSPACED.match(character) is not None


def phrases(word: str) -> list[str]:
    """Cut what stands between two blanks where a phrase ends; whether it ends is told by two neighbours only."""
    return [word] if word.isascii() else _BREAK.split(word)


def pause_mark(mark: str, last: str) -> str:
    """Return ``mark``, a comma or a full stop, as it is written after the character ``last``."""
    return {",": "\u3001", ".": "\u3002"}[mark] if mark and unspaced(last) else mark
