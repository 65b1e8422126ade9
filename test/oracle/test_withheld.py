"""Lines of errors that repeat what was said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.oracle.withheld import WORDS, without_words

PRIVATE = "my doctor is called Weatherstone"


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (f"it failed (500 cannot parse '{PRIVATE}')", f"it failed (500 cannot parse '{WORDS}')"),
        ("it failed (422 input: my doctor is call...)", f"it failed (422 input: {WORDS}...)"),
        (f"{PRIVATE} {PRIVATE}", f"{WORDS} {WORDS}"),
        ("it failed (422 my key is bad)", "it failed (422 my key is bad)"),
        (
            "the model is refused (404 no such model); set openai_model",
            "the model is refused (404 no such model); set openai_model",
        ),
    ],
)
def test_what_a_line_repeats_is_withheld_and_the_rest_stays(line: str, shown: str) -> None:
    assert without_words(line, ["", PRIVATE]) == shown


def test_a_short_text_counts_as_a_whole_only() -> None:
    assert without_words("bad input: stop it", ["stop it"]) == f"bad input: {WORDS}"
    assert without_words("bad input: stop", ["stop it"]) == "bad input: stop"
    assert without_words("it is no stream", ["is", "no"]) == "it is no stream"


@given(
    st.text("abcdefg ", max_size=60), st.text("abcdefg ", min_size=12, max_size=40), st.text("abcdefg ", max_size=60)
)
def test_nothing_telling_is_left(before: str, said: str, after: str) -> None:
    left = without_words(before + said + after, [said])
    assert not any(said[start : start + 12] in left for start in range(len(said) - 11))
