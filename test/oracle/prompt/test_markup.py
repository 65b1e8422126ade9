import contextlib

import pytest

from kame_ros.oracle.prompt.markup import markup


def through(text: str) -> str:
    out: list[str] = []
    scanner = markup(out.append)
    next(scanner)
    with contextlib.suppress(StopIteration):
        for character in [*text, ""]:
            scanner.send(character)
    return "".join(out)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("plain text, all of it", "plain text, all of it"),
        ("a<b>c</b>d<br/>e<!-- f -->", "acde"),
        ("a < b", "a  b"),
        ("<Think>no</think>yes<tool_call>no", "yes"),
        ("x</think>y", "xy"),
        ("a `code` b", "a code b"),
        ("a ```no\nno``` b", "a  b"),
        ("a ```", "a "),
        ('{"a": {"b": 1}} c {', " c "),
        ("[words](http://target) [more]", "words more"),
        ("$5 and $x$ and $$y$$ and \\[z\\] and \\*", "$5 and  and  and  and *"),
        ("$", ""),
        ("<", ""),
        ("<think", ""),
    ],
)
def test_marked_parts_are_dropped(text: str, left: str) -> None:
    assert through(text) == left
