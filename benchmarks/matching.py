"""How well the knowledge backend answers, without recogniser and voice: every set of questions, and every miss by name.

Run as ``python -m benchmarks.matching``; it needs the embedded default's packages and takes about a minute.
"""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median
from typing import Any

import yaml

from kame_ros.oracle.intents import intents_file
from kame_ros.oracle.matching.embedding import MiniLm
from kame_ros.oracle.matching.knowledge_file import read
from kame_ros.oracle.matching.matcher import Matcher

ROOT = Path(__file__).parents[1]
SETS = {
    "development": ROOT / "test/oracle/data/development.yaml",
    "held out": ROOT / "test/oracle/data/held_out.yaml",
    "spoken, first": ROOT / "benchmarks/questions_first.yaml",
    "spoken, second": ROOT / "benchmarks/questions_second.yaml",
    "spoken, third": ROOT / "benchmarks/questions_third.yaml",
}


def questions(given: dict[str, Any]) -> list[tuple[str | None, str]]:
    """Return the entry that each question asks for, None for unknown, and the question."""
    asked: list[tuple[str | None, str]] = []
    for section in ("knowable", "wrapped", "misheard"):
        match given.get(section, {}):
            case dict() as by_entry:
                asked += [(entry, text) for entry, texts in by_entry.items() for text in texts]
            case listed:
                asked += [(question["entry"], question["text"]) for question in listed]
    asked += [(command["entry"], command["text"]) for command in given.get("commands", [])]
    return asked + [(None, text["text"] if isinstance(text, dict) else text) for text in given["unknowable"]]


def main() -> None:
    """Print the load time, then each set's misses and counts."""
    began = time.perf_counter()
    contents = read(ROOT / "config/knowledge.yaml", intents_file.read(ROOT / "config/intents.yaml"))
    matcher = Matcher(contents, MiniLm())
    wordings = sum(len(entry.ask) for entry in contents.entries) + len(contents.unknown_examples)
    print(f"{len(contents.entries)} entries, {wordings} wordings, loaded in {time.perf_counter() - began:.1f} s")
    for name, path in SETS.items():
        right = {True: 0, False: 0}
        total = {True: 0, False: 0}
        took_s = []
        for entry, text in questions(yaml.safe_load(path.read_text(encoding="utf-8"))):
            began = time.perf_counter()
            match = matcher.match(text)
            took_s.append(time.perf_counter() - began)
            found = match.entry.id if match else None
            total[entry is not None] += 1
            right[entry is not None] += found == entry
            if found != entry:
                print(f"  {name}: {text!r} is {entry or 'unknown'}, answered from {found or 'nothing'}")
        known, unknown = (f"{right[kind]} of {total[kind]}" for kind in (True, False))
        print(f"{name}: {known} answered to the point, {unknown} left unknown, median {1000 * median(took_s):.0f} ms")


if __name__ == "__main__":
    main()
