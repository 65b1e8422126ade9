"""How sound is sent over WebSocket, whoever the provider is."""

from __future__ import annotations

from typing import Any

import numpy as np

from kame_ros.oracle.transcriber import SAMPLE_RATE_HZ

# Options of the websockets library, of which the providers' libraries declare a few. Deadlines are the caller's; an
# idle connection whose other end lost its power is noticed by pings.
CONNECTION: Any = {
    "open_timeout": None,
    "ping_interval": 10.0,
    "ping_timeout": 10.0,
    "close_timeout": 0.3,
    "compression": None,
}
# Sent before a piece of sound is ended; without it its last word may be missing.
LAST_SILENCE = np.zeros(3 * SAMPLE_RATE_HZ // 10, np.int16)
