"""The four nodes and the arguments they are started with: `kame run` and the launch file are made from this."""

from __future__ import annotations

from dataclasses import dataclass

from kame_ros.nodes.parameter import Parameter
from kame_ros.nodes.parameters import ALL_NODES

# Slow to load first, so that everything is ready soonest. The last one only if it is asked for.
START_ORDER = ("oracle_bridge", "frontend", "speaker", "microphone", "bridges")
# The owner of the session first: it ends the talk, and nobody misses the others then. The mouth last: it says the rest.
STOP_ORDER = ("bridges", "frontend", "oracle_bridge", "microphone", "speaker")

BOOLEAN = ("true", "false")

# Which of the four run here; on the robot of a GPU server all but the frontend.
CHOSEN_NODES = Parameter("nodes", ", ".join(START_ORDER[:-1]), "", choices=START_ORDER[:-1], names=True)


@dataclass(frozen=True)
class Argument:
    """One argument ``name:=value`` of `kame run` and of the launch file."""

    name: str
    meaning: str
    default: str = ""
    """What holds when it is not given; empty: the params_file decides, then the node's own default."""
    choices: tuple[str, ...] = ()
    sets: tuple[tuple[str, str], ...] = ()
    """The parameters it sets, as (node, parameter)."""
    own_default: str = ""
    """The node's own default, for people to read."""

    @property
    def help(self) -> str:
        """The meaning, the choices and the default, on one line."""
        choices = f" One of {', '.join(self.choices)}." if self.choices else ""
        default = self.default or self.own_default
        return f"{self.meaning}{choices}" + (f" Default: {default}." if default else "")


def _sets(name: str, node: str, parameter_name: str) -> Argument:
    """Make the argument ``name`` that sets one parameter; the table says what it means."""
    parameter = next(parameter for parameter in ALL_NODES[node] if parameter.name == parameter_name)
    return Argument(
        name,
        parameter.meaning,
        choices=() if parameter.names else parameter.choices,
        sets=((node, parameter_name),),
        own_default=str(parameter.default),
    )


ARGUMENTS = (
    _sets("frontend", "frontend", "frontend"),
    _sets("checkpoint", "frontend", "checkpoint"),
    _sets("voice", "frontend", "voice"),
    _sets("transcriber", "oracle_bridge", "transcriber"),
    _sets("backend", "oracle_bridge", "backend"),
    _sets("knowledge", "oracle_bridge", "knowledge"),
    _sets("intents", "oracle_bridge", "intents"),
    _sets("source", "microphone", "source"),
    _sets("microphone_device", "microphone", "device"),
    _sets("microphone_file", "microphone", "file"),
    _sets("sink", "speaker", "sink"),
    _sets("speaker_device", "speaker", "device"),
    _sets("speaker_file", "speaker", "file"),
    Argument(
        "autostart",
        "The nodes configure and activate themselves; false leaves it to a lifecycle manager.",
        choices=BOOLEAN,
        sets=tuple((node, "autostart") for node in ALL_NODES),
        own_default="true",
    ),
    Argument("namespace", "Namespace of the four nodes and all their topics: the robot's name.", default="/"),
    Argument(
        "robots",
        "Robots with one frontend, each by its namespace, such as 'r1, r2'; the other nodes are each robot's own.",
        sets=(("frontend", "robots"),),
    ),
    Argument(
        "nodes",
        "Which of the nodes are started here, where the others run on another machine.",
        default=str(CHOSEN_NODES.default),
    ),
    _sets("bridges", "bridges", "bridges"),
    Argument("params_file", "YAML file of parameters; what is given as an argument goes before it."),
    Argument(
        "log_level",
        "What the nodes log.",
        default="info",
        choices=("debug", "info", "warn", "error", "fatal"),
    ),
    Argument(
        "discovery",
        "Who can hear the robot's topics: this machine only, or the whole network.",
        default="local",
        choices=("local", "network"),
    ),
    Argument("respawn", "A node that died is started again.", default="true", choices=BOOLEAN),
)

# On a GPU machine that serves robots; the arguments of ARGUMENTS with other defaults.
GPU_SERVER_DEFAULTS = {"nodes": "frontend", "frontend": "tandem", "discovery": "network"}

REPLAY_ARGUMENTS = (
    Argument("recording", "WAV or FLAC file, or a bag with mic/audio, that is heard in the place of a microphone."),
)
REPLAY_DEFAULTS = {"sink": "file", "speaker_file": "reply.wav"}

DEMO_ARGUMENTS = (
    Argument("question", "WAV or FLAC file with a spoken question.", own_default="the bundled one"),
    Argument("mic", "Talk with the sound card instead, until Ctrl-C.", default="false", choices=BOOLEAN),
    Argument("llm", "A local LLM answers, as with backend:=local.", default="false", choices=BOOLEAN),
    Argument("limit_s", "Longest time for loading and answering, beyond the question's own length.", default="60"),
    Argument("folder", "Where reply.wav and report.json are written.", default="build/demo"),
)

ASK_ARGUMENTS = (
    *(argument for argument in ARGUMENTS if argument.name in ("namespace", "discovery")),
    Argument("limit_s", "Longest wait for the answer.", default="60"),
)

DEVICES_ARGUMENTS = (
    Argument("seconds", "How long --test records.", default="3"),
    *(
        argument
        for argument in ARGUMENTS
        if argument.name in ("source", "microphone_device", "sink", "speaker_device", "namespace", "params_file")
    ),
)
