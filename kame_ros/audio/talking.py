"""Who talks."""

from __future__ import annotations

from enum import Enum


class Talking(Enum):
    """What a piece of sound is good for, when a voice's direction is looked for."""

    NOBODY = "nobody"
    """It shows what the noise is like."""
    USER = "the user"
    """And nobody else: it shows where the user is."""
    OTHERS = "others"
    """The robot, or somebody who is muted: it shows nothing."""
