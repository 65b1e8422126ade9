import pytest
from oracle.prompt.corpus import taken_out


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a<b>c</b>d<br/>e<!-- f > g -->h", "acd\neh"),
        ("a<!---->b<!-->c<!-- never", "abc"),
        ("a < b and c > d, e<f or 5<6>7", "a < b and c > d, e<f or 5<6>7"),
        ("x <https://a.org> y", "x  y"),
        ("<script>let a = 1 < 2;</script>ten", "ten"),
        ("a <", "a "),
        ("a <b", "a "),
        ("a <b c", "a <b c"),
        ("<b <i>ten</i>", "<b ten"),
        ("<b\nten", "<b\nten"),
    ],
)
def test_tags_are_taken_away_and_comparisons_stay(text: str, left: str) -> None:
    assert taken_out(text).text == left


@pytest.mark.parametrize(
    "text",
    [
        "<think>a < b </thin></think>Ten",
        "<Thinking>\n\n{</thinking>Ten",
        "<reasoning x='1'>no</reasoning>Ten",
        "\u25c1think\u25b7no\u25c1/think\u25b7Ten",
        "<|START_THINKING|>no<|END_THINKING|>Ten",
        "<|channel|>analysis<|message|>no<|end|><|start|>assistant<|channel|>final<|message|>Ten",
        "no\nno</think>Ten",
        "no<think>no</think>no</think>Ten",
        "<|im_start|>assistant\nTen<|im_end|>\n<|im_start|>user\nno",
        "<|start_header_id|>assistant<|end_header_id|>Ten<|eot_id|>no",
        "<start_of_turn>model\nTen<end_of_turn>no",
        "<s>Ten</s>no",
        "Ten<|user|>no",
        "Ten<|im_start|>user\nno",
    ],
)
def test_thoughts_and_other_turns_are_not_said(text: str) -> None:
    assert taken_out(text).text == "Ten"


@pytest.mark.parametrize(
    "text", ["<think>no", "<|channel|>analysis<|message|>no", "<|channel|>final", "<|im_start|>assist"]
)
def test_what_is_never_closed_is_not_said(text: str) -> None:
    assert taken_out(text).text == ""


def test_what_is_struck_out_does_not_end_the_answer() -> None:
    assert taken_out("At <s>nine</s> ten").text == "At nine ten"


def test_what_a_model_says_before_it_calls_is_said() -> None:
    assert taken_out("<|channel|>commentary<|message|>I look.<|end|>").text == "I look."
