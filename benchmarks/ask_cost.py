"""What it costs to ask while the user still speaks: calls and tokens of a turn, and what is gained, on made-up time.

    python -m benchmarks.ask_cost [--json FILE]

The policy and the counting are the ones that run; speech, recogniser and language model are made up: a partial
transcript every half second, the user's silence noticed 0.3 s after the last word and believed 0.3 s later, and a model
that begins after 0.2 s and writes 20 tokens a second, 40 for an answer.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from kame_ros.oracle.answers import Answer, Answers
from kame_ros.oracle.ask import Adopt, Ask, AskPolicy, Cancel, Stage
from kame_ros.oracle.asking import AskingSettings
from kame_ros.oracle.backend import Finished, TextDelta
from kame_ros.oracle.cost import Cost
from kame_ros.oracle.intents.catalogue import Catalogue
from kame_ros.oracle.intents.gate import IntentGate

FIRST_TOKEN_S = 0.2
TOKEN_S = 0.05
TOKENS = 40
_PARTIAL_S = 0.5
_NOTICED_S = 0.3
_BELIEVED_S = 0.6
_TICK_S = 0.01


@dataclass(frozen=True)
class Speech:
    """What the user says: at ``times_s`` since the beginning the transcript becomes ``texts``."""

    texts: tuple[str, ...]
    times_s: tuple[float, ...]
    pauses_s: tuple[float, ...] = ()
    """When the user seems to have ended, and goes on."""

    def at(self, now_s: float) -> str:
        """Return what is understood at ``now_s``."""
        return next(
            (text for text, time_s in zip(self.texts[::-1], self.times_s[::-1], strict=True) if time_s <= now_s), ""
        )


def even(words: int, length_s: float, pauses_s: tuple[float, ...] = (), blank: str = " ") -> Speech:
    """Return speech of so many words at an even pace."""
    texts = tuple(blank.join(f"word{number}" for number in range(1, count + 1)) for count in range(1, words + 1))
    return Speech(texts, tuple(length_s * count / words for count in range(1, words + 1)), pauses_s)


SPEECHES: Mapping[str, Speech] = {
    "5 words in 2 s": even(5, 2.0),
    "16 words in 6 s": even(16, 6.0),
    "16 words in 6 s, without blanks": even(16, 6.0, blank=""),
    "16 words in 6 s, two pauses": even(16, 6.0, pauses_s=(2.3, 4.1)),
    "the recogniser takes words back": Speech(
        ("where", "where is the cafe near here", "where is the cafe", "where is the cafeteria"), (0.5, 1.5, 2.0, 2.6)
    ),
    "40 words in 15 s": even(40, 15.0),
}


class Backend:
    """Has a name; what it says is made up elsewhere."""

    name = "made up"

    def __init__(self, answers_whole: bool) -> None:
        """Choose whether words that may go on get the same answer as the same words at the end."""
        self.answers_whole = answers_whole


@dataclass
class Row:
    """What one turn cost."""

    calls: int = 0
    asked: list[str] = field(default_factory=list)
    tokens: int = 0
    wasted_tokens: int = 0
    kept: float | None = None
    """Of the text of the running answer, what is still used after the final; None: there was none."""
    final_to_first_text_s: float = 0.0


class Turn:
    """Plays one turn through."""

    def __init__(self, speech: Speech, interval_s: float, answers_whole: bool) -> None:
        """Start at time 0."""
        self.row = Row()
        self._speech = speech
        self._policy = AskPolicy(interval_s)
        self._backend = Backend(answers_whole)
        self._cost = Cost()
        self._answers = Answers(1, IntentGate(Catalogue(())), self._cost, "", lambda _: None)
        self._running: dict[Answer, int] = {}  # tokens so far
        self._revision = 0
        self._ended = False

    def play(self) -> Row:
        """Return what it cost."""
        end_s = self._speech.times_s[-1]
        looks = {_PARTIAL_S * look: Stage.SPEAKING for look in range(1, int(end_s / _PARTIAL_S) + 1)}
        looks |= dict.fromkeys(self._speech.pauses_s, Stage.PAUSED)
        looks |= {end_s + _NOTICED_S: Stage.PAUSED, end_s + _BELIEVED_S: Stage.FINAL}
        left = sorted(looks.items())
        tick = 0
        while left or self._running:
            now_s = tick * _TICK_S
            while left and left[0][0] <= now_s:
                self._observe(now_s, left.pop(0)[1])
            self._do(self._policy.due(now_s), now_s)
            self._write(now_s)
            tick += 1
        self._answers.forget()
        self.row.calls, self.row.tokens = self._cost.calls, self._cost.tokens
        self.row.wasted_tokens = self._cost.wasted_tokens
        self.row.final_to_first_text_s = float(str(self._cost.values()["final_to_first_text_last_s"]))
        return self.row

    def _observe(self, now_s: float, stage: Stage) -> None:
        text = self._speech.at(now_s)
        if not text:
            return
        self._revision += 1
        before = max(self._running.values(), default=0) if stage is Stage.FINAL else 0
        self._do(self._policy.observe(now_s, 1, self._revision, text, stage), now_s)
        if before:
            self.row.kept = max(self._running.values(), default=0) / before

    def _do(self, actions: list[Ask | Cancel | Adopt], now_s: float) -> None:
        for action in actions:
            match action:
                case Ask():
                    answer = self._answers.begin(action, self._backend, now_s, False, now_s)  # type: ignore[arg-type]
                    self._policy.answering(action.request, self._backend.answers_whole)
                    self._running[answer] = 0
                    self.row.asked.append(action.text)
                case Cancel():
                    stopped = self._answers.cancel(action, now_s)
                    if stopped:
                        self._running.pop(stopped, None)
                case Adopt():
                    self._answers.adopt(action, now_s, now_s)

    def _write(self, now_s: float) -> None:
        for answer, tokens in list(self._running.items()):
            due = 1 + int((now_s - answer.spent.asked_s - FIRST_TOKEN_S) / TOKEN_S + 1e-6)
            for _ in range(tokens, min(TOKENS, max(0, due))):
                self._answers.take(answer, TextDelta("token "), now_s)
                self._running[answer] += 1
            if self._running[answer] == TOKENS:
                self._answers.take(answer, Finished(), now_s)
                self._policy.ended(answer.ask.request, ok=True)
                del self._running[answer]


def measure(intervals_s: tuple[float, ...]) -> dict[str, dict[str, dict[str, object]]]:
    """Return what each kind of speech costs, by interval, with the name of the backend's way first."""
    return {
        f"every {interval_s:g} s{', answers whole' if whole else ''}": {
            name: asdict(Turn(speech, interval_s, whole).play()) for name, speech in SPEECHES.items()
        }
        for interval_s in intervals_s
        for whole in (False, True)
    }


def markdown(result: dict[str, dict[str, dict[str, object]]]) -> str:
    """Lay the result out as the table of docs/benchmarks.md."""
    lines = [
        "| asked, while the user speaks | speech | calls | tokens | wasted | kept at the final | final to text, s |",
        "|---|---|---|---|---|---|---|",
    ]
    for way, rows in result.items():
        for name, row in rows.items():
            kept = row["kept"]
            lines.append(
                f"| {way} | {name} | {row['calls']} | {row['tokens']} | {row['wasted_tokens']} | "
                f"{'' if kept is None else f'{kept:.0%}'} | {row['final_to_first_text_s']} |"
            )
    return "\n".join(lines)


def main() -> None:
    """Play everything through and print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--json", type=Path, help="write everything to this file")
    chosen = options.parse_args()
    result = measure((0.5, 1.0, AskingSettings().interval_s, 4.0))
    print(markdown(result))
    if chosen.json:
        chosen.json.write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
