import pytest

from kame_ros.oracle.prompt.tags import Tag, TagKind, cut_off, is_user, read_tag


@pytest.mark.parametrize(
    ("inside", "tag"),
    [
        ("b", Tag(TagKind.MARKUP)),
        ("/b", Tag(TagKind.MARKUP)),
        ('a href="x"', Tag(TagKind.MARKUP)),
        ("https://a.org", Tag(TagKind.MARKUP)),
        ("a@b.org", Tag(TagKind.MARKUP)),
        ("br/", Tag(TagKind.MARKUP, written="\n")),
        ("li", Tag(TagKind.MARKUP, written="\n- ")),
        ("/li", Tag(TagKind.MARKUP, written="\n")),
        ("/td", Tag(TagKind.MARKUP)),
        ("Think", Tag(TagKind.SILENT, "</think>")),
        ("seed:think", Tag(TagKind.SILENT, "</seed:think>")),
        ("/think", Tag(TagKind.AFTER_THOUGHT)),
        ("|START_THINKING|", Tag(TagKind.SILENT, "<|end_thinking|>")),
        ("|END_THINKING|", Tag(TagKind.AFTER_THOUGHT)),
        ("script", Tag(TagKind.SILENT, "</script>")),
        ("tool_call", Tag(TagKind.CALL, "</tool_call>")),
        ("function=LOOK", Tag(TagKind.CALL, "</function>", "<function=LOOK>")),
        ('invoke name="LOOK"', Tag(TagKind.CALL, "</invoke>", '<invoke name="LOOK">')),
        ("LOOK", Tag(TagKind.CALL, "</look>", "<LOOK>")),
        ("|tool_call|", Tag(TagKind.CALL, "<|/tool_call|>")),
        ("|python_tag|", Tag(TagKind.CALL, "<|eom_id|>")),
        ("|tool_calls_section_begin|", Tag(TagKind.CALL, "<|tool_calls_section_end|>")),
        ("|im_start|", Tag(TagKind.HEAD, "\n")),
        ("|start_header_id|", Tag(TagKind.HEAD, "<|end_header_id|>")),
        ("start_of_turn", Tag(TagKind.HEAD, "\n")),
        ("|channel|", Tag(TagKind.CHANNEL, "<|message|>")),
        ("|im_end|", Tag(TagKind.END)),
        ("\uff5cend\u2581of\u2581sentence\uff5c", Tag(TagKind.END)),
        ("|user|", Tag(TagKind.END)),
        ("user", Tag(TagKind.MARKUP)),
        ("|unheard_of|", Tag(TagKind.MARKUP)),
        ("s", Tag(TagKind.STRIKE)),
        ("/s", Tag(TagKind.AFTER_STRIKE)),
        ("b and c", Tag(TagKind.NONE)),
        ("3", Tag(TagKind.NONE)),
        ("", Tag(TagKind.NONE)),
    ],
)
def test_tags_are_told_apart(inside: str, tag: Tag) -> None:
    assert read_tag(inside, {"LOOK"}) == tag


@pytest.mark.parametrize(
    ("inside", "is_cut"), [("", True), ("/thi", True), ("|im_en", True), ("b and", False), ("é!", False)]
)
def test_the_beginning_of_a_tag_is_known(inside: str, is_cut: bool) -> None:
    assert cut_off(inside) is is_cut


@pytest.mark.parametrize(("head", "user"), [("user", True), ("System x", True), ("assistant to=f", False), ("", False)])
def test_heads_tell_who_speaks(head: str, user: bool) -> None:
    assert is_user(head) is user
