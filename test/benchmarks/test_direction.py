import pytest

from benchmarks import direction


def test_every_condition_has_a_row(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["direction", "--scenes", "1"])
    monkeypatch.setattr(direction, "SECONDS", 1)
    monkeypatch.setattr(direction, "CONDITIONS", direction.CONDITIONS[:1] + direction.CONDITIONS[-1:])
    direction.main()
    head, _, *rows = capsys.readouterr().out.splitlines()
    assert [row.split(" | ")[0].strip("| ") for row in rows] == [
        *(condition.name for condition in direction.CONDITIONS),
        "noise alone",
        "silence",
    ]
    assert all(row.count("|") == head.count("|") for row in rows)
