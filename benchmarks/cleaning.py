"""What it costs to make an answer speakable: microseconds of CPU a character, by kind of text and size of its pieces.

Run as ``python -m benchmarks.cleaning``; it needs no packages and takes some seconds.
"""

from __future__ import annotations

import time

from kame_ros.oracle.prompt.answer_text import AnswerText

FUNCTIONS = ("MOVE_TO", "BRING_OBJECT", "GREET", "SUSPEND")
TEXTS = {
    "plain words": "The kitchen is on the left, and it opens at ten in the morning, except on public holidays. ",
    "Markdown": "- The **kitchen** is [here](http://example.org/map), for $5, or `now`.\n\n## Next\n",
    "Japanese": "台所は左側にあります。祝日を除いて、午前十時に開きます。",
    "calls": 'I go. {"name": "MOVE_TO", "arguments": {"goal": "kitchen", "speed": 0.5}}\n',
    "opened, never closed": "[a](b <c $d {e: `f ![g ",
}
PIECES = (1, 4, 20)  # characters; a token has about four
CHARACTERS = 20_000


def cleaning_us(text: str, piece: int) -> float:
    """Return the CPU time a character of cleaning ``text``, as one answer in pieces of ``piece`` characters."""
    began_s = time.process_time()
    answer = AnswerText(FUNCTIONS, "Kame")
    for start in range(0, len(text), piece):
        answer.feed(text[start : start + piece])
    answer.finish()
    return 1e6 * (time.process_time() - began_s) / len(text)


def main() -> None:
    """Print the best of three for each kind of text and size of pieces."""
    print(f"| text | {' | '.join(f'pieces of {piece}' for piece in PIECES)} |")
    print("|---" * (len(PIECES) + 1) + "|")
    for kind, sentence in TEXTS.items():
        text = sentence * (CHARACTERS // len(sentence))
        costs_us = [min(cleaning_us(text, piece) for _ in range(3)) for piece in PIECES]
        print(f"| {kind} | {' | '.join(f'{cost_us:.1f}' for cost_us in costs_us)} |")


if __name__ == "__main__":
    main()
