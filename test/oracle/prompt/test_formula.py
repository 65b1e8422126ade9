import pytest

from kame_ros.oracle.prompt.formula import command, spoken_formula


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        ("84", "84"),
        ("\\boxed{84}", "84"),
        ("\\text{about } 3 \\times 4 = 12", "about 3 \u00d7 4 = 12"),
        ("\\frac{1}{2} + \\sqrt{9}", "1/2 + √9"),
        ("x^2 + x^{10}", "x^2 + x^10"),
        ("90^\\circ", "90°"),
        ("20\\%", "20%"),
        ("\\$5", "5"),
        ("2\\pi r", "2π r"),
        ("a \\leq b \\quad x < 3", "a ≤ b x < 3"),
        ("\\mathbf{\\text{yes}}", "yes"),
    ],
)
def test_a_simple_formula_is_said_as_it_is(latex: str, text: str) -> None:
    assert spoken_formula(latex) == text


@pytest.mark.parametrize(
    "latex",
    ["\\int_0^1 x\\,dx", "\\sum_{i} i", "a_1", "\\begin{matrix} 1 & 2 \\end{matrix}", "<b>", "x" * 200, "{", "\\"],
)
def test_what_must_be_seen_is_not_said(latex: str) -> None:
    assert spoken_formula(latex) == ""


def test_commands_outside_of_formulas() -> None:
    assert [command("times"), command("textbf")] == ["\u00d7", ""]
