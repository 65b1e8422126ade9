import pytest

from benchmarks import cleaning


def test_every_kind_of_text_is_measured(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(cleaning, "CHARACTERS", 200)
    cleaning.main()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[0].strip("| ") for line in lines[2:]] == list(cleaning.TEXTS)
    assert all(line.count("|") == len(cleaning.PIECES) + 2 for line in lines)
