"""Echo cancelling that leaves the user's words: the library's canceller, and a filter of our own for double talk."""

from __future__ import annotations

import numpy as np

from kame_ros.audio.cleaner import PIECE_SAMPLES, Cleaner
from kame_ros.audio.double_talk import DoubleTalk
from kame_ros.audio.echo_filter import EchoFilter, Sound
from kame_ros.audio.echo_suppressor import DELAY_SAMPLES, EchoSuppressor
from kame_ros.audio.pcm import Pcm, to_float, to_int16

# Of 6 and 10 dB, 10 gave fewer wrong words and 4 dB less echo.
_DEPTH_DB = 10.0
_TALKS = 3.0
_QUIETEST = 0.05


class EchoCleaner:
    """Gives what a canceller makes of the sound, but what a milder filter makes of it while somebody else talks.

    A canceller that was made for telephones silences the robot, and takes the user's voice along while both talk:
    WebRTC's leaves 75 to 91 % of the words wrong. The filter leaves the voice, and some echo; it also tells whether
    there is a voice. The less there is, the further the canceller's sound is turned down. The canceller is given what
    the filter leaves. One thread. Figures: docs/benchmarks.md.
    """

    def __init__(self, canceller: Cleaner) -> None:
        """Take ``canceller`` over, and close it at the end."""
        self._filter = EchoFilter()
        self._suppressor = EchoSuppressor(_DEPTH_DB)
        self._double_talk = DoubleTalk()
        self._canceller = canceller
        self._late: Sound = np.zeros(canceller.delay_samples, np.float32)
        self._mild = _Fade()
        self._loudness = _Fade()
        self.delay_samples = DELAY_SAMPLES + canceller.delay_samples
        """2 ms more than the canceller's."""

    def clean(self, captured: Pcm, played: Pcm) -> Pcm:
        """Return ``captured`` (240 int16 samples, 24 kHz) without the echo of ``played``, as many."""
        filtered = self._filter.filter(to_float(captured), to_float(played))
        voice = self._double_talk.observe(filtered)
        mild = self._suppressor.suppress(filtered)
        cancelled = to_float(self._canceller.clean(to_int16(mild), played))
        self._late = np.concatenate((self._late, mild))
        mild, self._late = self._late[:PIECE_SAMPLES], self._late[PIECE_SAMPLES:]
        share = self._mild.to(float(voice > _TALKS))
        loudness = self._loudness.to(min(1.0, max(_QUIETEST, voice)))
        return to_int16(share * mild + (1 - share) * loudness * cancelled)

    def close(self) -> None:
        """Close the canceller; again does nothing."""
        self._canceller.close()


class _Fade:
    """Goes from one factor to the next within a piece, without a click."""

    def __init__(self) -> None:
        self._last = 1.0

    def to(self, factor: float) -> Sound:
        ramp = np.linspace(self._last, factor, PIECE_SAMPLES, dtype=np.float32)
        self._last = factor
        return ramp
