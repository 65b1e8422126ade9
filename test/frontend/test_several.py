"""Several cascades as one frontend."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from kame_ros.frontend.cascade_frontend import CascadeFrontend
from kame_ros.frontend.errors import FrontendError
from kame_ros.frontend.inputs import InterruptRule, MicFrame, Oracle, OracleStatus, SayWhen
from kame_ros.frontend.outputs import Consumed, Loaded, Output, Said, SaidStatus
from kame_ros.frontend.several import Several
from kame_ros.frontend.voices import Voices


class Tone:
    """Speaks every clause as 0.1 s of sound."""

    name = "tone"

    def load(self) -> None:
        """Have nothing to load."""

    def speak(self, text: str) -> Any:
        return np.full(2400, 1000, np.int16)

    def close(self) -> None:
        """Have nothing to release."""


def test_each_session_has_a_cascade_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kame_ros.frontend.voices.VOICES", {"tone": lambda model: Tone()})
    outputs: list[Output] = []
    several = Several([CascadeFrontend(Voices(), 0.4, InterruptRule.OFF) for _ in range(2)])
    several.start(outputs.append)
    several.open_session(7)
    several.open_session(8)
    with pytest.raises(FrontendError, match=r"session 9: max_sessions = 2, and all are taken, by 7, 8; stop one"):
        several.open_session(9)
    several.tell(Oracle(8, 1, 1, OracleStatus.COMPLETE, "Only for one.", turn_final=True))
    several.hear(MicFrame(7, 1, 0, np.zeros(480, np.int16)))
    end_s = time.monotonic() + 10
    while not any(isinstance(output, Said) and output.status is SaidStatus.COMPLETE for output in outputs):
        assert time.monotonic() < end_s, outputs
        time.sleep(0.01)
    assert {output.session for output in outputs if isinstance(output, Said)} == {8}
    assert Consumed(7, 1, 480) in outputs
    assert sum(isinstance(output, Loaded) for output in outputs) == 2
    assert several.interrupt(7) == "the robot is not speaking"
    assert several.say(9, "Hello.", SayWhen.NOW).reason == "no session is open"
    several.close_session(7)
    several.open_session(9)
    assert several.counters() == {"slots_taken": 2, "slots_free": 0}
    several.close()
    several.close()
