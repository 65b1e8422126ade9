"""Recognisers by the name that the parameter ``transcriber`` gives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kame_ros.oracle.transcriber import Transcriber
from kame_ros.oracle.transcribers.moonshine import Moonshine

TRANSCRIBERS: Mapping[str, Callable[[str], Transcriber]] = {"moonshine": Moonshine}


def make_transcriber(name: str, model: str) -> Transcriber:
    """Load recogniser ``name`` with the folder ``model``, empty for its own; raise `TranscriberError`."""
    return TRANSCRIBERS[name](model)
