"""The oracle reaches the model whole and in order, however its messages come."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from kame_ros.frontend.inputs import Oracle, OracleStatus
from kame_ros.frontend.outputs import OracleUse
from kame_ros.frontend.tandem.oracle_stream import OracleStream
from kame_ros.frontend.tandem.text_ids import TextIds
from kame_ros.models.tokenizer import Tokenizer

SESSION = 7
IDS = TextIds(padding=3, end_of_padding=0, oracle_start=9)
START, PAD = 9, 3
TWENTY = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen and so it goes"
)
PATIENCE = 6


def oracle(
    text: str, revision: int = 1, status: str = "COMPLETE", *, turn: int = 1, final: bool = True, session: int = SESSION
) -> Oracle:
    return Oracle(session, turn, revision, OracleStatus[status], text, final)


def stream_of(tokenizer: Tokenizer) -> OracleStream:
    return OracleStream(SESSION, tokenizer, IDS)


def read(stream: OracleStream, steps: int) -> list[int]:
    return [stream.next() for _ in range(steps)]


def read_out(stream: OracleStream) -> list[int]:
    """Read until nothing can come any more, without the padding."""
    tokens = []
    padding = 0
    while padding <= PATIENCE:
        token = stream.next()
        padding = padding + 1 if token == PAD else 0
        if token != PAD:
            tokens.append(token)
    return tokens


def fed(tokenizer: Tokenizer, text: str) -> list[int]:
    return [START, *tokenizer.encode(text).ids]


def ids(tokenizer: Tokenizer, text: str) -> list[int]:
    return list(tokenizer.encode(text).ids)


# As the reference feeds a text that is there at once


def test_a_whole_text_is_the_marker_its_tokens_and_padding(words: Tokenizer) -> None:
    stream = stream_of(words)
    assert read(stream, 3) == [PAD] * 3
    stream.take(oracle(TWENTY))
    assert read(stream, 24) == [*fed(words, TWENTY), PAD, PAD, PAD]


def test_a_new_turn_interrupts_the_one_before(words: Tokenizer) -> None:
    stream = stream_of(words)
    stream.take(oracle(TWENTY))
    before = read(stream, 5)
    stream.take(oracle("one two three six", turn=2))
    assert before == fed(words, TWENTY)[:5]
    assert read(stream, 6) == [*fed(words, "one two three six"), PAD]
    assert stream.turn == 2
    assert stream.counts.superseded == 16


# As it should be


def test_after_a_stall_all_words_come(words: Tokenizer) -> None:
    stream = stream_of(words)
    stream.take(oracle(" ".join(TWENTY.split()[:5]), 1, "GROWING"))
    before = read(stream, 25)
    stream.take(oracle(TWENTY, 2))
    assert [token for token in before if token != PAD] == fed(words, TWENTY)[:6]
    assert read(stream, 16) == [*ids(words, TWENTY)[5:], PAD]
    assert (stream.counts.fed, stream.counts.late, stream.counts.superseded) == (20, 16, 0)


def test_one_word_every_two_steps_all_come(words: Tokenizer) -> None:
    stream = stream_of(words)
    tokens = []
    for count in range(1, 21):
        status = "COMPLETE" if count == 20 else "GROWING"
        stream.take(oracle(" ".join(TWENTY.split()[:count]), count, status))
        tokens += read(stream, 2)
    assert [token for token in tokens + read(stream, 2) if token != PAD] == fed(words, TWENTY)
    assert stream.counts.fed == 20


def test_a_text_that_never_completes_is_read_to_its_end(words: Tokenizer) -> None:
    stream = stream_of(words)
    stream.take(oracle("one two three", 1, "GROWING"))
    assert read(stream, 4) == [*fed(words, "one two"), PAD]
    assert stream.waiting
    assert read_out(stream) == ids(words, "three")
    assert not stream.waiting


def test_a_word_cut_in_two_is_read_as_one(pieces: Tokenizer) -> None:
    stream = stream_of(pieces)
    stream.take(oracle("ab abc d", 1, "GROWING"))
    begun = read(stream, 5)
    stream.take(oracle("ab abc de", 2))
    assert begun == [*fed(pieces, "ab abc"), PAD]
    assert read_out(stream) == ids(pieces, " de")


def test_a_text_without_blanks_is_not_held_back_whole(pieces: Tokenizer) -> None:
    stream = stream_of(pieces)
    stream.take(oracle("x" * 40, 1, "GROWING"))
    assert read(stream, 3) == [START, *ids(pieces, "xx")]


def test_a_revision_that_differs_after_what_was_read_goes_on(words: Tokenizer) -> None:
    stream = stream_of(words)
    stream.take(oracle("the museum opens at nine"))
    read(stream, 4)
    stream.take(oracle("the museum opens when you come", 2))
    assert read(stream, 4) == [*ids(words, "when you come"), PAD]
    assert stream.counts.superseded == 2


def test_a_revision_that_differs_in_what_was_read_begins_again(words: Tokenizer) -> None:
    stream = stream_of(words)
    stream.take(oracle("the museum opens at nine"))
    read(stream, 4)
    stream.take(oracle("a museum opens at nine", 2))
    assert read(stream, 7) == [*fed(words, "a museum opens at nine"), PAD]


def test_a_shorter_text_than_what_was_read_begins_again(words: Tokenizer) -> None:
    stream = stream_of(words)
    stream.take(oracle("the museum opens"))
    read(stream, 4)
    stream.take(oracle("the museum", 2))
    assert read(stream, 4) == [*fed(words, "the museum"), PAD]


def test_the_same_text_again_is_not_read_again(words: Tokenizer) -> None:
    stream = stream_of(words)
    stream.take(oracle("the museum", final=False))
    read(stream, 3)
    stream.take(oracle("the museum", 2))
    assert read_out(stream) == []
    stream.take(oracle("the museum", turn=2))
    assert read_out(stream) == fed(words, "the museum")


def test_what_is_old_or_of_another_session_is_ignored(words: Tokenizer) -> None:
    stream = stream_of(words)
    stream.take(oracle("new", 2, turn=2))
    stream.take(oracle("old turn", 9, turn=1))
    stream.take(oracle("old revision", 1, turn=2))
    stream.take(oracle("again", 2, turn=2))
    stream.take(oracle("other session", 9, turn=9, session=8))
    assert read_out(stream) == fed(words, "new")


def test_nothing_is_begun_for_an_empty_text(words: Tokenizer) -> None:
    stream = stream_of(words)
    stream.take(oracle("", 1, "GROWING"))
    stream.take(oracle(" ", 2))
    assert read_out(stream) == []


# Cancelled and interrupted


def test_of_a_cancelled_request_nothing_more_is_read(words: Tokenizer) -> None:
    stream = stream_of(words)
    stream.take(oracle("the museum opens", 1))
    read(stream, 2)
    stream.take(oracle("the museum opens", 2, "CANCELLED"))
    assert read_out(stream) == []
    stream.take(oracle("the zoo opens", 3))
    assert read_out(stream) == ids(words, "zoo opens")


def test_a_marker_without_its_text_is_given_again(words: Tokenizer) -> None:
    stream = stream_of(words)
    stream.take(oracle("the museum opens", 1))
    assert read(stream, 1) == [START]
    stream.take(oracle("", 2, "CANCELLED"))
    assert read_out(stream) == []
    stream.take(oracle("the zoo", 3))
    assert read_out(stream) == fed(words, "the zoo")


def test_a_turn_of_which_only_the_cancelling_comes_ends_the_one_before(words: Tokenizer) -> None:
    stream = stream_of(words)
    stream.take(oracle("the museum opens", 1))
    read(stream, 2)
    stream.take(oracle("the zoo", 2, "CANCELLED", turn=2))
    assert read_out(stream) == []
    stream.take(oracle("the zoo opens", 3, turn=2))
    assert read_out(stream) == fed(words, "the zoo opens")


def test_an_interrupted_answer_is_over(words: Tokenizer) -> None:
    stream = stream_of(words)
    stream.take(oracle("the museum", 1, "GROWING"))
    read(stream, 2)
    stream.drop()
    stream.take(oracle("the museum opens at nine", 2))
    assert read_out(stream) == []
    assert stream.counts.superseded == 1
    stream.take(oracle("the zoo", turn=2))
    assert read_out(stream) == fed(words, "the zoo")


def test_a_draft_that_was_interrupted_is_wanted_when_it_is_revised(words: Tokenizer) -> None:
    stream = stream_of(words)
    stream.take(oracle("the museum opens", final=False))
    assert len(read_out(stream)) == 4
    stream.drop()
    assert read_out(stream) == []
    stream.take(oracle("the museum opens", 2))
    assert read_out(stream) == fed(words, "the museum opens")


# Texts to be said


def test_backends_do_not_replace_a_text_to_be_said(words: Tokenizer) -> None:
    stream = stream_of(words)
    stream.say("my battery is low")
    before = read(stream, 2)
    stream.take(oracle("the", 1, "GROWING"))
    stream.take(oracle("the museum", 2))
    assert before + read_out(stream) == [*fed(words, "my battery is low"), *fed(words, "the museum")]
    assert stream.turn == 1


def test_an_oracle_that_was_not_read_to_its_end_begins_again_after_it(words: Tokenizer) -> None:
    stream = stream_of(words)
    stream.take(oracle("the museum opens"))
    read(stream, 2)
    stream.say("stop")
    assert stream.is_saying
    assert read_out(stream) == [*fed(words, "stop"), *fed(words, "the museum opens")]


def test_an_oracle_that_was_read_to_its_end_is_not_read_again_after_it(words: Tokenizer) -> None:
    for revised_after_steps in (0, 9):
        stream = stream_of(words)
        stream.take(oracle("the museum ", 1, "GROWING"))
        assert read_out(stream) == fed(words, "the museum")
        stream.say("stop")
        tokens = read(stream, revised_after_steps)
        stream.take(oracle("the museum", 2, "GROWING"))
        tokens += read_out(stream)
        assert [token for token in tokens if token != PAD] == fed(words, "stop")
        stream.take(oracle("the museum opens", 3))
        assert read_out(stream) == fed(words, "opens")


def test_one_text_takes_the_place_of_another(words: Tokenizer) -> None:
    stream = stream_of(words)
    stream.take(oracle("the museum"))
    stream.say("one two")
    read(stream, 2)
    stream.say("three")
    assert read_out(stream) == [*fed(words, "three"), *fed(words, "the museum")]


def test_a_queued_oracle_is_revised_cancelled_and_dropped(words: Tokenizer) -> None:
    for status, final in (("COMPLETE", True), ("CANCELLED", True), ("COMPLETE", False)):
        stream = stream_of(words)
        stream.say("one two three")
        stream.take(oracle("the zoo", 1, final=False))
        stream.take(oracle("the museum", 2, status))
        if not final:
            stream.drop()
        expected = fed(words, "one two three") if final else []
        assert read_out(stream) == expected + (fed(words, "the museum") if status == "COMPLETE" and final else [])


# What is told


def test_the_use_of_a_revision_is_told_when_it_changes(words: Tokenizer) -> None:
    stream = stream_of(words)
    stream.take(oracle("the museum opens"))
    assert stream.uses() == []
    read(stream, 2)
    assert stream.uses() == [OracleUse(SESSION, 1, 1, 3, 0, 0)]
    assert stream.uses() == []
    stream.take(oracle("the museum shuts at five", 2))
    read(stream, 1)
    assert stream.uses() == [OracleUse(SESSION, 1, 1, 3, 0, 5), OracleUse(SESSION, 1, 2, 10, 0, 0)]
    stream.hear("well, the museum")
    stream.hear("shuts")
    assert stream.uses() == [OracleUse(SESSION, 1, 2, 10, 10, 0)]
    stream.drop()
    assert stream.uses() == [OracleUse(SESSION, 1, 2, 10, 10, 14)]


def test_words_heard_before_an_oracle_begins_are_not_its_own(words: Tokenizer) -> None:
    stream = stream_of(words)
    stream.take(oracle("the museum"))
    stream.hear("the museum")
    read(stream, 3)
    assert stream.uses() == [OracleUse(SESSION, 1, 1, 10, 0, 0)]


def test_what_was_fed_stays_fed_when_a_text_comes_in_between(words: Tokenizer) -> None:
    stream = stream_of(words)
    stream.take(oracle("the museum opens"))
    read(stream, 2)
    stream.say("stop")
    assert stream.uses() == [OracleUse(SESSION, 1, 1, 3, 0, 0)]
    read(stream, 4)
    assert stream.uses() == []
    stream.drop()
    assert stream.uses() == [OracleUse(SESSION, 1, 1, 3, 0, 13)]


def test_growing_supersedes_nothing(pieces: Tokenizer) -> None:
    stream = stream_of(pieces)
    uses = []
    text = "ab abc de def fe"
    for length in range(1, len(text) + 1):
        stream.take(oracle(text[:length], length, "COMPLETE" if length == len(text) else "GROWING"))
        stream.next()
        uses += stream.uses()
    read_out(stream)
    uses += stream.uses()
    assert uses[-1] == OracleUse(SESSION, 1, len(text), len(text), 0, 0)
    assert {use.superseded for use in uses} == {0}
    assert stream.counts.superseded == 0


# Laws


@dataclass(frozen=True)
class Message:
    turn: int
    cancelled: bool
    text: str


TURN_LETTERS = ("abc ", "def ", "xy ")


def texts_of(turn: int) -> st.SearchStrategy[list[Message]]:
    """The revisions of one turn: several answers that each grow, the last one maybe cancelled."""
    answer = st.text(TURN_LETTERS[turn - 1], min_size=1, max_size=14)
    cuts = st.lists(st.integers(0, 14), max_size=4).map(sorted)

    def grown(text: str, lengths: list[int]) -> list[str]:
        return [text[:length] for length in lengths] + [text]

    return st.builds(
        lambda answers, cancelled: (
            [Message(turn, False, text) for text, lengths in answers for text in grown(text, lengths)]
            + [Message(turn, True, "")] * cancelled
        ),
        st.lists(st.tuples(answer, cuts), min_size=1, max_size=3),
        st.booleans(),
    )


@st.composite
def deliveries(draw: st.DrawFn) -> list[tuple[Oracle, int]]:
    """Messages as they come, some lost, some twice, some late, each with the steps that follow it."""
    sent = []
    for turn in (1, 2, 3):
        messages = draw(texts_of(turn))
        for index, message in enumerate(messages):
            growing = index + 1 < len(messages) and messages[index + 1].text.startswith(message.text)
            status = "CANCELLED" if message.cancelled else "GROWING" if growing else "COMPLETE"
            sent.append(oracle(message.text, index + 1, status, turn=turn))
    keys = draw(st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 2)), min_size=len(sent), max_size=len(sent)))
    arriving = [
        (index + shift, copy, message)
        for index, (message, (shift, copies)) in enumerate(zip(sent, keys, strict=True))
        for copy in range(copies)
    ]
    arriving.sort(key=lambda entry: entry[:2])
    steps = draw(st.lists(st.integers(0, 9), min_size=len(arriving), max_size=len(arriving)))
    return [(message, count) for (_, _, message), count in zip(arriving, steps, strict=True)]


def is_of_turn(piece: str, turn: int) -> bool:
    return set(piece) <= set(TURN_LETTERS[turn - 1])


@settings(max_examples=200)
@given(deliveries())
def test_no_token_of_the_newest_text_is_lost_and_none_of_an_older_one_is_read(
    pieces: Tokenizer, arrivals: list[tuple[Oracle, int]]
) -> None:
    stream = stream_of(pieces)
    newest: Oracle | None = None
    since_marker: list[int] = []
    count = 0
    for message, steps in arrivals:
        stream.take(message)
        if newest is None or (message.turn, message.revision) > (newest.turn, newest.revision):
            newest = message
        for token in read(stream, steps):
            if token == START:
                since_marker = []
            elif token != PAD:
                assert newest.status is not OracleStatus.CANCELLED
                assert is_of_turn(pieces.decode([token]), newest.turn)
                since_marker.append(token)
                count += 1
    rest = read_out(stream)
    count += sum(token != START for token in rest)
    assert stream.counts.fed == count
    if newest is None or newest.status is OracleStatus.CANCELLED:
        assert rest == []
        return
    text = newest.text.rstrip() if newest.status is OracleStatus.GROWING else newest.text
    if START in rest:
        assert rest == fed(pieces, text)
    elif text:
        assert since_marker + rest == ids(pieces, text)
    else:
        assert rest == []


@given(deliveries(), st.integers(0, 20))
def test_a_text_to_be_said_is_read_at_once_whatever_comes(
    pieces: Tokenizer, arrivals: list[tuple[Oracle, int]], place: int
) -> None:
    stream = stream_of(pieces)
    for message, steps in arrivals[:place]:
        stream.take(message)
        read(stream, steps)
    stream.say("hij kl")
    tokens = read(stream, 2)
    for message, steps in arrivals[place:]:
        stream.take(message)
        tokens += read(stream, steps)
    tokens += read_out(stream)
    expected = fed(pieces, "hij kl")
    assert tokens[: len(expected)] == expected


@given(st.text("abc ", max_size=20), st.lists(st.tuples(st.integers(0, 20), st.integers(0, 12)), max_size=8))
def test_a_growing_text_is_read_once_if_it_never_waits_in_a_word(
    pieces: Tokenizer, text: str, cuts: list[tuple[int, int]]
) -> None:
    """However it is cut, as long as it grows within half a second, and with every stall between words."""
    stream = stream_of(pieces)
    tokens = []
    for revision, (length, steps) in enumerate(sorted(cuts), 1):
        stream.take(oracle(text[:length], revision, "GROWING"))
        between_words = text[:length].endswith(" ") or length >= len(text)
        tokens += read(stream, steps if between_words else min(steps, PATIENCE))
    stream.take(oracle(text, len(cuts) + 1))
    tokens = [token for token in tokens if token != PAD] + read_out(stream)
    assert tokens == (fed(pieces, text) if ids(pieces, text) else [])


@given(st.lists(st.tuples(st.text("abc ", max_size=12), st.integers(0, 9)), max_size=8))
def test_every_token_is_either_read_or_superseded(pieces: Tokenizer, answers: list[tuple[str, int]]) -> None:
    stream = stream_of(pieces)
    for turn, (text, steps) in enumerate(answers, 1):
        stream.take(oracle(text, turn=turn))
        read(stream, steps)
    stream.drop()
    total = sum(len(ids(pieces, text)) for text, _ in answers)
    assert stream.counts.fed + stream.counts.superseded == total
    for use in stream.uses():
        assert use.fed + use.superseded <= len(answers[use.turn - 1][0])
