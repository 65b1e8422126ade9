"""The tokenizer of a checkpoint, trained for the test."""

from __future__ import annotations

from itertools import cycle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("sentencepiece", reason="the tandem's tests need torch and moshi")

from kame_ros.frontend.inputs import Oracle, OracleStatus
from kame_ros.frontend.tandem.oracle_stream import OracleStream
from kame_ros.frontend.tandem.text_ids import TextIds
from kame_ros.models.errors import CheckpointError
from kame_ros.models.sentencepiece_tokenizer import SentencePieceTokenizer


@pytest.fixture(scope="module")
def tokenizer(tiny_checkpoint: Path) -> SentencePieceTokenizer:
    return SentencePieceTokenizer(tiny_checkpoint / "tokenizer.model")


def test_words_come_back_without_the_first_blank(tokenizer: SentencePieceTokenizer) -> None:
    text = "We open at ten, and close at six."
    assert tokenizer.decode(tokenizer.encode(text).ids) == text
    assert tokenizer.decode([]) == ""


def test_ends_tell_how_much_of_the_text_is_covered(tokenizer: SentencePieceTokenizer) -> None:
    text = "Zoë opens at ten"  # ë is two bytes, and no piece of its own
    tokens = tokenizer.encode(text)
    for count, end in enumerate(tokens.ends, 1):
        if "\N{REPLACEMENT CHARACTER}" not in (read := tokenizer.decode(tokens.ids[:count])):
            assert read.strip() == text[:end].strip()


@given(text=st.text(max_size=60))
def test_ends_never_fall_and_reach_the_end(tokenizer: SentencePieceTokenizer, text: str) -> None:
    tokens = tokenizer.encode(text)
    assert len(tokens.ids) == len(tokens.ends)
    assert all(0 <= number < tokenizer.size for number in tokens.ids)
    assert list(tokens.ends) == sorted(tokens.ends)
    assert tokens.ends[-1:] in ((), (len(text),))
    assert bool(tokens.ids) or not text.strip() or not text.isprintable()


def test_padding_and_end_of_sentence_are_no_text(tokenizer: SentencePieceTokenizer) -> None:
    hello = list(tokenizer.encode("hello").ids)
    assert tokenizer.decode([3, *hello, 3, 2]) == "hello"


def test_ids_beyond_the_tokenizer_are_no_text(tokenizer: SentencePieceTokenizer) -> None:
    hello = list(tokenizer.encode("hello").ids)
    assert tokenizer.decode([tokenizer.size, *hello, tokenizer.size + 99]) == "hello"


TEXTS = (
    "What can I do for you? unbelievable",
    "こんにちは、世界。今日はとても良い天気ですね。散歩に行きましょうか？",  # noqa: RUF001
    "emoji \N{GRINNING FACE}\N{ZERO WIDTH JOINER}\N{HEAVY BLACK HEART} are bytes",
    "  two  blanks\tand a tab ",
)


@given(text=st.sampled_from(TEXTS), cuts=st.lists(st.integers(0, 40)), stalls=st.lists(st.integers(0, 8), min_size=1))
def test_an_oracle_in_any_script_is_read_whole_however_it_is_cut(
    tokenizer: SentencePieceTokenizer, text: str, cuts: list[int], stalls: list[int]
) -> None:
    ids = TextIds(padding=3, end_of_padding=0, oracle_start=tokenizer.size)
    stream = OracleStream(1, tokenizer, ids)
    read = []
    for revision, (cut, stall) in enumerate(zip(cuts, cycle(stalls), strict=False), 1):  # the same and older ones too
        stream.take(Oracle(1, 1, revision, OracleStatus.GROWING, text[:cut], turn_final=True))
        read += [stream.next() for _ in range(stall)]
    stream.take(Oracle(1, 1, len(cuts) + 1, OracleStatus.COMPLETE, text, turn_final=True))
    while stream.waiting:
        read.append(stream.next())
    words = [token for token in read if token != ids.padding]
    last_start = len(words) - words[::-1].index(ids.oracle_start)
    assert tuple(words[last_start:]) == tokenizer.encode(text).ids


@pytest.mark.parametrize("content", [None, b"", b"no model"])
def test_a_file_that_is_none_is_one_line(content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.model"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(CheckpointError, match=r"^checkpoint: .*tokenizer\.model is no SentencePiece model") as caught:
        SentencePieceTokenizer(path)
    assert "\n" not in str(caught.value)
