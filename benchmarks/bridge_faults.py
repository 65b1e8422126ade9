"""Many turns against a bad network: is every turn answered or reported, once, and under its own number?

    python -m benchmarks.bridge_faults [--turns 200] [--seed 1] [--json FILE]

Typed questions go through a whole bridge to the real openai library, which asks a server on this machine; for each
request the server does something well or badly, by chance. Behind it in the chain stands the backend knowledge, with a
file that knows nothing. Some questions come before the one before them is answered, some change the backend or begin a
new session. Every question has a number, and the server's answers name it, so an answer under another turn would show.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from oracle.servers.openai_chat import Asked, ChatServer, Reply

from benchmarks.chat_faults import BADLY, WELL, reply
from kame_ros.app.versions import machine, versions
from kame_ros.oracle.asking import AskingSettings
from kame_ros.oracle.backends.chain import Chain, ChainCounts
from kame_ros.oracle.backends.chain_policy import ChainSettings
from kame_ros.oracle.backends.knowledge import Knowledge
from kame_ros.oracle.backends.openai import OpenAi, OpenAiSettings
from kame_ros.oracle.bridge import Bridge, BridgeSettings
from kame_ros.oracle.deadlines import Deadlines
from kame_ros.oracle.intents.catalogue import Catalogue, IntentKind, Slot
from kame_ros.oracle.prompt.prompt import Prompt, PromptSettings
from kame_ros.oracle.reports import IntentFound, Oracle, OracleStatus, Report
from kame_ros.oracle.talk import Spoken

UNKNOWN = "I do not know that."
KNOWLEDGE = f"""\
robot: {{name: Robin, language: en-US}}
unknown: {{answer: {UNKNOWN}}}
facts:
  - {{id: name, ask: [what is your name, who are you], answer: I am Robin.}}
"""
CATALOGUE = Catalogue((IntentKind("MOVE_TO", "Drive to a place.", (Slot("goal"),), required=("goal",)),))
# Short, so that what is late costs the run no more than half a second.
DEADLINES = Deadlines(first_token_s=0.4, between_tokens_s=0.3, answer_s=2.0)
# Rests so short that nearly every turn asks the server again.
CHAIN = ChainSettings(retry_wait_s=0.2, first_rest_s=0.002, longest_rest_s=0.01, set_up_rest_s=0.01)
_LONGEST_TURN_S = 20.0
_LONGEST_REST_S = 0.5  # any of the server's limits is over then
_NUMBER = re.compile(r"\d+")
_ENDS = frozenset({OracleStatus.COMPLETE, OracleStatus.INCOMPLETE, OracleStatus.CANCELLED})


@dataclass
class Turn:
    """One question and what was reported of it."""

    number: int
    oracles: list[Oracle] = field(default_factory=list)
    intents: list[IntentFound] = field(default_factory=list)

    @property
    def ends(self) -> list[Oracle]:
        """Return the reports that ended it."""
        return [oracle for oracle in self.oracles if oracle.status in _ENDS]

    def outcome(self) -> str:
        """Return how it ended and by whom."""
        ends = self.ends
        return f"{ends[0].status.value}, {ends[0].backend}" if ends else "never reported"

    def wrongs(self) -> list[str]:
        """Return every law that its reports break."""
        own, wrongs = str(self.number), []
        if len(self.ends) != 1:
            wrongs.append(f"ended {len(self.ends)} times")
        elif self.oracles[-1].status not in _ENDS:
            wrongs.append("was reported after its end")
        if [oracle.revision for oracle in self.oracles] != list(range(1, len(self.oracles) + 1)):
            wrongs.append("has revisions that do not rise by one")
        if any(set(_NUMBER.findall(oracle.text)) - {own} for oracle in self.oracles):
            wrongs.append("has words of another question")
        if any("None" in oracle.text or "MOVE_TO" in oracle.text for oracle in self.oracles):
            wrongs.append("speaks what is no speech")
        if len(self.intents) > 1:
            wrongs.append("has an intent twice")
        if any(set(_NUMBER.findall(str(intent.roles))) != {own} for intent in self.intents):
            wrongs.append("has the intent of another question")
        return [f"question {own} {wrong}" for wrong in wrongs]


class Ledger:
    """All turns, by session and number."""

    def __init__(self) -> None:
        """Start without any."""
        self.turns: dict[tuple[int, int], Turn] = {}
        self._changed = threading.Condition()

    def expect(self, session: int, turn: int, number: int) -> None:
        """Take a question that was asked."""
        with self._changed:
            self._of(session, turn).number = number

    def take(self, report: Report) -> None:
        """Take a report of the bridge."""
        with self._changed:
            match report:
                case Oracle():
                    self._of(report.session, report.turn).oracles.append(report)
                case IntentFound():
                    self._of(report.session, report.turn).intents.append(report)
            self._changed.notify_all()

    def wait(self) -> None:
        """Wait until every turn so far has ended, but not for ever."""
        with self._changed:
            self._changed.wait_for(lambda: all(turn.ends for turn in self.turns.values()), _LONGEST_TURN_S)

    def _of(self, session: int, turn: int) -> Turn:
        # The answer may be here before the call that asked returns.
        return self.turns.setdefault((session, turn), Turn(-1))


@dataclass
class Result:
    """What came of it."""

    turns: int = 0
    done: dict[str, int] = field(default_factory=dict)
    """What the server did, by name."""
    outcomes: dict[str, int] = field(default_factory=dict)
    intents: int = 0
    wrongs: list[str] = field(default_factory=list)
    last_answer: str = ""
    """What a question gets once the server does everything well."""
    longest_ask_ms: float = 0.0
    """Of a call that puts a question."""
    chain: dict[str, Any] = field(default_factory=dict)
    asking: dict[str, Any] = field(default_factory=dict)
    faults: int = 0
    """Exceptions in the bridge's threads."""


