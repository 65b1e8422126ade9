"""Whether there are keys for the services in the network; no key is shown, sent or tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from kame_ros.app.checks.finding import Finding, State, Values, missing
from kame_ros.oracle.errors import OracleError
from kame_ros.oracle.keys import (
    GEMINI_KEY_FILE,
    GEMINI_VARIABLES,
    OPENAI_KEY_FILE,
    OPENAI_VARIABLES,
    find_key,
    read_key,
)


@dataclass(frozen=True)
class _Service:
    part: str
    backend: str
    transcriber: str
    """Its name as a recogniser; both use one key."""
    library: str
    variables: Sequence[str]
    key_file: str
    """The parameter that names a file with the key."""


_SERVICES = (
    _Service("service openai", "openai", "openai", "openai", OPENAI_VARIABLES, OPENAI_KEY_FILE),
    _Service("service gemini, google", "gemini", "google", "google.genai", GEMINI_VARIABLES, GEMINI_KEY_FILE),
)


def check(values: Values) -> Iterator[Finding]:
    """Look for the library and the key of each service."""
    bridge = values["oracle_bridge"]
    for service in _SERVICES:
        answers = service.backend in str(bridge["backend"]).split(", ")
        recognises = bridge["transcriber"] == service.transcriber
        needed = answers or recognises
        if not _installed(service.library):
            told = f"its library {service.library} is not installed"
            yield missing(service.part, told, "pip install '.[cloud]'", needed=needed)
            continue
        addresses = (answers, f"{service.backend}_base_url"), (recognises, "transcriber_base_url")
        asks_for_a_key = not needed or any(used and not bridge[parameter] for used, parameter in addresses)
        file = Path(str(bridge[service.key_file])) if bridge[service.key_file] else None
        find = read_key if asks_for_a_key else find_key
        try:
            key = find(service.variables, file, service.key_file)
        except OracleError as error:
            yield missing(service.part, error, needed=needed)
        else:
            there = "there is a key, which was not tried" if key else "a server of your own: no key, which may be right"
            yield Finding(service.part, State.WORKS, there)


def _installed(library: str) -> bool:
    try:
        return find_spec(library) is not None
    except ModuleNotFoundError:  # of the package that it lies in
        return False
