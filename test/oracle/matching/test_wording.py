from hypothesis import given
from hypothesis import strategies as st

from kame_ros.oracle.matching.wording import parts, plain, without

FILLER = ("please", "um", "could you tell me", "in the museum", "Robin")


def test_plain_text_has_no_case_and_no_punctuation() -> None:
    assert plain("  What's the Wi-Fi PASSWORD, please? ") == "whats the wi fi password please"


@given(st.text())
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert plain(plain(text)) == plain(text)


def test_parts_are_the_whole_then_sentences_and_clauses() -> None:
    assert parts("Hello. I am hungry, where is the cafe?") == (
        "Hello. I am hungry, where is the cafe?",
        "Hello.",
        "I am hungry, where is the cafe?",
        "I am hungry,",
        "where is the cafe?",
    )
    assert parts("where is the cafe") == ("where is the cafe",)
    assert parts("?! ...") == ()


def test_filler_is_taken_off_the_ends_only() -> None:
    assert without("Um, Robin, could you tell me where the cafe is, please?", FILLER) == "where the cafe is"
    assert without("does please mean anything", FILLER) == "does please mean anything"


def test_filler_alone_and_short_questions_stay() -> None:
    assert without("Robin", FILLER) == "robin"
    assert without("stop please", FILLER) == "stop"
    assert without("what is in the museum", FILLER) == "what is in the museum"
    assert without("where is the whale in the museum", FILLER) == "where is the whale"
