"""What a model answers comes out as words and intents, however its stream was cut."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracle.prompt.corpus import FUNCTIONS, WHOLE_CALLS, cut, hear, pieces_of_texts, texts

from kame_ros.oracle.backend import IntentPart, TextDelta
from kame_ros.oracle.prompt.answer_text import AnswerText

KITCHEN = ("MOVE_TO", {"goal": "kitchen"})
# Forms that models were taught to call functions in, each with a call of MOVE_TO to the kitchen.
FORMS = (
    *WHOLE_CALLS,
    '[{"name": "MOVE_TO", "arguments": {"goal": "kitchen"}}]',
    '{"type": "function", "function": {"name": "MOVE_TO", "arguments": "{\\"goal\\": \\"kitchen\\"}"}}',
    '{"tool_calls": [{"id": "1", "function": {"name": "functions.MOVE_TO", "arguments": {"goal": "kitchen"}}}]}',
    '{"function_call": {"name": "MOVE_TO", "arguments": {"goal": "kitchen"}}}',
    '{"tool": "MOVE_TO", "tool_input": {"goal": "kitchen"}}',
    '{"action": "MOVE_TO", "action_input": {"goal": "kitchen"}}',
    '{"name": "MOVE_TO", "goal": "kitchen"}',
    '{"MOVE_TO": {"goal": "kitchen"}}',
    "{'name': 'MOVE_TO', 'arguments': {'goal': 'kitchen',},}",
    "{name: MOVE_TO, arguments: {goal: kitchen}}",
    '<functioncall> {"name": "MOVE_TO", "arguments": \'{"goal": "kitchen"}\'}',
    '<tool_call>{"name": "MOVE_TO", "arguments": {"goal": "kitchen"}}',  # never closed
    "<tool_call>MOVE_TO\n<arg_key>goal</arg_key>\n<arg_value>kitchen</arg_value>\n</tool_call>",
    '<function=MOVE_TO>{"goal": "kitchen"}</function>',
    "<tool_call>\n<function=MOVE_TO>\n<parameter=goal>\nkitchen\n</parameter>\n</function>\n</tool_call>",
    '<function_calls><invoke name="MOVE_TO"><parameter name="goal">kitchen</parameter></invoke></function_calls>',
    "<MOVE_TO><goal>kitchen</goal></MOVE_TO>",
    '[TOOL_CALLS][{"name": "MOVE_TO", "arguments": {"goal": "kitchen"}}]',
    '[TOOL_CALLS] MOVE_TO[ARGS]{"goal": "kitchen"}</s>',
    '<|tool_call|>[{"name": "MOVE_TO", "arguments": {"goal": "kitchen"}}]<|/tool_call|>',
    '<|START_ACTION|>[{"tool_name": "MOVE_TO", "parameters": {"goal": "kitchen"}}]<|END_ACTION|>',
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.MOVE_TO:0<|tool_call_argument_begin|>{"goal": "kitchen"}'
    "<|tool_call_end|><|tool_calls_section_end|>",
    "<\uff5ctool\u2581calls\u2581begin\uff5c><\uff5ctool\u2581call\u2581begin\uff5c>function<\uff5ctool\u2581sep\uff5c>MOVE_TO\n"
    '```json\n{"goal": "kitchen"}\n```<\uff5ctool\u2581call\u2581end\uff5c><\uff5ctool\u2581calls\u2581end\uff5c>',
    '<|channel|>commentary to=functions.MOVE_TO <|constrain|>json<|message|>{"goal": "kitchen"}<|call|>',
    '<|start|>assistant to=functions.MOVE_TO<|channel|>commentary json<|message|>{"goal": "kitchen"}<|call|>',
    '<|python_tag|>MOVE_TO(goal="kitchen")<|eom_id|>',
    '```tool_code\nprint(default_api.MOVE_TO(goal="kitchen"))\n```',
    '~~~\nMOVE_TO(goal="kitchen")\n~~~',
    '[MOVE_TO(goal="kitchen")]',
    'MOVE_TO({"goal": "kitchen"})',
    'MOVE_TO {"goal": "kitchen"}',
    "MOVE_TO: {'goal': 'kitchen'}",
    '`MOVE_TO(goal="kitchen")`',
)


@settings(max_examples=250, deadline=None)
@given(pieces_of_texts)
@example(("\u3001\u300cA*\u300d</think>", ["\u3001", "\u300c", "A*", "\u300d</thi", "nk>"]))
@example(('<tool_call>{"name"', ["<tool", '_call>{"name"']))
def test_a_cut_anywhere_gives_the_same_text_and_the_same_intents(case: tuple[str, list[str]]) -> None:
    text, pieces = case
    whole = hear([text])
    for said in (hear(pieces), hear(list(text))):
        assert (said.text, said.intents) == (whole.text, whole.intents)


@settings(max_examples=150, deadline=None)
@given(texts)
def test_what_comes_out_is_words_one_blank_apart_without_any_mark(text: str) -> None:
    said = hear([text]).text
    assert said == " ".join(said.split())
    assert not set(said) & set("*`{}|\\\n\x00\x1b\ufffd\u200b\ue200")
    assert not re.search(r"<[\w/|]|\]\(|:/{2}", said)
    said.encode()  # no half of a character


@settings(max_examples=150, deadline=None)
@given(pieces_of_texts)
def test_only_whole_words_come(case: tuple[str, list[str]]) -> None:
    heard = hear(case[1])
    kept = ""
    for delta in heard.deltas:
        before, kept = kept, delta.text if delta.replaces else kept + delta.text
        assert delta.replaces or delta.text
        joint = before[-1:] + delta.text[:1]
        assert delta.replaces or not (joint.isascii() and joint.isalnum() and len(joint) == 2)


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(FORMS),
    st.sampled_from(["", "Sure, I go. ", "はい。", "- One\n- "]),
    st.randoms(use_true_random=False),
)
def test_a_call_in_any_form_is_an_intent_and_is_never_spoken(form: str, before: str, chance: random.Random) -> None:
    whole = hear([before])
    for pieces in ([before + form], cut(before + form, chance), list(before + form)):
        heard = hear(pieces)
        assert heard.intents == [KITCHEN]
        assert heard.text == whole.text


@pytest.mark.parametrize("form", FORMS)
def test_no_half_of_a_call_is_spoken_or_done(form: str) -> None:
    for end in range(1, len(form)):
        heard = hear([f"Well. {form[:end]}"])
        assert heard.text.startswith("Well.")
        assert "kitchen" not in heard.text
        assert '"' not in heard.text
        assert heard.intents in ([], [KITCHEN])


@pytest.mark.parametrize("form", [form for form in FORMS if not form.endswith("</s>")])
def test_words_after_a_call_are_spoken(form: str) -> None:
    assert hear([f"{form}\nI am on my way."]).text == "I am on my way."


@given(
    st.dictionaries(st.from_regex(r"[a-z]{1,8}", fullmatch=True), st.text(max_size=20) | st.integers() | st.booleans())
)
def test_whatever_the_roles_are_they_arrive(roles: dict[str, object]) -> None:
    for text in (
        json.dumps({"name": "LOOK", "arguments": roles}),
        json.dumps({"name": "LOOK", "arguments": json.dumps(roles)}, ensure_ascii=False, indent=2),
    ):
        assert hear([text]).intents == [("LOOK", roles)]


def test_a_name_that_nobody_offered_is_still_a_call_in_json_so_that_it_can_be_refused() -> None:
    assert hear(['{"name": "SELF_DESTRUCT", "arguments": {}}']).intents == [("SELF_DESTRUCT", {})]


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "Anna", "age": 7}',
        "```python\nprint(len(x))\n```",
        '{"menu": ["soup", "tea"]}',
        "```\nMOVE_TO\n```",
    ],
)
def test_what_is_no_call_gives_no_intent_and_is_not_spoken(text: str) -> None:
    assert hear([text]) == hear([])


def test_brackets_after_a_function_s_name_may_be_a_text() -> None:
    heard = hear(["To stop (or GREET) MOVE_TO(see below) works."])
    assert (heard.text, heard.intents) == ("To stop (or GREET) MOVE TO(see below) works.", [])


def test_without_functions_code_is_no_call() -> None:
    heard = hear(['MOVE_TO(goal="kitchen")'], functions=())
    assert (heard.text, heard.intents) == ('MOVE TO(goal="kitchen")', [])


@pytest.mark.parametrize("call", WHOLE_CALLS)
def test_what_is_called_in_a_thought_is_no_call(call: str) -> None:
    heard = hear([f"<think>I could {call}.</think>No."])
    assert (heard.text, heard.intents) == ("No.", [])
    heard = hear([f"I could {call}.</think>No."])
    assert (heard.text, heard.intents) == ("No.", [])


def test_blanks_and_a_call_are_an_empty_answer_with_an_intent() -> None:
    answer = AnswerText(FUNCTIONS)
    assert answer.feed(f" \n {WHOLE_CALLS[0]} \n") == []
    assert answer.finish() == [IntentPart("MOVE_TO", {"goal": "kitchen"})]


def test_intents_come_at_the_end_so_that_an_answer_that_breaks_off_does_nothing() -> None:
    answer = AnswerText(FUNCTIONS)
    assert answer.feed(f"{WHOLE_CALLS[0]} I go there now.") == [TextDelta("I go there")]
    assert answer.finish() == [TextDelta(" now."), IntentPart("MOVE_TO", {"goal": "kitchen"})]


def test_words_come_as_soon_as_they_are_whole() -> None:
    answer = AnswerText()
    pieces = [answer.feed(piece) for piece in ("We ", "op", "en ", "at", "")]
    assert pieces == [[TextDelta("We")], [], [TextDelta(" open")], [], []]
    assert answer.finish() == [TextDelta(" at")]


def test_what_turns_out_to_be_a_thought_is_taken_back_once() -> None:
    answer = AnswerText()
    assert answer.feed("Let me see. It ") == [TextDelta("Let me see. It")]
    assert answer.feed("is </think>") == [TextDelta("", replaces=True)]
    assert answer.feed("Ten ") == [TextDelta("Ten")]
    assert answer.finish() == []
    assert AnswerText().feed("</think>Ten ") == [TextDelta("Ten")]


LONG = {
    "plain": "The kitchen is on the left, and it opens at ten in the morning. ",
    "marked": "- The **kitchen** is [here](http://a.b), for $5, `now`.\n",
    "japanese": "台所は左です。午前十時に開きます。",
}


@pytest.mark.parametrize(
    "hard", ["{", "[", "<", "<b ", "$", "$a", "\\", "`", "![", "[[a](", "MOVE_TO(", '{"a":', "「", "&", "1. "]
)
def test_no_text_takes_time_that_grows_faster_than_the_text(hard: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def steps(count: int) -> int:
        answer = AnswerText(FUNCTIONS)
        scanner = answer._cleaner._markup._scanner
        sent = 0
        send = scanner._running.send

        class Counting:
            def send(self, character: str) -> None:
                nonlocal sent
                sent += 1
                send(character)

        monkeypatch.setattr(scanner, "_running", Counting())
        answer.feed(hard * count)
        answer.finish()
        return sent

    assert steps(2000) < 2.5 * steps(1000) + 1000


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from([*LONG.values(), "Zoë says: no!", "5 - 3 = 2, 20 %", "「はい」と言いました。"]), max_size=5
    ),
    st.randoms(use_true_random=False),
)
def test_a_tandem_reads_the_same_tokens_however_the_answer_was_cut(
    tiny_checkpoint: Path, lines: list[str], chance: random.Random
) -> None:
    from kame_ros.frontend.inputs import Oracle, OracleStatus
    from kame_ros.frontend.tandem.oracle_stream import OracleStream
    from kame_ros.frontend.tandem.text_ids import TextIds
    from kame_ros.models.sentencepiece_tokenizer import SentencePieceTokenizer

    tokenizer = SentencePieceTokenizer(tiny_checkpoint / "tokenizer.model")
    ids = TextIds(padding=3, end_of_padding=0, oracle_start=tokenizer.size)
    stream = OracleStream(1, tokenizer, ids)
    heard = hear(cut(" ".join(lines), chance))
    said, read = "", []
    for revision, delta in enumerate(heard.deltas, 1):
        said += delta.text
        stream.take(Oracle(1, 1, revision, OracleStatus.GROWING, said, turn_final=True))
        read += [stream.next() for _ in range(chance.randrange(9))]
    stream.take(Oracle(1, 1, len(heard.deltas) + 1, OracleStatus.COMPLETE, said, turn_final=True))
    while stream.waiting:
        read.append(stream.next())
    words = [token for token in read if token not in (ids.padding, ids.oracle_start)]
    assert tuple(words) == tokenizer.encode(hear([" ".join(lines)]).text).ids
    assert stream.counts.superseded == 0
