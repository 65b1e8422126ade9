"""Function calls put together from however many pieces a server sends."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kame_ros.oracle.backends.openai_calls import CallPieces

ARGUMENTS = st.dictionaries(
    st.text(max_size=8), st.one_of(st.text(max_size=8), st.integers(), st.booleans()), max_size=3
)
CALLS = st.lists(st.tuples(st.sampled_from(["MOVE_TO", "STOP", "BRING"]), ARGUMENTS), min_size=1, max_size=3)


def put_together(pieces: list[dict[str, Any]]) -> list[tuple[str, Any]]:
    calls = CallPieces()
    for piece in pieces:
        calls.feed(piece)
    return [(call.name, json.loads(call.arguments or "{}")) for call in calls.calls]


def piece(index: int | None, identity: str | None, **function: object) -> dict[str, Any]:
    found = {"index": index, "id": identity, "function": function}
    return {name: value for name, value in found.items() if value is not None}


@given(CALLS, st.integers(1, 7))
def test_a_cut_anywhere_gives_the_same_calls(calls: list[tuple[str, dict[str, Any]]], size: int) -> None:
    pieces = []
    for index, (name, arguments) in enumerate(calls):
        pieces.append(piece(index, f"call_{index}", name=name, arguments=""))
        text = json.dumps(arguments)
        pieces += [piece(index, None, arguments=text[start : start + size]) for start in range(0, len(text), size)]
    assert put_together(pieces) == calls


@given(CALLS)
def test_calls_that_come_whole_are_kept_apart_even_under_one_index_or_none(
    calls: list[tuple[str, dict[str, Any]]],
) -> None:
    for index in (0, None):
        whole = [
            piece(index, f"call_{number}", name=name, arguments=json.dumps(arguments))
            for number, (name, arguments) in enumerate(calls)
        ]
        assert put_together(whole) == calls


def test_a_name_that_is_repeated_with_every_piece_counts_once() -> None:
    parts = ['{"place": ', '"kitchen"}']
    pieces = [piece(0, "call_0", name="MOVE_TO", arguments=part) for part in parts]
    assert put_together(pieces) == [("MOVE_TO", {"place": "kitchen"})]


def test_a_name_in_pieces_is_joined() -> None:
    pieces = [piece(0, "call_0", name="MOVE"), piece(0, None, name="_TO"), piece(0, None, arguments="{}")]
    assert put_together(pieces) == [("MOVE_TO", {})]


def test_arguments_that_are_not_written_out_are_taken() -> None:
    assert put_together([piece(0, None, name="MOVE_TO", arguments={"place": "hall"})]) == [
        ("MOVE_TO", {"place": "hall"})
    ]


def test_pieces_that_interleave_go_to_their_calls() -> None:
    pieces = [
        piece(0, "a", name="MOVE_TO", arguments=""),
        piece(1, "b", name="STOP", arguments=""),
        piece(0, None, arguments='{"place": "hall"}'),
        piece(1, None, arguments="{}"),
    ]
    assert put_together(pieces) == [("MOVE_TO", {"place": "hall"}), ("STOP", {})]


def test_what_is_no_piece_of_a_call_changes_nothing() -> None:
    pieces = [piece(0, "a", name="STOP"), {"index": 0}, {"index": 0, "function": None}, piece(0, None, arguments=None)]
    assert put_together(pieces) == [("STOP", {})]
