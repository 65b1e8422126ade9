import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.oracle.prompt.words import spoken

WORDS = (
    "ten ten. don't 10:30 3.5 20% $5.50 €3 20°C km/h e.g. ½ x² Zoë C# #1 10^6 info@kame.org AT&T ~5 +49 ٣ हिन्दी "
    "می\u200cروم 30㎡ №5 24/7 a-b (ten) ¿Qué 5\u00d73"
)


@pytest.mark.parametrize("word", WORDS.split(" "))
def test_words_numbers_units_and_abbreviations_are_left_to_the_voice(word: str) -> None:
    assert spoken(word) == word


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("**ten**", "ten"),
        ("_ten_", "ten"),
        ("un**believ**able", "unbelievable"),
        ("MOVE_TO", "MOVE TO"),
        ("__init__", "init"),
        ("3*4", "3\u00d74"),
        ("x^2", "x²"),
        ("#robot", "robot"),
        ("a<b", "a < b"),
        ("A->B", "A, B"),
        ("→", ","),
        ("x<=5", "x <= 5"),
        ("<3", ""),
        (":-)", ""),
        ("ten\U0001f600.", "ten."),
        ("\U0001f468\u200d\U0001f469", ""),
        ("1\ufe0f\u20e3", "1"),
        ("\U0001d401\U0001d428\U0001d425\U0001d41d", "Bold"),
        ("e\u0301", "é"),
        ("Tom&nbsp;&amp;&#32;Jerry", "Tom & Jerry"),
        ("&#0;&bogus;", "&bogus;"),
        ("x\x00\x1by\u200b\u202ez", "xyz"),
        ("\ud83d\ude00", ""),
        ("a" * 500, ""),
        ("http://" + "a/" * 500, ""),
    ],
)
def test_what_no_voice_can_say_is_taken_away(word: str, said: str) -> None:
    assert spoken(word) == said


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("https://a.org/x_(y)?z=1.", "."),
        ("(https://a.org),", ","),
        ("www.a.org", ""),
        ("a.org/x", ""),
        ("a.org", "a.org"),
        ("mailto:a@b.org", ""),
        ("ftp://a", ""),
        ("and/or", "and/or"),
    ],
)
def test_addresses_are_not_read_out(word: str, said: str) -> None:
    assert spoken(word) == said


@given(st.text(st.characters(exclude_categories=["Zs", "Zl", "Zp", "Cc"])))
def test_what_is_said_stays_as_it_is_when_it_is_cleaned_again(word: str) -> None:
    once = spoken(word)
    assert once == " ".join(once.split())
    assert " ".join(filter(None, map(spoken, once.split()))) in (once, once.replace(" ,", ",").replace(" .", "."))
