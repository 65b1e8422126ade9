"""``kame devices``: lists the sound devices and marks what would be chosen; with ``--test`` records and plays back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kame_ros.app.arguments import number, parse
from kame_ros.app.console import Console
from kame_ros.app.description import DEVICES_ARGUMENTS
from kame_ros.app.device_table import Choice, lines
from kame_ros.app.error import KameError, UsageError
from kame_ros.app.meter import Meter
from kame_ros.app.settings import resolve
from kame_ros.app.signals import Signals
from kame_ros.app.sound_check import judge, play, record
from kame_ros.audio.clock import SteadyClock
from kame_ros.audio.devices import PortAudio, input_channels
from kame_ros.audio.error import AudioError, DeviceError
from kame_ros.audio.input_device import InputDevice
from kame_ros.audio.output_device import OutputDevice
from kame_ros.audio.pcm import Pcm

TEST = "--test"
_ENDS = (("microphone", "source", "input"), ("speaker", "sink", "output"))


def devices(words: Sequence[str], signals: Signals) -> int:
    """List the devices and what `kame run` with the same arguments would choose; return the exit code.

    It is 0 when each end has a device or needs none and, with ``--test``, both work; otherwise 1.

    Raises:
        KameError: PyAudio is missing, or an argument is wrong.
    """
    options = [word for word in words if word.startswith("-")]
    for option in options:
        if option != TEST:
            raise UsageError(f"devices: unknown option {option!r}; there is {TEST}")
    given = parse([word for word in words if word not in options])
    default = next(argument.default for argument in DEVICES_ARGUMENTS if argument.name == "seconds")
    seconds = number("seconds", given.pop("seconds", default), 0.5, 60.0)
    parameters = resolve(given).parameters
    console = Console(on_closed=signals.request_stop)
    choices = [_choice(node, kind, direction, parameters[node]) for node, kind, direction in _ENDS]
    for choice in choices:
        for line in lines(choice):
            console.say(line)
    usable = all(choice.chosen or choice.instead for choice in choices)
    if TEST not in options:
        return 0 if usable else 1
    microphone, speaker = choices
    return 0 if _test(microphone, speaker, seconds, console, signals) and usable else 1


def _choice(node: str, kind: str, direction: str, given: Mapping[str, Any]) -> Choice:
    wanted = str(given.get("device", ""))
    instead = given.get(kind, "device")
    try:
        port = PortAudio(direction)
    except DeviceError as error:
        raise KameError(f"devices: {error}") from error
    channel = int(given.get("channel", 0))
    try:
        chosen, trouble = port.find(wanted), ""
        if direction == "input":
            input_channels(chosen, channel)
    except DeviceError as error:
        chosen, trouble = None, str(error)
    finally:
        found = port.devices()
        port.close()
    return Choice(
        node=node,
        wanted=wanted,
        devices=found,
        chosen=chosen,
        trouble=trouble,
        instead="" if instead == "device" else f"{kind} = {instead}",
        channel=channel,
    )


def _test(microphone: Choice, speaker: Choice, seconds: float, console: Console, signals: Signals) -> bool:
    """Record and play back on the devices that would be used; return whether they work."""
    if microphone.instead or not microphone.chosen:
        console.say("nothing is tested: --test plays back what a microphone has recorded, and none is used")
        return False
    try:
        samples = _hear(microphone, seconds, console, signals)
        if samples is not None and speaker.chosen and not (speaker.instead or signals.stop):
            _say(speaker, samples, console, signals)
    except AudioError as error:
        console.live([])
        console.say(str(error))
        return False
    return samples is not None


def _hear(microphone: Choice, seconds: float, console: Console, signals: Signals) -> Pcm | None:
    """Return what was recorded, None when no robot can hear with it, or it was stopped."""
    console.say(f"recording {seconds:g} s: speak now")
    clock = SteadyClock()
    source = InputDevice(microphone.wanted, clock, microphone.channel)
    try:
        samples, lost = record(source, seconds, clock, _show("microphone", console), lambda: signals.stop)
    finally:
        source.close()
    console.live([])
    if signals.stop:
        return None
    good, told = judge(samples, lost)
    console.say(f"microphone: {told}")
    return samples if good else None


def _say(speaker: Choice, samples: Pcm, console: Console, signals: Signals) -> None:
    console.say("playing it back")
    sink = OutputDevice(speaker.wanted, SteadyClock())
    try:
        play(sink, samples, _show("speaker", console), lambda: signals.stop)
    finally:
        sink.close()
    console.live([])
    console.say("speaker: played; where nothing was heard, turn it up or give another as speaker_device")


def _show(label: str, console: Console) -> Callable[[Pcm], None]:
    meter = Meter(f"{label:<10}")

    def show(samples: Pcm) -> None:
        meter.take(samples)
        console.live([meter.draw()])

    return show
