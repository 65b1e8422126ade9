"""The microphone on real sound devices."""

from __future__ import annotations

import array
from contextlib import ExitStack
from typing import Any

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus

from benchmarks.sound_path import find_breaks, tone
from benchmarks.sound_server import serving
from kame_ros.msg import AudioFrame
from kame_ros.nodes import qos

pytestmark = [pytest.mark.ros, pytest.mark.sound]

RATE_HZ = 24_000
OTHER_DEVICES = ((48_000, 2), (44_100, 1), (16_000, 1))  # rate and channels


class Listener:
    """Hears what the microphone gives and tells."""

    def __init__(self, ros: Any, robot: str = "") -> None:
        self.ros = ros
        self.heard: list[AudioFrame] = ros.collect(AudioFrame, f"{robot}/mic/audio", qos.AUDIO)
        self.diagnostics: list[DiagnosticArray] = ros.collect(DiagnosticArray, "/diagnostics", qos.TEXT)

    def told(self, part: str) -> DiagnosticStatus:
        """Return the newest that was told of ``part``, or an empty status."""
        statuses = (status for message in reversed(self.diagnostics) for status in message.status)
        return next((status for status in statuses if status.name == part), DiagnosticStatus())

    def wait(self, seconds: float) -> None:
        self.ros.wait_until(lambda: False, seconds)


def heard(frames: list[AudioFrame]) -> Any:
    return np.concatenate([np.array(array.array("h", frame.samples)) for frame in frames]) if frames else np.zeros(0)


@pytest.fixture
def listener(sound_server: Any, ros: Any) -> Listener:
    return Listener(ros)


def test_a_microphone_that_is_unplugged_and_comes_back_is_heard_again(
    sound_server: Any, start_node: Any, listener: Listener
) -> None:
    start_node("microphone", device="pulse")
    assert listener.ros.wait_until(lambda: len(listener.heard) > 25)
    sound_server.unplug_microphone()
    assert listener.ros.wait_until(lambda: listener.heard[-1].muted), "zeros that keep the time"
    assert listener.ros.wait_until(lambda: listener.told("microphone: source").level == DiagnosticStatus.ERROR)
    lost = len(listener.heard)
    listener.wait(1.0)
    assert len(listener.heard) - lost == pytest.approx(50, abs=15), "at the real rate"
    sound_server.plug_microphone()
    assert listener.ros.wait_until(lambda: not listener.heard[-1].muted)
    back = len(listener.heard) - 1
    sound_server.speak(tone(0.5))
    assert listener.ros.wait_until(lambda: bool(np.abs(heard(listener.heard[back:])).max() > 4000))
    assert listener.heard[-1].stream != listener.heard[0].stream, "a new stream, so that the time without it is no gap"
    assert listener.ros.wait_until(lambda: listener.told("microphone: source").level == DiagnosticStatus.OK)


def test_devices_of_other_rates_and_channels_are_heard_as_they_sound(
    start_node: Any, ros: Any, monkeypatch: pytest.MonkeyPatch, sound_server_can_run: None
) -> None:
    listeners = {}
    with ExitStack() as stack:
        servers = {rate_hz: stack.enter_context(serving(rate_hz, channels)) for rate_hz, channels in OTHER_DEVICES}
        for rate_hz, server in servers.items():
            for name, value in server.environment.items():
                monkeypatch.setenv(name, value)
            robot = f"/at_{rate_hz}"
            listeners[rate_hz] = Listener(ros, robot)
            start_node("microphone", namespace=robot, device="pulse", echo_cancelling=False)
        assert ros.wait_until(lambda: all(listener.heard for listener in listeners.values()))
        for rate_hz, server in servers.items():
            phase = 2 * np.pi * 440.0 / rate_hz * np.arange(2 * rate_hz)
            server.speak(np.rint(8000 * np.sin(phase)).astype(np.int16), wait=False)
        ros.wait_until(lambda: False, 3.5)
    # The tone has kept its pitch and goes on without a break, so every sample was resampled once.
    for listener in listeners.values():
        samples, breaks = find_breaks(heard(listener.heard).astype(np.int16))
        assert samples == pytest.approx(RATE_HZ, abs=RATE_HZ // 20), "all but half a second at either end"
        assert breaks == 0
