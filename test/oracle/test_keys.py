"""Where keys come from, and that they never show themselves."""

import os
import pickle
from dataclasses import asdict
from pathlib import Path

import pytest

from kame_ros.oracle.errors import BackendSetUpError
from kame_ros.oracle.keys import Key, find_key, read_key

SECRET = "sk-test-4711-secret"  # noqa: S105 (no key of anybody)
NAMES = ("FIRST_API_KEY", "SECOND_API_KEY")


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)


def test_the_file_comes_before_the_first_variable_and_that_before_the_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NAMES[1], " second-key\n")
    assert read_key(NAMES, None, "first_key_file") == Key("second-key")
    monkeypatch.setenv(NAMES[0], "first-key")
    assert read_key(NAMES, None, "first_key_file") == Key("first-key")
    file = tmp_path / "key"
    file.write_text(f"\n {SECRET} \n")
    assert read_key(NAMES, file, "first_key_file") == Key(SECRET)


def test_a_key_does_not_show_itself() -> None:
    key = Key(SECRET)
    assert SECRET not in f"{key} {key!r} {[key]} { ({'key': key}) }"
    # Both are ways of asking for the value, and nobody does so by accident.
    assert asdict(key) == {"value": SECRET}
    assert pickle.loads(pickle.dumps(key)) == key  # noqa: S301 (our own)


def test_where_no_key_is_the_line_names_the_variable_and_the_parameter() -> None:
    assert find_key(NAMES, None, "first_key_file") is None
    with pytest.raises(BackendSetUpError, match=r"^no key: FIRST_API_KEY and SECOND_API_KEY are not set and "):
        read_key(NAMES, None, "first_key_file")
    with pytest.raises(BackendSetUpError, match=r"^no key: FIRST_API_KEY is not set and first_key_file is empty; set "):
        read_key(NAMES[:1], None, "first_key_file")


def test_a_blank_variable_is_no_key_and_is_said_to_be_blank(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAMES[0], " \t")
    assert find_key(NAMES, None, "first_key_file") is None
    with pytest.raises(BackendSetUpError, match="FIRST_API_KEY is blank"):
        read_key(NAMES, None, "first_key_file")
    monkeypatch.setenv(NAMES[1], "second-key")
    assert read_key(NAMES, None, "first_key_file") == Key("second-key")


@pytest.mark.parametrize(
    ("contents", "reason"),
    [
        (b"", "the file is blank"),
        (b" \n\n", "the file is blank"),
        (b"sk-test-4711 secret", "not a key"),
        (b"sk-test-4711\nsecret-2", "not a key"),
        (b"FIRST_API_KEY=sk-test-4711", "not a key"),
        ("sk-test-4711\u2026".encode(), "not a key"),
        (b"sk-test-4711\xff", "not a key"),
        (b"sk-test-4711\x00x", "not a key"),
    ],
)
def test_a_file_without_a_key_is_one_line_that_does_not_repeat_it(tmp_path: Path, contents: bytes, reason: str) -> None:
    file = tmp_path / "key"
    file.write_bytes(contents)
    with pytest.raises(BackendSetUpError, match=f"^first_key_file = '{file}': {reason}") as raised:
        find_key(NAMES, file, "first_key_file")
    assert "4711" not in str(raised.value)
    assert "\n" not in str(raised.value)
    assert raised.value.__cause__ is None


def test_a_file_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    for file in (tmp_path / "none", tmp_path, Path("~no-such-user-4711/key"), Path("a\0b")):
        with pytest.raises(BackendSetUpError, match=r"^first_key_file = .*; name a readable file") as raised:
            find_key(NAMES, file, "first_key_file")
        assert "\n" not in str(raised.value)


def test_a_pipe_or_a_device_is_not_read_since_it_may_have_no_end(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for file in (pipe, Path("/dev/zero")):
        with pytest.raises(BackendSetUpError, match=r"^first_key_file = .*: not a plain file; name a readable file"):
            find_key(NAMES, file, "first_key_file")


def test_a_variable_that_holds_no_key_is_one_line_that_does_not_repeat_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for value in ("two words", "sk-\u00fcber", "FIRST_API_KEY=abc", "a\nb"):
        monkeypatch.setenv(NAMES[0], value)
        with pytest.raises(BackendSetUpError, match=r"^FIRST_API_KEY: not a key") as raised:
            find_key(NAMES, None, "first_key_file")
        assert value not in str(raised.value)
