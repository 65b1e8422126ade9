"""What is told of one generation."""

from __future__ import annotations

from kame_ros.frontend.outputs import Said, SaidStatus
from kame_ros.frontend.tandem.saying import Saying
from kame_ros.models.tokenizer import Tokenizer

SESSION = 7
STEP = 1920


def say(saying: Saying, tokenizer: Tokenizer, text: str, steps_a_word: int = 1) -> None:
    for token in tokenizer.encode(text).ids:
        saying.add(token)
        saying.release.send(steps_a_word * STEP)


def test_the_text_is_told_when_it_changes(words: Tokenizer) -> None:
    saying = Saying(SESSION, 3, words, promised=False)
    assert list(saying.tell()) == []
    saying.turn = 2
    assert list(saying.tell()) == []
    say(saying, words, "one")
    assert list(saying.tell()) == [Said(SESSION, 2, 3, 1, "one", 0, SaidStatus.GROWING)]
    saying.release.report(12_000)
    assert list(saying.tell()) == []
    saying.turn = 5
    assert list(saying.tell()) == [Said(SESSION, 5, 3, 2, "one", 0, SaidStatus.GROWING)]


def test_what_was_heard_is_told_at_the_end_and_corrected_after_it(words: Tokenizer) -> None:
    saying = Saying(SESSION, 1, words, promised=False)
    say(saying, words, "one two three", steps_a_word=5)
    saying.release.report(9600)
    assert list(saying.tell(SaidStatus.INTERRUPTED)) == [
        Said(SESSION, 0, 1, 1, "one two three", 3, SaidStatus.INTERRUPTED)
    ]
    assert saying.interrupted
    assert list(saying.tell()) == []
    saying.release.report(19_200)
    assert list(saying.tell()) == [Said(SESSION, 0, 1, 2, "one two three", 7, SaidStatus.INTERRUPTED)]


def test_a_silent_generation_is_told_of_only_if_it_was_promised(words: Tokenizer) -> None:
    assert list(Saying(SESSION, 1, words, promised=False).tell(SaidStatus.COMPLETE)) == []
    promised = Saying(SESSION, 2, words, promised=True)
    assert list(promised.tell()) == []
    assert list(promised.tell(SaidStatus.COMPLETE)) == [Said(SESSION, 0, 2, 1, "", 0, SaidStatus.COMPLETE)]


def test_words_heard_are_handed_on_once(words: Tokenizer) -> None:
    saying = Saying(SESSION, 1, words, promised=False)
    say(saying, words, "one two", steps_a_word=5)
    saying.pass_over()
    say(saying, words, "three four", steps_a_word=5)
    saying.release.report(5 * STEP)
    assert saying.newly_heard() == ""
    saying.release.report(15 * STEP)
    assert saying.newly_heard().split() == ["three"]
    assert saying.newly_heard() == ""
    assert saying.unheard
    saying.release.send(2 * STEP)
    saying.release.report(22 * STEP)
    assert saying.newly_heard().split() == ["four"]
    assert not saying.unheard
