"""The command line of kame verify."""

from __future__ import annotations

from pathlib import Path

import pytest

from kame_ros.app.error import KameError, UsageError
from kame_ros.app.verify import verify

REFERENCE = Path(__file__).parent.parent / "frontend" / "tandem" / "data" / "kame_lm_reference"


def test_a_match_is_said_and_ends_with_0(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch", reason="the tandem's tests need torch and moshi")
    assert verify([str(REFERENCE), "--device", "cpu", "--slots", "1"]) == 0
    assert capsys.readouterr().out.startswith("match: all 531 tokens of 60 steps are equal")


def test_a_miss_is_said_and_ends_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch", reason="the tandem's tests need torch and moshi")
    words = [str(REFERENCE), "--device", "cpu", "--slots", "1", "--dtype", "bfloat16", "--tolerance", "1e-6"]
    assert verify(words) == 1
    assert capsys.readouterr().out.startswith("no match: text logits within ")


def test_a_folder_that_is_no_recording_is_one_line(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="the tandem's tests need torch and moshi")
    with pytest.raises(KameError, match=r"verify: .*config\.json: No such file") as caught:
        verify([str(tmp_path)])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], "the following arguments are required: folder"),
        (["run", "--loud"], "unrecognized arguments: --loud"),
        (["run", "--tolerance", "nan"], "--tolerance = nan: must be 0 or more"),
        (["run", "--slots", "0"], "--slots = 0: must be 1 to 64"),
    ],
)
def test_a_wrong_command_line_is_one_line(words: list[str], expected: str) -> None:
    with pytest.raises(UsageError, match=expected):
        verify(words)