class Run:
    """One run, decided by ``seed``."""

    def __init__(self, seed: int, folder: Path) -> None:
        """Start server and bridge."""
        self._chance = random.Random(seed)  # noqa: S311 (no secret)
        self._server_chance = random.Random(seed + 1)  # noqa: S311
        self._knowledge = folder / "knowledge.yaml"
        self._knowledge.write_text(KNOWLEDGE)
        self.done: Counter[str] = Counter()
        self.ledger = Ledger()
        self.chain_counts = ChainCounts()
        self.server = ChatServer(self._reply)
        self.bridge = Bridge(
            None,
            self._chain(),
            CATALOGUE,
            BridgeSettings(asking=AskingSettings()),
            self.ledger.take,
            lambda *_: None,
        )
        self._session = 0
        self._renew_session()

    def ask(self, number: int) -> float:
        """Ask one question, and whatever chance wants beside it; return how long the call took, in ms."""
        started_s = time.perf_counter()
        turn = self.bridge.ask(f"What is question {number}?")
        took_ms = 1000 * (time.perf_counter() - started_s)
        self.ledger.expect(self._session, turn, number)
        if self._chance.random() < 0.8:
            self.ledger.wait()
            self.bridge.robot_spoke(Spoken(self._session, turn, turn, "That was it."))
        else:
            time.sleep(self._chance.uniform(0.0, 0.3))
        if self._chance.random() < 0.02:
            self.bridge.set_backend(self._chain())
        if self._chance.random() < 0.03:
            self.ledger.wait()
            self._renew_session()
        return took_ms

    def ask_last(self, number: int) -> str:
        """Ask a question that the server answers well, and return the answer."""
        self.server.replies[:] = [reply("well", str(number))]
        time.sleep(CHAIN.retry_wait_s + _LONGEST_REST_S)
        turn = self.bridge.ask(f"What is question {number}?")
        self.ledger.expect(self._session, turn, number)
        self.ledger.wait()
        return self.ledger.turns[self._session, turn].oracles[-1].text

    def close(self) -> None:
        """End everything."""
        self.bridge.close()
        self.server.close()

    def _renew_session(self) -> None:
        self._session += 1
        self.bridge.start_session(self._session)

    def _chain(self) -> Chain:
        openai = OpenAi(OpenAiSettings(self.server.base_url, "m"), Prompt(PromptSettings()), CATALOGUE)
        links = [openai, Knowledge(self._knowledge, CATALOGUE)]
        return Chain(links, CHAIN, DEADLINES, lambda _: None, self.chain_counts)

    def _reply(self, asked: Asked) -> Reply:
        replies = WELL if self._server_chance.random() < 0.4 else BADLY
        name = self._server_chance.choice(list(replies))
        self.done[name] += 1
        numbers = _NUMBER.findall(asked.body["messages"][-1]["content"])
        return reply(name, numbers[-1])


@contextmanager
def running(seed: int) -> Iterator[Run]:
    """Give a run that is closed at the end."""
    with tempfile.TemporaryDirectory(prefix="kame-faults-") as folder:
        run = Run(seed, Path(folder))
        try:
            yield run
        finally:
            run.close()


def measure(turns: int, seed: int) -> Result:
    """Ask ``turns`` questions and return what came of them."""
    with running(seed) as run:
        longest_ms = max(run.ask(number) for number in range(1, turns + 1))
        run.ledger.wait()
        last_answer = run.ask_last(turns + 1)
        counts = run.bridge.counts()
    all_turns = run.ledger.turns.values()
    return Result(
        len(all_turns),
        dict(sorted(run.done.items())),
        dict(sorted(Counter(turn.outcome() for turn in all_turns).items())),
        sum(len(turn.intents) for turn in all_turns),
        [wrong for turn in all_turns for wrong in turn.wrongs()],
        last_answer,
        round(longest_ms, 2),
        run.chain_counts.values(),
        dict(counts.asking),
        counts.faults,
    )


def markdown(result: Result) -> str:
    """Lay the result out as the tables of docs/benchmarks.md."""
    lines = [f"{result.turns} turns, {result.intents} intents, {len(result.wrongs)} wrong.", ""]
    lines += ["| how a turn ended | turns |", "|---|---|"]
    lines += [f"| {outcome} | {count} |" for outcome, count in result.outcomes.items()]
    lines += ["", "| what the server did | times |", "|---|---|"]
    lines += [f"| {name} | {count} |" for name, count in result.done.items()]
    return "\n".join([*lines, *result.wrongs])


def main() -> None:
    """Run and print the tables; exit code 1 when a turn was lost, doubled or mixed up."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--turns", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--json", type=Path, help="write everything to this file")
    chosen = options.parse_args()
    result = measure(chosen.turns, chosen.seed)
    print(markdown(result))
    if chosen.json:
        chosen.json.write_text(
            json.dumps({"machine": machine(), "versions": versions(), "result": asdict(result)}, indent=1)
        )
    raise SystemExit(bool(result.wrongs or result.faults))


if __name__ == "__main__":
    main()
