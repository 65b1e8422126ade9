"""What other nodes tell of the robot, as long as it holds."""

from __future__ import annotations

from dataclasses import dataclass

from kame_ros.oracle.backend import Context


@dataclass(frozen=True)
class _Held:
    value: str
    until_s: float | None  # None: until it is replaced


class ContextStore:
    """Keeps the newest value of each name until it is out of date; pure: the caller's clock is steady."""

    def __init__(self, most: int = 32, longest_characters: int = 200) -> None:
        """Start empty; at most ``most`` names, and names and values cut after ``longest_characters``."""
        self.dropped = 0  # values that found no place
        self.shortened = 0  # values that were too long
        self._most = most
        self._longest_characters = longest_characters
        self._held: dict[str, _Held] = {}  # by name, in the order in which the names came

    def put(self, name: str, value: str, valid_s: float | None, now_s: float) -> None:
        """Take a value for the next ``valid_s`` seconds; None: until the next one. An empty value forgets the name.

        When all places are taken by values that still hold, a new name is dropped: what is known stays as it is.
        """
        name, value = self._short(name), self._short(value)
        if not name or not value:
            self._held.pop(name, None)
            return
        if name not in self._held:
            self._forget_old(now_s)
            if len(self._held) >= self._most:
                self.dropped += 1
                return
        self._held[name] = _Held(value, None if valid_s is None else now_s + valid_s)

    def current(self, now_s: float) -> tuple[Context, ...]:
        """Return what holds at ``now_s``, in the order in which the names first came."""
        self._forget_old(now_s)
        return tuple(Context(name, held.value) for name, held in self._held.items())

    def _short(self, text: str) -> str:
        words = " ".join(text.split())
        self.shortened += len(words) > self._longest_characters
        return words[: self._longest_characters].rstrip()

    def _forget_old(self, now_s: float) -> None:
        for name in [name for name, held in self._held.items() if held.until_s is not None and held.until_s <= now_s]:
            del self._held[name]
