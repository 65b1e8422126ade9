"""``kame ask``: types a question to nodes that run already."""

from __future__ import annotations

import os
import queue
import sys
import time
from collections.abc import Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from kame_ros.app.arguments import did_you_mean, number, parse
from kame_ros.app.description import ASK_ARGUMENTS
from kame_ros.app.environment import check_ros, variables
from kame_ros.app.error import KameError, UsageError
from kame_ros.app.settings import Settings, resolve
from kame_ros.app.signals import Signals
from kame_ros.frontend.outputs import SaidStatus
from kame_ros.nodes.events import Answered, Event, Spoke

if TYPE_CHECKING:
    from kame_ros.nodes.observer import Observer

_FIND_S = 5.0  # discovery on one machine takes well under a second, on a busy one more
_LOOK_S = 0.1


def ask(words: Sequence[str], signals: Signals) -> int:
    """Type the words that are no arguments, and print the robot's answer as it is spoken; return the exit code.

    Raises:
        KameError: no nodes are found, or no answer was spoken in time.
    """
    text = " ".join(word for word in words if ":=" not in word).strip()
    if not text:
        raise UsageError('nothing to ask: kame ask "where are the toilets"')
    given = parse([word for word in words if ":=" in word])
    known = {argument.name: argument.default for argument in ASK_ARGUMENTS}
    for name in given:
        if name not in known:
            raise UsageError(f"{name}: unknown argument{did_you_mean(name, known)}")
    limit_s = number("limit_s", given.pop("limit_s", known["limit_s"]), 1.0, 3600.0)
    settings = resolve(given)
    check_ros()
    os.environ.update(variables(settings.discovery, os.environ))
    # ROS reads the environment when it is loaded.
    from kame_ros.nodes.observer import Observer  # noqa: PLC0415

    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    observer = Observer(events.put, namespace=settings.namespace, sound=False, lifecycle=False)
    try:
        turn = _typed(observer, text, settings, signals)
        return 0 if turn is None else _print_answer(events, turn, limit_s, signals)
    finally:
        observer.close()


def _typed(observer: Observer, text: str, settings: Settings, signals: Signals) -> int | None:
    """Return the turn that ``text`` became; None: a stop was asked for."""
    from kame_ros.nodes.calls import NoAnswerError  # noqa: PLC0415

    answer: Future[Any] = observer.ask(text, _FIND_S)
    while not answer.done():
        if signals.stop:
            return None
        signals.wait(_LOOK_S)
    try:
        reply = answer.result()
    except NoAnswerError as error:
        domain = os.environ.get("ROS_DOMAIN_ID") or "0"
        raise KameError(
            f"no nodes found ({error}) in namespace {settings.namespace}, ROS_DOMAIN_ID {domain}, discovery "
            f"{settings.discovery}: start them with kame run and wait until it says ready, or give what they were "
            "started with"
        ) from error
    if not reply.accepted:
        raise KameError(f"the question was not taken: {reply.reason}")
    return int(reply.turn)


def _print_answer(events: queue.SimpleQueue[Event], turn: int, limit_s: float, signals: Signals) -> int:
    """Print what the robot says in ``turn``, piece by piece."""
    printed = answer = ""
    end_s = time.monotonic() + limit_s
    while not signals.stop:
        known = f"; the backend's answer: {answer}" if answer else ""
        if time.monotonic() > end_s:
            raise KameError(f"the answer was not spoken to its end within limit_s = {limit_s:g} s{known}")
        try:
            event = events.get(timeout=_LOOK_S)
        except queue.Empty:
            continue
        if isinstance(event, Answered) and event.turn == turn:
            answer = event.text
        if isinstance(event, Spoke) and event.turn > turn:
            raise KameError(f"a newer question is answered in its place{known}")
        if isinstance(event, Spoke) and event.turn == turn:
            sys.stdout.write(event.text.removeprefix(printed))
            sys.stdout.flush()
            printed = event.text
            if event.status is not SaidStatus.GROWING:
                print(" (interrupted)" if event.status is SaidStatus.INTERRUPTED else "")
                break
    return 0
