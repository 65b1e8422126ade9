import pytest
from oracle.prompt.corpus import taken_out


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("It is $x^2$, so \\(y\\) is \\[84\\] or $$12$$.", "It is x^2, so y is 84 or 12."),
        ("$3 \\times 4 = 12$", "3 \u00d7 4 = 12"),
        ("$12$ is it", "12 is it"),
        ("$\\int_0^1 x$ a \\(\\sum_i\\) b", " a  b"),
        ("\\begin{align} x \\\\ y \\end{align}z", "z"),
        ("\\textbf bold \\pi and\\or", " bold π and or"),
        ("Hello\\nThere \\* \\_ \\\\(1\\)", "Hello\nThere * _ 1"),
    ],
)
def test_formulas_become_plain_text_or_nothing(text: str, left: str) -> None:
    assert taken_out(text).text == left


@pytest.mark.parametrize(
    "text",
    [
        "$5 to $10",
        "$5.50",
        "$5-$10",
        "US$ 20",
        "100$ and 200$ more",
        "$5. And then $6.",
        "$",
        "a $ b",
        "\\",
        "$home is",
    ],
)
def test_money_stays_as_it_is(text: str) -> None:
    assert taken_out(text).text == text.rstrip("\\")


def test_escaped_money_stays_money() -> None:
    assert taken_out("\\$5 or \\$6").text == "$5 or $6"


@pytest.mark.parametrize("opening", ["$x", "\\(x", "\\[x", "$$x"])
def test_a_formula_that_is_never_closed_was_none(opening: str) -> None:
    text = f"{opening}\n\nMore <b>words</b>"
    assert taken_out(text).text.lstrip("$") == "x\n\nMore words"
    assert taken_out(opening + " word" * 100).text.endswith(" word" * 100)


def test_a_backslash_at_the_end_of_a_line_breaks_it() -> None:
    assert taken_out("a\\\nb").text == "a\nb"
    assert taken_out("\\begin{never").text == ""
    assert taken_out("\\begin\nx").text == "\nx"
