"""Which recogniser writes which language."""

from __future__ import annotations

from collections.abc import Sequence

from kame_ros.oracle.transcriber import TranscriberError


def language(locale: str) -> str:
    """Return the language of a BCP 47 tag, as ``ja`` of ``ja-JP``."""
    return locale.replace("_", "-").partition("-")[0].casefold()


def check_language(locale: str, languages: Sequence[str], model: str, remedy: str) -> None:
    """Raise `TranscriberError` unless ``model`` writes the language of ``locale``; ``remedy`` says what to set."""
    if language(locale) not in languages:
        raise TranscriberError(f"locale = {locale!r}: {model} writes only {' and '.join(languages)}; {remedy}")
