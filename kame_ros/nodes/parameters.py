"""The one table of all parameters: nodes declare from it, and the docs and YAML files are made from it."""

from __future__ import annotations

from collections.abc import Mapping

from kame_ros.nodes.oracle_parameters import ORACLE
from kame_ros.nodes.parameter import Parameter

COMMON = (Parameter("autostart", True, "Configure and activate at start; false leaves it to a lifecycle manager."),)

MICROPHONE = (
    *COMMON,
    Parameter("source", "device", "Where sound comes from.", choices=("device", "file", "topic")),
    Parameter(
        "device",
        "",
        "Name, or part of the name, of the sound card's input, or #3 for the one numbered so; "
        "empty: the system's default.",
    ),
    Parameter("channel", 0, "Channel of the sound that is heard, from 1; 0: the mix of all.", minimum=0, maximum=64),
    Parameter("block_ms", 20, "Length of one block of the sound card.", unit="ms", minimum=5, maximum=100),
    Parameter("file", "", "WAV or FLAC file that is the microphone when source is file.", path=True),
    Parameter(
        "topic",
        "mic/external",
        "Topic of kame_ros/AudioFrame, of any rate and channels, that is the microphone when source is topic.",
    ),
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
    Parameter(
        "echo_cancelling",
        True,
        "Take what the loudspeaker of this host plays out of a sound card's sound; a file hears no loudspeaker.",
        live=True,
    ),
    Parameter("noise_suppression", False, "Take steady noise out of a sound card's sound.", live=True),
    Parameter("gain_control", False, "Bring quiet and loud voices from a sound card to one level.", live=True),
    Parameter(
        "array",
        "",
        "YAML file for the direction of the voice: which channel's microphone is where, as config/array_ring.yaml, or "
        "that a ReSpeaker tells it, as config/array_respeaker.yaml; empty: no direction.",
        path=True,
    ),
    Parameter("array_frame", "microphone", "Frame of the array, in which directions are told."),
    Parameter(
        "direction_confidence",
        0.5,
        "Confidence from which a direction is told as known.",
        minimum=0.0,
        maximum=1.0,
        live=True,
    ),
    Parameter("direction_memory_s", 1.0, "How far back a direction looks.", unit="s", minimum=0.3, maximum=5.0),
    Parameter(
        "vad_threshold", 0.5, "Probability from which a chunk counts as speech.", minimum=0.05, maximum=0.95, live=True
    ),
    Parameter("vad_onset_s", 0.06, "Speech needed for an onset.", unit="s", minimum=0.0, maximum=2.0, live=True),
    Parameter("vad_end_s", 0.2, "Silence needed for an end.", unit="s", minimum=0.05, maximum=3.0, live=True),
    Parameter(
        "interrupt_threshold",
        0.8,
        "Probability from which a chunk counts towards an interruption.",
        minimum=0.05,
        maximum=0.99,
        live=True,
    ),
    Parameter(
        "interrupt_s", 0.16, "Speech needed for an interruption.", unit="s", minimum=0.05, maximum=3.0, live=True
    ),
)

