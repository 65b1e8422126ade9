"""What can go wrong with sound."""

from __future__ import annotations

from kame_ros.audio.device_state import DeviceState


class AudioError(Exception):
    """Sound cannot be had, kept or judged: one line with the value, the rule and the parameter to change."""


class FileError(AudioError):
    """A sound file cannot be read or written; it will not get better by itself."""


class DeviceError(AudioError):
    """A sound card, a topic or another device cannot be had or has gone; it may come back."""

    def __init__(self, line: str, state: DeviceState = DeviceState.FAILED) -> None:
        """Take the ``line`` that a person reads, and how the device is."""
        super().__init__(line)
        self.state = state


class SoundFormatError(AudioError):
    """Sound that is sent cannot be taken as it is."""


class DetectorError(AudioError):
    """The voice activity detector cannot be loaded."""


class GeometryError(AudioError):
    """What a file says about an array of microphones cannot be worked with."""


class CleanerError(AudioError):
    """The canceller of echo and noise cannot be loaded."""
