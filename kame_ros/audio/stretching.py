"""A piece of sound made a little longer or shorter, without a click."""

from __future__ import annotations

import numpy as np

from kame_ros.audio.pcm import Floats, Pcm, to_float, to_int16

REACH = 16
"""Samples that are looked at on either side of a piece."""


def stretch(before: Pcm, samples: Pcm, after: Pcm, count: int) -> Pcm:
    """Return ``samples`` (1-D int16) as ``count`` samples, with what lies before and after them unchanged.

    Time runs faster or slower within the piece only, beginning and ending at its own pace, so that neither the wave nor
    its pitch jumps. ``before`` and ``after`` are the REACH samples on either side. Band-limited: a sinc in a
    Blackman window.
    """
    step = np.arange(count) / count
    position = np.arange(count) + (len(samples) - count) * (step - np.sin(2 * np.pi * step) / (2 * np.pi))
    whole = np.floor(position).astype(np.int64)
    offsets = np.arange(1 - REACH, REACH + 1)
    distance = (position - whole)[:, np.newaxis] - offsets
    bell = np.cos(np.pi / REACH * distance)
    weights = np.sinc(distance) * (0.34 + 0.5 * bell + 0.16 * bell**2)
    weights /= weights.sum(axis=1, keepdims=True)
    around: Floats = to_float(np.concatenate((before, samples, after)))
    return to_int16((around[whole[:, np.newaxis] + offsets + REACH] * weights).sum(axis=1))
