"""The second stage of echo cancelling: what the filter leaves is turned down where it is more than the rest."""

from __future__ import annotations

import numpy as np

from kame_ros.audio.cleaner import PIECE_SAMPLES
from kame_ros.audio.echo_filter import Filtered, Power, Sound

DELAY_SAMPLES = 48
"""Half the length of the filter by which the bands are turned down."""

_WINDOW = np.hanning(2 * PIECE_SAMPLES + 1)[:-1].astype(np.float32)
_WINDOW_POWER = np.float32(np.mean(_WINDOW**2))
_TAPER = np.hanning(2 * DELAY_SAMPLES + 3)[1:-1].astype(np.float32)
_LOWEST_AT_FIRST = np.float32(0.01)
_STAYS = np.float32(0.7)  # of an echo's power, from piece to piece
_SMOOTH = np.float32(0.7)
_LEAST = np.float32(1e-7)


class EchoSuppressor:
    """Turns bands down by a Wiener filter: by up to ``depth_db``, and by up to 40 dB until the filter has settled.

    The ratio of voice to echo is followed as in Ephraim and Malah 1984, "Speech enhancement using a minimum
    mean-square error short-time spectral amplitude estimator", IEEE Transactions on ASSP 32, equation 51. Pure,
    one thread.
    """

    def __init__(self, depth_db: float) -> None:
        """Start without an echo."""
        self._lowest = np.float32(10.0 ** (-depth_db / 20.0))
        self._last: Sound = np.zeros(PIECE_SAMPLES, np.float32)
        self._echo: Power = np.zeros(PIECE_SAMPLES + 1, np.float32)
        self._voice: Power = np.zeros(PIECE_SAMPLES + 1, np.float32)

    def suppress(self, filtered: Filtered) -> Sound:
        """Return the piece, `DELAY_SAMPLES` later, with less of the echo that is left in it."""
        sound = np.concatenate((self._last, filtered.samples))
        self._last = filtered.samples
        power = np.abs(np.fft.rfft(_WINDOW * sound)).astype(np.float32) ** 2
        self._echo = np.maximum(_WINDOW_POWER * filtered.unwanted, _STAYS * self._echo)
        echo = self._echo + _LEAST
        ratio = _SMOOTH * self._voice / echo + (1 - _SMOOTH) * np.maximum(power / echo - 1, 0)
        gain = np.maximum(ratio / (1 + ratio), self._lowest if filtered.settled else _LOWEST_AT_FIRST)
        self._voice = gain**2 * power
        # As a short filter of linear phase, so that the blocks need not overlap and wait for each other.
        response = np.zeros(2 * PIECE_SAMPLES, np.float32)
        middle = np.fft.fftshift(np.fft.irfft(gain))[PIECE_SAMPLES - DELAY_SAMPLES : PIECE_SAMPLES + DELAY_SAMPLES + 1]
        response[: len(middle)] = _TAPER * middle
        whole = np.fft.irfft(np.fft.rfft(response) * np.fft.rfft(sound))
        return whole[PIECE_SAMPLES:].astype(np.float32)