SPEAKER = (
    *COMMON,
    Parameter("sink", "device", "Where sound goes to.", choices=("device", "file")),
    Parameter(
        "device",
        "",
        "Name, or part of the name, of the sound card's output, or #3 for the one numbered so; "
        "empty: the system's default.",
    ),
    Parameter("block_ms", 20, "Length of one block of the sound card.", unit="ms", minimum=5, maximum=100),
    Parameter("file", "", "WAV or FLAC file that is the loudspeaker when sink is file.", path=True),
    Parameter(
        "gain_db",
        0.0,
        "Loudness of the robot: gain of the speech that comes from now on.",
        unit="dB",
        minimum=-60.0,
        maximum=20.0,
        live=True,
    ),
    Parameter("rate", 1.0, "Speed of a file sink: 1 real time, 2 twice that.", minimum=0.1, maximum=100.0),
    Parameter(
        "prefill_ms",
        100,
        "Sound gathered before a generation starts to play.",
        unit="ms",
        minimum=0,
        maximum=1000,
        live=True,
    ),
    Parameter(
        "longest_prefill_ms",
        250,
        "What a sound card's buffer grows to, step by step, when it runs dry; it shrinks back while it does not. The "
        "frontend's lead_s less the card's own delay is the most that helps.",
        unit="ms",
        minimum=0,
        maximum=2000,
        live=True,
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
    Parameter(
        "frontend",
        "cascade",
        "Who speaks: a voice reads the oracle, or a speech-to-speech model with the oracle, or one without.",
        choices=("cascade", "tandem", "moshi"),
    ),
    Parameter(
        "robots",
        "",
        "Robots that this node serves, each by its namespace, such as r1, r2; empty: the one of its own.",
        names=True,
    ),
    Parameter("max_sessions", 1, "Sessions at a time, at least one for each robot.", minimum=1, maximum=512),
    Parameter(
        "silent_robot_s",
        60.0,
        "One of several robots whose mic/audio has stopped for so long loses its session until its next frame.",
        unit="s",
        minimum=1.0,
        maximum=86400.0,
    ),
    Parameter(
        "voice",
        "auto",
        "Voice of the cascade; auto takes the first that is installed, in this order.",
        choices=("auto", "piper", "flite", "espeak"),
    ),
    Parameter(
        "voice_model", "", "The voice's own model or name (Piper: an .onnx file); empty: its default.", path=True
    ),
    Parameter(
        "lead_s",
        0.4,
        "Longest time that speech is sent ahead of what the loudspeaker has played.",
        unit="s",
        minimum=0.1,
        maximum=2.0,
        live=True,
    ),
    Parameter(
        "interrupt",
        "backchannel_safe",
        "When a person's voice stops the robot: never, at clear speech, or at any onset.",
        choices=("off", "backchannel_safe", "immediate"),
        live=True,
    ),
    Parameter(
        "stop_words",
        "stop, stop it, please stop, stop please, be quiet, quiet, silence, shut up",
        "What the user says, and nothing else, to stop the robot's speech whatever interrupt is; in the language of "
        "the talk; empty: nothing.",
        live=True,
    ),
    Parameter(
        "checkpoint",
        "SakanaAI/kame",
        "Model of tandem and moshi: a folder, or a Hugging Face repository as owner/name. "
        "In place of this default moshi takes kyutai/moshiko-pytorch-bf16.",
        path=True,
    ),
    Parameter("checkpoint_revision", "", "Commit, tag or branch of that repository; empty: its newest."),
    Parameter("device", "auto", "Where the model runs: cuda, cuda:1 and so on, or cpu; auto: the first GPU."),
    Parameter(
        "dtype",
        "auto",
        "Number format of the model; auto takes what the GPU does best.",
        choices=("auto", "bfloat16", "float16", "float32"),
    ),
    Parameter(
        "context",
        0,
        "How far the model looks back; fewer steps are quicker and need less memory. 0: as far as it can.",
        unit="steps of 80 ms",
        minimum=0,
        maximum=100_000,
    ),
    Parameter(
        "temperature",
        0.8,
        "Freedom in the choice of sounds; 0, or 0 in text_temperature: always the likeliest of both.",
        minimum=0.0,
        maximum=5.0,
        live=True,
    ),
    Parameter("text_temperature", 0.7, "Freedom in the choice of words.", minimum=0.0, maximum=5.0, live=True),
    Parameter("top_k", 250, "Likeliest sounds that are chosen from.", minimum=1, maximum=2048, live=True),
    Parameter("text_top_k", 25, "Likeliest words that are chosen from.", minimum=1, maximum=32_000, live=True),
    Parameter(
        "interrupt_hold_s",
        0.5,
        "Quiet of the model after an interruption, before its sound goes out again.",
        unit="s",
        minimum=0.0,
        maximum=10.0,
    ),
    Parameter(
        "backlog_s",
        0.24,
        "Sound that may wait for the model; when more does, all but the newest step is dropped and counted.",
        unit="s",
        minimum=0.08,
        maximum=10.0,
    ),
)

ORACLE_BRIDGE = (*COMMON, *ORACLE)

BRIDGES = (
    *COMMON,
    Parameter(
        "bridges",
        "",
        "Types of others that the dialogue is told in too; empty: none.",
        choices=("intents", "voices", "raw_audio", "tts", "audio_out", "audio_in"),
        names=True,
    ),
    Parameter("audio_out_topic", "audio_common/audio", "Topic of audio_common_msgs with what the microphone gives."),
    Parameter(
        "audio_in_topic",
        "audio_common/external",
        "Topic of audio_common_msgs that comes out on mic/external, for a microphone with source topic.",
    ),
    Parameter(
        "audio_in_hz",
        16_000,
        "Rate of plain bytes on audio_in_topic, which do not say it.",
        unit="Hz",
        minimum=1000,
        maximum=768_000,
    ),
    Parameter("audio_in_channels", 1, "Channels of plain bytes on audio_in_topic.", minimum=1, maximum=64),
)

NODES: Mapping[str, tuple[Parameter, ...]] = {
    "microphone": MICROPHONE,
    "frontend": FRONTEND,
    "oracle_bridge": ORACLE_BRIDGE,
    "speaker": SPEAKER,
}

# Started only when it is asked for.
OPTIONAL_NODES: Mapping[str, tuple[Parameter, ...]] = {"bridges": BRIDGES}
ALL_NODES: Mapping[str, tuple[Parameter, ...]] = {**NODES, **OPTIONAL_NODES}
