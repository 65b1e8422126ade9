"""Twenty-five spoken questions through the running nodes: what was heard, what was answered, and how soon.

    python -m benchmarks.talk [--questions FILE] [--limit N] [--json FILE]

Needs flite. The questions are in other words than the bundled knowledge file's, by two voices that the robot does not
have.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import yaml

from benchmarks.graph import running
from benchmarks.spoken import MIC_RATE_HZ, ROOT, FileBegins, Question, lay_out, questions, speak
from kame_ros.app.record import TalkRecord, Turn
from kame_ros.app.versions import machine, versions
from kame_ros.nodes.events import Event

GAP_S = 9.0  # longer than any answer of the bundled file


@dataclass(frozen=True)
class Row:
    """What became of one question; seconds after the end of its speech."""

    voice: str
    question: str
    heard: str
    answer: str
    right: bool
    final_s: float | None
    oracle_s: float | None
    first_sound_s: float | None


def main() -> None:
    """Ask, and print the tables."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--questions", default="questions_first.yaml", help="file of questions in benchmarks/")
    options.add_argument("--limit", type=int, default=25, help="ask only the first N questions")
    options.add_argument("--json", type=Path, help="write everything to this file")
    chosen = options.parse_args()
    asked = questions(chosen.questions)[: chosen.limit]
    rows = ask(asked)
    print(markdown(rows))
    if chosen.json:
        chosen.json.write_text(
            json.dumps({"machine": machine(), "versions": versions(), "rows": [asdict(row) for row in rows]}, indent=1)
        )


def ask(asked: list[Question]) -> list[Row]:
    """Speak all questions in one talk and return what became of each."""
    record, file_begins = TalkRecord(), FileBegins()

    def take(event: Event) -> None:
        record.take(event)
        file_begins.take(event)

    with tempfile.TemporaryDirectory(prefix="kame-talk-") as folder:
        file = Path(folder) / "questions.wav"
        places = lay_out([speak(one.voice, one.text) for one in asked], GAP_S, file)
        with running(file, take) as graph:
            graph.wait(lambda: record.source_ended_ns is not None, places[-1][1] / MIC_RATE_HZ + GAP_S + 60)
    judge = right_answers()
    return [
        row(one, _turns_between(record, file_begins.sample + begin, file_begins.sample + end), judge)
        for one, (begin, end) in zip(asked, places, strict=True)
    ]


def _turns_between(record: TalkRecord, begin: int, end: int) -> list[Turn]:
    """Return the turns that began while a question was spoken, or in the gap behind it."""
    pre_roll, gap = round(0.5 * MIC_RATE_HZ), round(GAP_S * MIC_RATE_HZ)
    return [
        turn
        for turn in record.turns
        if turn.transcripts and begin - pre_roll <= turn.transcripts[-1].first_sample < end + gap - pre_roll
    ]


def row(one: Question, turns: list[Turn], judge: Callable[[Question, str], bool]) -> Row:
    """Say what became of a question: its last turn counts, since a pause may have cut it in two."""
    if not turns:
        return Row(one.voice, one.text, "", "", right=False, final_s=None, oracle_s=None, first_sound_s=None)
    turn = turns[-1]

    def after_s(at_ns: int | None) -> float | None:
        return None if at_ns is None or turn.speech_end_ns is None else (at_ns - turn.speech_end_ns) / 1e9

    return Row(
        voice=one.voice,
        question=one.text,
        heard=" | ".join(each.text for each in turns),
        answer=turn.answer,
        right=judge(one, turn.answer),
        final_s=after_s(turn.final_ns),
        oracle_s=after_s(turn.oracle_complete_ns),
        first_sound_s=after_s(turn.first_sound_ns),
    )


def right_answers() -> Callable[[Question, str], bool]:
    """Return what tells whether an answer is to the point: it must be that of the expected entry, word for word.

    Of an answer with slots, the words before the first slot count.
    """
    knowledge = yaml.safe_load((ROOT / "config" / "knowledge.yaml").read_text())
    answers = {
        entry["id"]: entry["answer"].replace("{robot}", knowledge["robot"]["name"])
        for kind in ("facts", "small_talk", "commands")
        for entry in knowledge[kind]
    }
    unknown = knowledge["unknown"]["answer"]

    def judge(one: Question, answer: str) -> bool:
        expected = answers[one.entry] if one.entry else unknown
        fixed = expected.partition("{")[0].strip()
        return bool(answer) and (answer == expected if "{" not in expected else answer.startswith(fixed))

    return judge


def markdown(rows: list[Row]) -> str:
    """Lay the rows out as the table of docs/benchmarks.md."""
    lines = ["| | voice | asked | heard | answered | first sound, s |", "|---|---|---|---|---|---|"]
    for one in rows:
        sound = "-" if one.first_sound_s is None else f"{one.first_sound_s:.2f}"
        mark = "yes" if one.right else "**no**"
        lines.append(f"| {mark} | {one.voice} | {one.question} | {one.heard} | {one.answer} | {sound} |")
    lines += ["", f"{sum(one.right for one in rows)} of {len(rows)} to the point.", ""]
    lines += ["| seconds after the end of speech | median | slowest |", "|---|---|---|"]
    for name, values in (
        ("final transcript", [one.final_s for one in rows]),
        ("oracle complete", [one.oracle_s for one in rows]),
        ("first sound played", [one.first_sound_s for one in rows]),
    ):
        known = [value for value in values if value is not None]
        if known:
            lines.append(f"| {name} ({len(known)}) | {statistics.median(known):.2f} | {max(known):.2f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
