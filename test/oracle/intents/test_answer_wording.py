"""A backend's own words stand; the catalogue's are said where it has none, or where the user is to be asked."""

import pytest

from kame_ros.oracle.backend import Answering, AnswerPart, Finished, IntentPart, TextDelta
from kame_ros.oracle.intents.answer_wording import AnswerWording
from kame_ros.oracle.intents.catalogue import Catalogue
from kame_ros.oracle.intents.sayings import Sayings

GO = IntentPart("MOVE_TO", {"goal": "the cafe"})
GO_CHECKED = IntentPart("MOVE_TO", {"goal": "cafe"})
THROW = IntentPart("THROW", {"object": "cup"})
QUESTION = TextDelta("Shall I throw the cup away?", replaces=True)
BAD = IntentPart("MOVE_TO", {"goal": "cafe", "speed": 99})
DONE = Finished()


def worded(catalogue: Catalogue, *parts: AnswerPart) -> list[AnswerPart]:
    wording = AnswerWording(catalogue, Sayings(catalogue))
    return [given for part in parts for given in wording.take(part)]


@pytest.mark.parametrize(
    ("given", "result"),
    [
        ([TextDelta("Ten."), DONE], [TextDelta("Ten."), DONE]),
        ([Answering("openai", True), DONE], [Answering("openai", True), DONE]),
        ([TextDelta("On my way."), GO, DONE], [TextDelta("On my way."), GO_CHECKED, DONE]),
        ([GO, DONE], [GO_CHECKED, TextDelta("I go to the cafe.", replaces=True), DONE]),
        (
            [TextDelta("  "), GO, DONE],
            [TextDelta("  "), GO_CHECKED, TextDelta("I go to the cafe.", replaces=True), DONE],
        ),
        ([GO, GO, DONE], [GO_CHECKED, GO_CHECKED, TextDelta("I go to the cafe.", replaces=True), DONE]),
        ([GO, TextDelta("Off I go."), DONE], [GO_CHECKED, TextDelta("Off I go."), DONE]),
        ([TextDelta("Gone!"), THROW, TextDelta(" Done!"), DONE], [TextDelta("Gone!"), QUESTION, THROW, DONE]),
        ([IntentPart("STOP"), DONE], [IntentPart("STOP"), TextDelta("I stop.", replaces=True), DONE]),
        ([IntentPart("SAY", {"object": "hi"}), DONE], [IntentPart("SAY", {"object": "hi"}), DONE]),
        ([BAD, DONE], [BAD, TextDelta("I cannot do that.", replaces=True), DONE]),
        ([TextDelta("Ten."), BAD, DONE], [TextDelta("Ten."), BAD, DONE]),
        ([BAD, GO, DONE], [BAD, GO_CHECKED, TextDelta("I go to the cafe.", replaces=True), DONE]),
    ],
)  # fmt: skip
def test_words_are_found_for_intents(catalogue: Catalogue, given: list[AnswerPart], result: list[AnswerPart]) -> None:
    assert worded(catalogue, *given) == result


def test_what_comes_with_a_question_is_told_before_it(catalogue: Catalogue) -> None:
    both = TextDelta("I go to the cafe. Shall I throw the cup away?", replaces=True)
    assert worded(catalogue, THROW, GO, DONE) == [QUESTION, THROW, both, GO_CHECKED, DONE]


def test_a_text_taken_back_counts_as_none(catalogue: Catalogue) -> None:
    parts = worded(catalogue, TextDelta("Ten."), TextDelta("", replaces=True), GO, DONE)
    assert parts[-2] == TextDelta("I go to the cafe.", replaces=True)


def test_a_backend_cannot_confirm_in_the_place_of_the_user(catalogue: Catalogue) -> None:
    confirmed = IntentPart("THROW", {"object": "cup"}, confirmed=True)
    assert worded(catalogue, confirmed) == [QUESTION, THROW]
