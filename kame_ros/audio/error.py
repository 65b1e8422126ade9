"""What can go wrong with sound."""

from __future__ import annotations


class AudioError(Exception):
    """Sound cannot be had, kept or judged: one line with the value, the rule and the parameter to change."""


class FileError(AudioError):
    """A sound file cannot be read or written; it will not get better by itself."""


class DeviceError(AudioError):
    """A sound card cannot be opened or has gone; it may come back."""


class DetectorError(AudioError):
    """The voice activity detector cannot be loaded."""
