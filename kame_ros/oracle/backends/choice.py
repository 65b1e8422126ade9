"""Backends by the names that the parameter ``backend`` gives them, one behind the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kame_ros.oracle.backend import Backend
from kame_ros.oracle.backends.chain import Chain, ChainCounts
from kame_ros.oracle.backends.chain_policy import ChainSettings
from kame_ros.oracle.backends.commands import Commands
from kame_ros.oracle.backends.gemini import Gemini, GeminiSettings
from kame_ros.oracle.backends.knowledge import Knowledge
from kame_ros.oracle.backends.local import Local
from kame_ros.oracle.backends.openai import OpenAi, OpenAiSettings
from kame_ros.oracle.deadlines import Deadlines
from kame_ros.oracle.errors import OracleError
from kame_ros.oracle.intents.catalogue import Catalogue
from kame_ros.oracle.prompt.prompt import Prompt, PromptSettings
from kame_ros.oracle.redaction import redacted

LAST_RESORT = "knowledge"


@dataclass(frozen=True)
class BackendSettings:
    """What the backends are made with."""

    knowledge: Path
    local_model: Path | None = None  # None: the one in its wheel
    openai: OpenAiSettings = field(default_factory=OpenAiSettings)
    gemini: GeminiSettings = field(default_factory=GeminiSettings)
    prompt: PromptSettings = field(default_factory=PromptSettings)
    chain: ChainSettings = field(default_factory=ChainSettings)
    deadlines: Deadlines = field(default_factory=Deadlines)


@dataclass(frozen=True)
class _Made:
    settings: BackendSettings
    catalogue: Catalogue
    prompt: Prompt
    tell: Callable[[str], None]


BACKENDS: Mapping[str, Callable[[_Made], Backend]] = {
    "knowledge": lambda made: Knowledge(made.settings.knowledge, made.catalogue),
    "local": lambda made: Local(made.settings.local_model, made.prompt),
    "openai": lambda made: OpenAi(made.settings.openai, made.prompt, made.catalogue, made.tell),
    "gemini": lambda made: Gemini(made.settings.gemini, made.prompt, made.catalogue, made.tell),
}


def make_backend(
    names: Sequence[str],
    settings: BackendSettings,
    catalogue: Catalogue,
    tell: Callable[[str], None],
    counts: ChainCounts | None = None,
) -> Commands:
    """Load the backends ``names`` and behind them `LAST_RESORT`, which may take seconds.

    ``tell`` gets a line for each that cannot be had, and later for each that begins or ceases to fail, in any thread.
    ``counts`` goes on from those of a backend before. Raises `OracleError` where the last resort is all there would be,
    and cannot be had.
    """
    made = _Made(settings, catalogue, Prompt(settings.prompt), tell)
    links: list[Backend] = []
    for name in dict.fromkeys((*names, LAST_RESORT)):
        try:
            links.append(BACKENDS[name](made))
        except OracleError as error:
            if name == LAST_RESORT and not links:
                raise
            tell(f"backend {name}: {error}; the others answer")
        except Exception as error:  # libraries bring their own, such as for a proxy that they cannot use
            if name == LAST_RESORT:
                raise
            line = " ".join(str(error).split())
            tell(redacted(f"backend {name}: cannot be loaded ({type(error).__name__}: {line}); the others answer"))
    return Commands(Chain(links, settings.chain, settings.deadlines, tell, counts), catalogue)
