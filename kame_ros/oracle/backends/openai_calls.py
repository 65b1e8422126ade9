"""Function calls that come in pieces, put together."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass
class Call:
    """One function call as far as it has come."""

    index: object
    identity: str = ""
    name: str = ""
    arguments: str = ""  # JSON once it is whole


class CallPieces:
    """Puts the function calls of one answer together, however they were cut."""

    def __init__(self) -> None:
        """Begin an answer."""
        self.calls: list[Call] = []

    def feed(self, piece: Mapping[str, object]) -> None:
        """Take an item of a chunk's ``tool_calls``."""
        call = self._of(piece)
        function = piece.get("function")
        if not isinstance(function, Mapping):
            return
        name, arguments = function.get("name"), function.get("arguments")
        # Some servers repeat the name with every piece.
        if isinstance(name, str) and name != call.name:
            call.name += name
        if isinstance(arguments, str):
            call.arguments += arguments
        elif isinstance(arguments, Mapping):  # so do servers that never write it out
            call.arguments += json.dumps(arguments)

    def _of(self, piece: Mapping[str, object]) -> Call:
        """Return the call that ``piece`` goes on with.

        By its index; but there are servers that give every call the index 0 and an id of its own, and such without
        index.
        """
        index, identity = piece.get("index"), piece.get("id")
        identity = identity if isinstance(identity, str) else ""
        known = [call for call in self.calls if index is None or call.index == index]
        if known and (not identity or known[-1].identity in {"", identity}):
            known[-1].identity = known[-1].identity or identity
            return known[-1]
        self.calls.append(Call(index, identity))
        return self.calls[-1]
