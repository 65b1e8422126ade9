"""The command ``kame``."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from kame_ros.app.signals import Signals

COMMANDS = ("run", "demo", "ask", "verify", "devices", "doctor")


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Carry out the command line ``arguments`` (by default the process's own) and end the process."""
    # Before anything else: a Ctrl-C while ROS is imported must be no traceback either.
    signals = Signals()
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by who started us, as with >&-
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 (for the whole process)
    code = _carry_out(sys.argv[1:] if arguments is None else list(arguments), signals)
    with contextlib.suppress(OSError):
        sys.stdout.flush()
    # A thread that still loads ROS must not keep a command that is done.
    os._exit(code)


def _carry_out(words: list[str], signals: Signals) -> int:
    # Imported when the signals are ours, here and below.
    from kame_ros.app.error import KameError  # noqa: PLC0415

    try:
        return _command(words, signals)
    except KameError as error:
        sys.stderr.write(f"kame: {error}\n")
        return error.exit_code
    except ImportError as error:
        sys.stderr.write(f"kame: {error}; looked for with {sys.executable}: use the environment that make demo makes\n")
        return 1
    except BrokenPipeError:  # kame run --help | head
        return 0
    except OSError as error:  # a full disk, most of all
        sys.stderr.write(f"kame: {error.filename or 'output'}: {error.strerror or error}\n")
        return 1


def _command(words: list[str], signals: Signals) -> int:
    from kame_ros import __version__  # noqa: PLC0415
    from kame_ros.app import usage  # noqa: PLC0415
    from kame_ros.app.error import UsageError  # noqa: PLC0415

    command, rest = (words[0], words[1:]) if words else ("--help", [])
    if command == "--version":
        print(f"kame_ros {__version__}")
        return 0
    if command in ("--help", "-h", "help"):
        print(usage.overview())
        return 0
    if command not in COMMANDS:
        raise UsageError(f"{command!r}: unknown command; there are {', '.join(COMMANDS)}, and kame --help")
    if any(word in ("--help", "-h") for word in rest):
        print(usage.of(command))
        return 0
    return _run(command, rest, signals)


def _run(command: str, rest: list[str], signals: Signals) -> int:
    match command:
        case "run":
            from kame_ros.app.run import run  # noqa: PLC0415

            return run(rest, signals)
        case "demo":
            from kame_ros.app.demo import demo  # noqa: PLC0415

            return demo(rest, signals)
        case "verify":
            from kame_ros.app.verify import verify  # noqa: PLC0415

            return verify(rest)
        case "devices":
            from kame_ros.app.devices import devices  # noqa: PLC0415

            return devices(rest, signals)
        case "doctor":
            from kame_ros.app.doctor import doctor  # noqa: PLC0415

            return doctor(rest, signals)
        case _:
            from kame_ros.app.ask import ask  # noqa: PLC0415

            return ask(rest, signals)
