from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kame_ros.oracle.agreement import Agreement


def test_words_are_stable_once_three_hypotheses_begin_with_them() -> None:
    agreement = Agreement()
    assert agreement.observe("Can you tell") == 0
    assert agreement.observe("Can you tell me we?") == 0
    assert agreement.observe("Can you tell me what") == len("Can you tell")
    assert agreement.observe("Can you sell me what") == len("Can you")


def test_a_hypothesis_that_shrinks_is_taken_as_it_is() -> None:
    agreement = Agreement(times=2)
    agreement.observe("one two three four five six")
    assert agreement.observe("one two three four") == len("one two three four")
    assert agreement.observe("") == 0


def test_a_word_that_occurs_in_another_is_found_at_its_own_place() -> None:
    agreement = Agreement(times=2)
    agreement.observe("than an x")
    assert agreement.observe("than an y") == len("than an")


@given(st.lists(st.text("ab ", max_size=12), min_size=1, max_size=6))
def test_stable_characters_are_whole_words_that_all_newest_hypotheses_share(texts: list[str]) -> None:
    agreement = Agreement()
    for text in texts:
        length = agreement.observe(text)
    stable = texts[-1][:length]
    assert not length or not texts[-1][length : length + 1].strip()
    assert all(text.split()[: len(stable.split())] == stable.split() for text in texts[-3:])


def test_where_no_blanks_are_written_each_character_stands_for_itself() -> None:
    agreement = Agreement()
    agreement.observe("明日の天気")
    agreement.observe("明日の天気は")
    assert agreement.observe("明日の電車はA4です") == len("明日の")
    assert agreement.observe("明日の電車はA4でした") == len("明日の")
    assert agreement.observe("明日の電車はA5ですか") == len("明日の電車は")
