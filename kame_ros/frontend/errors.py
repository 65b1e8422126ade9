"""What can go wrong while the robot speaks."""

from __future__ import annotations


class FrontendError(Exception):
    """The frontend cannot do what was asked: one line with what was wrong, the rule, and what to change."""


class VoiceError(FrontendError):
    """A voice cannot be had, or failed on a text."""
