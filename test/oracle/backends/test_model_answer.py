"""What is left of an answer when it has ended, and what is told of one that is given up."""

import pytest

from kame_ros.oracle.backend import Finish, IntentPart
from kame_ros.oracle.backends.model_answer import ModelAnswer
from kame_ros.oracle.errors import BackendBrokenError
from kame_ros.oracle.prompt.answer_text import AnswerText


class Calling(ModelAnswer):
    def _calls(self) -> list[tuple[str, str]]:
        return [("GREET", "{}"), ("BRING", "no JSON"), ("WAVE", '{"times": 2}')]


def test_calls_of_a_whole_answer_are_its_intents_and_bad_ones_are_told() -> None:
    answer = Calling(AnswerText())
    answer.finish = Finish.COMPLETE
    assert answer.rest() == [IntentPart("GREET", {}), IntentPart("WAVE", {"times": 2})]
    assert answer.dropped == ["a call of 'BRING' is dropped: its arguments are no plain JSON object"]


def test_an_answer_that_was_cut_has_no_intents() -> None:
    answer = Calling(AnswerText())
    answer.finish = Finish.LENGTH
    with pytest.raises(BackendBrokenError, match="without a word"):
        answer.rest()


def test_only_long_thoughts_without_a_word_are_told() -> None:
    answer = Calling(AnswerText())
    assert answer.only_thoughts("x_model = 'm'", 9.0) is None
    answer.thought = True
    assert answer.only_thoughts("x_model = 'm'", 1.9) is None
    assert (answer.only_thoughts("x_model = 'm'", 8.04) or "").startswith(
        "x_model = 'm': only thoughts and no answer after 8.0 s"
    )
    answer.spoke = True
    assert answer.only_thoughts("x_model = 'm'", 9.0) is None
