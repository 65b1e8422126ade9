"""What the tests of the prompt's room share: texts that models write, and what is heard of a cleaned answer."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from hypothesis import strategies as st

from kame_ros.oracle.backend import IntentPart, TextDelta
from kame_ros.oracle.prompt.answer_text import AnswerText
from kame_ros.oracle.prompt.markup import Markup

FUNCTIONS = ("MOVE_TO", "GREET", "SUSPEND", "stop")

_WORDS = "We open at ten . the kitchen is 5 metres 20 % away $3.50 don't e.g. 3,5 km/h , ! ? : é e\u0301 None ½ a|b x_y"
_JAPANESE = (
    "こんにちは 。 東京 です 「 」 は 、 ロボット \uff1a タワー アシスタント: 行きます 今日 \uff1f \uff08 \uff09 ー"
)
_MARKS = (
    "** * _ ` ``` ```json\n ~~ ~~~ # ## 1. 2. 12. - + > | |--- ![ [ ]( ] ) ( [1] [^2] 【 】 † & &amp; &lt; &#0; ^ = "
    "-> <- <3 http://a.b/c_(d) www.a.b a.b/c/d mailto:a@b.c <http://a.b> \\ \\* \\n {name} {1} { } {{ }} ⟶ · • ・"
)
_LATEX = (
    "$ $$ \\( \\) \\[ \\] \\frac{1}{2} \\times \\begin{x} \\end{x} $x^2$ $\\boxed{84}$ \\(a_1\\) \\$5 \\text{yes} \\pi"
)
_THOUGHTS = (
    "<think> </think> <Thinking> </thinking> <reasoning> [THINK] [/THINK] ◁think▷ ◁/think▷ <|channel|> analysis "
    "<|message|> <|end|> <|START_THINKING|> <|END_THINKING|> <think/>"
)
_TAGS = (
    "<b> </b> <br/> <li> <td> <p> <a_href=x> <!-- --> <!DOCTYPE_x> <script> </script> < > << >> <= <x "
    "\x1b[31m \ue200 \ue201"
)
_TURNS = (
    "<|im_start|> <|im_end|> assistant\n user\n <|start_header_id|> <|end_header_id|> <|eot_id|> <s> </s> [INST] "
    "[/INST] <start_of_turn> <end_of_turn> <|user|> <|assistant|> User: Assistant: **Robot:** "
    "Kame: AI : Answer: Final answer:"
)
_CALLS = (
    '{"name": "arguments" "MOVE_TO" "goal": "kitchen" MOVE_TO MOVE_TO( MOVE_TO: GREET( stop goal= } ) [{ }] '
    "<tool_call> </tool_call> <function=MOVE_TO> <parameter=goal> </parameter> </function> [TOOL_CALLS] [ARGS] "
    "<|python_tag|> <|call|> to=functions.MOVE_TO <arg_key> </arg_key> <arg_value> </arg_value> ```tool_code\n "
    '{"goal": SUSPEND() \' "'
)
_UNSPEAKABLE = (
    "😀 👍🏽 👨\u200d👩\u200d👧 1\ufe0f\u20e3 🇯🇵 ❤️ \x00 \x07 \u200b \u200d \ufeff \u202e \ud83d \ude00 \ufffd → ■ "
    "\U0001d401\U0001d428\U0001d425\U0001d41d"
)
WHOLE_CALLS = (
    '{"name": "MOVE_TO", "arguments": {"goal": "kitchen"}}',
    '<tool_call>\n{"name": "MOVE_TO", "arguments": {"goal": "kitchen"}}\n</tool_call>',
    '```json\n{"name": "MOVE_TO", "parameters": {"goal": "kitchen"}}\n```',
    'MOVE_TO(goal="kitchen")',
)
MARKED = [
    *(
        piece
        for group in (_MARKS, _LATEX, _THOUGHTS, _TAGS, _TURNS, _CALLS, _UNSPEAKABLE)
        for piece in group.split(" ")
    ),
    *WHOLE_CALLS,
]
PLAIN = [*_WORDS.split(" "), *_JAPANESE.split(" ")]
PIECES = [*MARKED, *PLAIN, *PLAIN, *(" " * 60), *("\n" * 12), "\n\n", "\n- ", "\t", "\u3000", "\xa0"]


@dataclass
class Heard:
    """What came of an answer: its text as it stood at its end, its intents, and how it came."""

    text: str = ""
    intents: list[tuple[str, dict[str, object]]] = field(default_factory=list)
    deltas: list[TextDelta] = field(default_factory=list)


def hear(pieces: Sequence[str], functions: Collection[str] = FUNCTIONS) -> Heard:
    """Have ``pieces`` cleaned, as one answer of the robot Kame."""
    answer = AnswerText(functions, "Kame")
    heard = Heard()
    parts = [part for piece in pieces for part in answer.feed(piece)]
    for part in [*parts, *answer.finish()]:
        if isinstance(part, IntentPart):
            heard.intents.append((part.intent, dict(part.roles)))
        else:
            heard.deltas.append(part)
            heard.text = part.text if part.replaces else heard.text + part.text
    return heard


def cut(text: str, chance: random.Random) -> list[str]:
    """Cut ``text`` anywhere."""
    places = sorted(chance.randrange(len(text) + 1) for _ in range(chance.randrange(9)))
    return [text[first:end] for first, end in zip([0, *places], [*places, len(text)], strict=True)]


texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=40).map("".join)
pieces_of_texts = st.builds(lambda text, chance: (text, cut(text, chance)), texts, st.randoms(use_true_random=False))


class Listening:
    """Keeps what `Markup` hands on."""

    def __init__(self) -> None:
        self.text = ""
        self.calls: list[tuple[str, dict[str, object]]] = []
        self.over = False

    def say(self, text: str) -> None:
        self.text += "" if self.over else text

    def call(self, calls: Sequence[IntentPart]) -> None:
        self.calls += [(call.intent, dict(call.roles)) for call in calls]

    def take_back(self) -> None:
        self.text = ""

    def end(self) -> None:
        self.over = bool(self.text.strip())


def taken_out(text: str, functions: Collection[str] = FUNCTIONS) -> Listening:
    """Take the markup out of ``text``, and return what was left and called."""
    listening = Listening()
    markup = Markup(listening, functions)
    markup.feed(text)
    markup.finish()
    return listening
