"""Recognisers by their names: whatever one of them lacks is one line."""

from __future__ import annotations

import pytest

from kame_ros.oracle.transcriber import TranscriberError
from kame_ros.oracle.transcribers import choice
from kame_ros.oracle.transcribers.choice import TranscriberSettings, make_transcriber


def test_what_a_recogniser_says_of_itself_stays_as_it_is() -> None:
    with pytest.raises(TranscriberError, match=r"^transcriber_model = '/nowhere'"):
        make_transcriber("moonshine", TranscriberSettings("/nowhere"), lambda _: None)


def test_what_a_library_brings_while_it_loads_is_one_line_that_names_the_parameter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("no\nmemory for http://me:secret@host/")

    monkeypatch.setattr(choice, "Moonshine", broken)
    with pytest.raises(TranscriberError) as caught:
        make_transcriber("moonshine", TranscriberSettings(), lambda _: None)
    line = "transcriber = moonshine: cannot be loaded (RuntimeError: no memory for http://[key]@host/)"
    assert str(caught.value) == line
