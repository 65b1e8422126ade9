"""A stand-in for PyAudio in the processes of a test: one card, whose state is read from the JSON file $CARDS.

Keys: plugged (bool), busy (bool: it does not open), sample (what its microphone gives, all the time) and status
(PortAudio's flags, with each block while they are there). What its loudspeaker takes is appended to $CARDS.heard.
"""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

paInt16 = 8  # noqa: N816 - the library's name
_RATE_HZ, _CHANNELS = 48_000, 2
_FILE = Path(os.environ["CARDS"])


def _state() -> dict[str, Any]:
    return json.loads(_FILE.read_text())


class _Stream:
    def __init__(self, arguments: dict[str, Any]) -> None:
        self._callback = arguments["stream_callback"]
        self._frames = arguments["frames_per_buffer"]
        self._input = "input" in arguments
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start_stream(self) -> None:
        self._thread.start()

    def is_active(self) -> bool:
        return self._thread.is_alive()

    def get_output_latency(self) -> float:
        return 0.02

    def close(self) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        due_s = time.monotonic()
        with Path(f"{_FILE}.heard").open("ab", buffering=0) as heard:
            while not self._stop.wait(max(0.0, due_s - time.monotonic())):
                state = _state()
                if not state["plugged"]:
                    return
                due_s += self._frames / _RATE_HZ
                sound = np.full(self._frames * _CHANNELS, state["sample"], np.int16).tobytes() if self._input else None
                taken, _ = self._callback(sound, self._frames, {}, state["status"])
                if not self._input:
                    heard.write(taken)


class PyAudio:
    def get_device_count(self) -> int:
        return 1 if _state()["plugged"] else 0

    def get_device_info_by_index(self, index: int) -> dict[str, Any]:
        return {
            "index": index,
            "name": "USB Headset",
            "defaultSampleRate": float(_RATE_HZ),
            "maxInputChannels": _CHANNELS,
            "maxOutputChannels": _CHANNELS,
        }

    def get_default_input_device_info(self) -> dict[str, Any]:
        if not _state()["plugged"]:
            raise OSError("No Default Device Available")
        return self.get_device_info_by_index(0)

    get_default_output_device_info = get_default_input_device_info

    def open(self, **arguments: Any) -> _Stream:
        if _state()["busy"]:
            raise OSError(-9985, "Device unavailable")
        if arguments["rate"] != _RATE_HZ:
            raise OSError(-9997, "Invalid sample rate")
        return _Stream(arguments)

    def terminate(self) -> None:
        pass
