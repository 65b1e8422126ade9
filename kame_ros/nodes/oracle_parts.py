"""Makes what the oracle bridge is made of from the node's parameters, one line for each part that cannot be had."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path

from kame_ros.nodes.base import Level, NodeError, Part
from kame_ros.nodes.bundled import config_file
from kame_ros.nodes.parameter import Value
from kame_ros.oracle.asking import AskingSettings
from kame_ros.oracle.backend import Backend
from kame_ros.oracle.backends.chain import ChainCounts
from kame_ros.oracle.backends.chain_policy import ChainSettings
from kame_ros.oracle.backends.choice import BackendSettings, make_backend
from kame_ros.oracle.backends.gemini import GeminiSettings
from kame_ros.oracle.backends.openai import OpenAiSettings
from kame_ros.oracle.bridge import BridgeSettings
from kame_ros.oracle.deadlines import Deadlines
from kame_ros.oracle.errors import OracleError
from kame_ros.oracle.intents.catalogue import Catalogue
from kame_ros.oracle.intents.intents_file import read
from kame_ros.oracle.prompt.prompt import PromptSettings
from kame_ros.oracle.transcriber import Transcriber, TranscriberError
from kame_ros.oracle.transcribers.choice import TranscriberSettings, make_transcriber
from kame_ros.oracle.transcribers.streaming import Streaming
from kame_ros.oracle.transcribers.streaming_counts import StreamingCounts
from kame_ros.oracle.turns import TurnSettings

TOPIC = "topic"


class OracleParts:
    """Reads the parameters and makes the parts; ``log`` takes a line in any thread."""

    def __init__(self, values: Mapping[str, Value], log: Callable[[str], None]) -> None:
        """Take the node's parameters; nothing is loaded yet."""
        self._values = values
        self._log = log
        self.chain = ChainCounts()
        self.transcriber = Part("transcriber")
        """How the recogniser is."""
        self.backend = Part("backend")
        """How the backends are."""
        self._sessions: StreamingCounts | None = None

    def load_catalogue(self) -> Catalogue:
        """Read the intents; raise `NodeError`."""
        try:
            return read(self._path("intents") or config_file("intents.yaml"))
        except OracleError as error:
            raise NodeError(str(error)) from error

    def load_transcriber(self, locale: str) -> Transcriber | None:
        """Load the recogniser; None where there is none, or none can be had."""
        name = str(self._values["transcriber"])
        if name == TOPIC:
            self.transcriber = Part("transcriber", Level.OK, name)
            return None
        self._sessions = None
        try:
            transcriber = self._transcriber(name, locale)
        except TranscriberError as error:
            line = f"{error}; until then only typed questions are understood"
            self.transcriber = Part("transcriber", Level.ERROR, line)
            self._log(line)
            return None
        self._sessions = transcriber.counts if isinstance(transcriber, Streaming) else None
        self.transcriber = Part("transcriber", Level.OK, f"{name}, {transcriber.locale}")
        return transcriber

    def sessions(self) -> dict[str, object]:
        """Return what a recogniser that is a service has counted; from any thread."""
        return asdict(self._sessions) if self._sessions else {}

    def load_backend(self, names: str, catalogue: Catalogue) -> Backend:
        """Load the backends ``names``, with commas between them; raise `NodeError` where none can be had."""
        missing: list[str] = []
        loading = True

        def tell(line: str) -> None:
            if loading:
                missing.append(line)
            self._log(line)

        try:
            backend = make_backend(names.split(", "), self._backend_settings(), catalogue, tell, self.chain)
        except OracleError as error:
            raise NodeError(str(error)) from error
        loading = False
        self.backend = Part("backend", Level.WARN if missing else Level.OK, "; ".join(missing) or names)
        return backend

    def bridge_settings(self) -> BridgeSettings:
        """Return how the bridge listens and asks."""
        turns = TurnSettings(
            pause_s=self._number("pause_s"),
            shortest_s=self._number("shortest_turn_s"),
            longest_s=self._number("longest_turn_s"),
            partial_interval_s=self._number("partial_interval_s"),
            pause_prediction=self._number("pause_prediction"),
        )
        asking = AskingSettings(self._number("ask_interval_s"), self._text("locale"), self._text("apology"))
        return BridgeSettings(turns, asking)

    def _backend_settings(self) -> BackendSettings:
        prompt = PromptSettings(
            robot_name=self._text("robot_name"),
            longest_answer_words=int(self._values["longest_answer_words"]),
            history_characters=int(self._values["history_characters"]),
        )
        persona = self._text("persona")
        return BackendSettings(
            knowledge=self._path("knowledge") or config_file("knowledge.yaml"),
            local_model=self._path("local_model"),
            openai=OpenAiSettings(
                base_url=self._text("openai_base_url"),
                model=self._text("openai_model"),
                key_file=self._path("openai_key_file"),
            ),
            gemini=GeminiSettings(
                base_url=self._text("gemini_base_url"),
                model=self._text("gemini_model"),
                key_file=self._path("gemini_key_file"),
            ),
            prompt=prompt if not persona else replace(prompt, persona=persona),
            chain=ChainSettings(retry_wait_s=self._number("retry_wait_s")),
            deadlines=Deadlines(
                self._number("first_token_s"), self._number("between_tokens_s"), self._number("answer_s")
            ),
        )

    def _transcriber(self, name: str, locale: str) -> Transcriber:
        settings = TranscriberSettings(
            model=self._text("transcriber_model"),
            locale=locale,
            device=self._text("transcriber_device"),
            base_url=self._text("transcriber_base_url"),
            openai_key_file=self._path("openai_key_file"),
            gemini_key_file=self._path("gemini_key_file"),
            final_wait_s=self._number("transcriber_wait_s"),
        )
        return make_transcriber(name, settings, self._log)

    def _number(self, name: str) -> float:
        return float(self._values[name])

    def _text(self, name: str) -> str:
        return str(self._values[name])

    def _path(self, name: str) -> Path | None:
        return Path(self._text(name)).expanduser() if self._values[name] else None
