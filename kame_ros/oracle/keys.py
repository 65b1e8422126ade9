"""The keys of answering and recognising services: from the environment or a file, and never shown."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kame_ros.oracle.errors import BackendSetUpError

# The environment variables that hold a provider's key, and the parameter that names a file with it.
OPENAI_VARIABLES, OPENAI_KEY_FILE = ("OPENAI_API_KEY",), "openai_key_file"
GEMINI_VARIABLES, GEMINI_KEY_FILE = ("GEMINI_API_KEY", "GOOGLE_API_KEY"), "gemini_key_file"

_LONGEST_CHARACTERS = 10_000  # read of a file, whatever it is


@dataclass(frozen=True)
class Key:
    """A secret whose ``value`` no representation shows: printable ASCII without blanks, at least one character."""

    value: str = field(repr=False)


def read_key(variables: Sequence[str], file: Path | None, parameter: str) -> Key:
    """Return the key of a service that is used with one only; see `find_key`.

    Raises `BackendSetUpError`, for a key that is nowhere too.
    """
    key = find_key(variables, file, parameter)
    if key is None:
        blank = next((name for name in variables if name in os.environ), None)
        verb = "is" if len(variables) == 1 else "are"
        found = f"{blank} is blank" if blank else f"{' and '.join(variables)} {verb} not set"
        raise BackendSetUpError(
            f"no key: {found} and {parameter} is empty; set {variables[0]}, or {parameter} to a file"
        )
    return key


def find_key(variables: Sequence[str], file: Path | None, parameter: str) -> Key | None:
    """Return the key in ``file``, or else in the first of the environment ``variables`` that is not blank.

    None where there is neither. Blanks around a key do not matter. Raises `BackendSetUpError` naming ``parameter``, by
    which the file was given, or the variable; the line holds nothing of what was read.
    """
    if file is not None:
        return _checked(_contents(file, parameter), f"{parameter} = {str(file)!r}", variables)
    for name in variables:
        value = os.environ.get(name, "").strip()
        if value:
            return _checked(value, name, variables)
    return None


def _contents(file: Path, parameter: str) -> str:
    try:
        path = file.expanduser()
        if path.exists() and not path.is_file():  # a pipe or a device may have no end
            raise OSError(errno.EINVAL, "not a plain file")
        with path.open(encoding="ascii") as key:
            return key.read(_LONGEST_CHARACTERS).strip()
    except UnicodeDecodeError:  # without its cause, which holds what was read
        raise BackendSetUpError(
            f"{parameter} = {str(file)!r}: not a key, which is plain ASCII; write the key alone into the file"
        ) from None
    except (OSError, RuntimeError, ValueError) as error:  # RuntimeError: a home that is unknown
        reason = getattr(error, "strerror", None) or str(error)
        raise BackendSetUpError(
            f"{parameter} = {str(file)!r}: {reason}; name a readable file that holds the key alone"
        ) from error


def _checked(value: str, where: str, variables: Sequence[str]) -> Key:
    if not value:
        raise BackendSetUpError(f"{where}: the file is blank; write the key into it")
    if (
        not (value.isascii() and value.isprintable())
        or " " in value
        or value.startswith(tuple(f"{name}=" for name in variables))
    ):
        raise BackendSetUpError(f"{where}: not a key, which is plain ASCII without blanks; give the key alone")
    return Key(value)
