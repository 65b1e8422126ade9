"""The real google-genai library against a server of ours on this machine that speaks its wire, well and badly."""

from __future__ import annotations

import logging
import os
import socket
import ssl
import sys
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kame_ros.oracle.transcriber import SAMPLE_RATE_HZ, Sound, TranscriberError
from kame_ros.oracle.transcribers.google import GoogleTranscriber
from kame_ros.oracle.transcribers.remote_settings import RemoteSettings
from kame_ros.oracle.transcribers.session_policy import SessionSettings

pytest.importorskip("google.genai", reason="the tests of transcriber google need requirements/cloud.txt")
pytest.importorskip("websockets", reason="the tests of transcriber google need requirements/cloud.txt")

from oracle.servers.certificates import certificate
from oracle.servers.google_live import LiveServer, Refusal, Session, live
from oracle.servers.speaking import Speaking, becomes, making
from oracle.servers.spoken import spoken, words

S = SAMPLE_RATE_HZ
KEY = "AbCdEfGh-12345678"
QUICK = SessionSettings(answer_s=0.4, first_retry_s=0.01, longest_retry_s=0.05)


class Recogniser(GoogleTranscriber, Speaking):
    """The transcriber as it is, with what it tells kept."""

    def __init__(self, server: LiveServer | str, sessions: SessionSettings = QUICK, **settings: Any) -> None:
        self.lines: list[str] = []
        url = server if isinstance(server, str) else server.url
        super().__init__(RemoteSettings(base_url=url, **settings), self.lines.append, sessions)


Make = Callable[..., Recogniser]


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("GEMINI_", "GOOGLE_", "SSL_CERT_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GEMINI_API_KEY", KEY)


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> tuple[ssl.SSLContext, Path]:
    now = datetime.now(timezone.utc)
    return certificate(tmp_path_factory.mktemp("tls"), now - timedelta(days=1), now + timedelta(days=1))


@pytest.fixture
def tls(certified: tuple[ssl.SSLContext, Path], monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """Give a server's certificate that this test's clients trust."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certified[1]))
    return certified[0]


@pytest.fixture
def make() -> Iterator[Make]:
    with making(Recogniser) as recogniser:
        yield recogniser


def test_partial_and_last_words_come_and_the_session_is_set_up_for_it(make: Make, tls: ssl.SSLContext) -> None:
    with live(tls=tls) as server:
        recogniser = make(server, locale="ja-JP")
        recogniser.say(1, 2, 3)
        becomes(lambda: recogniser.partial() == words(1, 2, 3))
        recogniser.say_on(4)
        hypothesis = recogniser.read(speech_ended=True)
        assert hypothesis.text == words(1, 2, 3, 4)
        assert hypothesis.stable_length == len(hypothesis.text)
        recogniser.close()
        heard = np.concatenate(server.sounds[0])
    assert np.array_equal(heard[: len(spoken(1, 2, 3, 4))], spoken(1, 2, 3, 4))
    settings = server.settings[0]
    assert settings["model"] == "models/gemini-3.1-flash-live-preview"
    assert settings["inputAudioTranscription"] == {"language_codes": ["ja-JP"]}
    assert settings["realtimeInputConfig"] == {"automatic_activity_detection": {"disabled": True}}
    assert settings["generationConfig"]["maxOutputTokens"] == 1
    assert server.requests[0].path.endswith("GenerativeService.BidiGenerateContent")
    assert server.requests[0].headers["x-goog-api-key"] == KEY
    assert recogniser.locale == "ja-JP"


def test_the_model_is_the_one_of_the_parameter(make: Make, tls: ssl.SSLContext) -> None:
    with live(tls=tls) as server:
        make(server, model="gemini-other")
        becomes(lambda: server.settings)
    assert server.settings[0]["model"] == "models/gemini-other"


def test_the_last_word_is_there_though_the_sound_ends_with_it(make: Make, tls: ssl.SSLContext) -> None:
    with live(Session(loses_last_word=True), tls=tls) as server:
        recogniser = make(server)
        recogniser.say(1, 2)
        assert recogniser.final() == words(1, 2)


@pytest.mark.parametrize(
    "session",
    [
        Session(early=False),
        Session(guesses=True),
        Session(says_when_over=False),
        Session(says_when_over=False, early=False),
        Session(late_turn=True),
        Session(chatty=True),
    ],
)
def test_however_a_server_tells_words_each_piece_has_its_own(make: Make, tls: ssl.SSLContext, session: Session) -> None:
    with live(session, tls=tls) as server:
        recogniser = make(server)
        for number in (1, 4, 7):
            recogniser.say(number, number + 1)
            assert recogniser.final() == words(number, number + 1)
            recogniser.say_on(number + 2)
            assert recogniser.final() == words(number, number + 1, number + 2)
        assert len(server.sounds) == 1


def test_guesses_are_shown_until_the_words_are_known(make: Make, tls: ssl.SSLContext) -> None:
    with live(Session(guesses=True), tls=tls) as server:
        recogniser = make(server)
        recogniser.say(1, 2)
        becomes(lambda: recogniser.partial() == "v1 v2")
        assert recogniser.final() == words(1, 2)


def test_nothing_is_sent_between_turns(make: Make, tls: ssl.SSLContext) -> None:
    with live(tls=tls) as server:
        recogniser = make(server)
        for number in (1, 2, 3):
            recogniser.say(number)
            assert recogniser.final() == words(number)
            recogniser.feed(np.zeros(S // 2, np.int16))
        assert server.pieces == 3
        assert len(server.sounds) == 1
        assert np.count_nonzero(np.concatenate(server.sounds[0]) == 0) < 3 * S // 2


@pytest.mark.parametrize("ends", ["close", "drop", "expire", "go away", "silent"])
def test_a_session_that_ends_once_in_the_middle_loses_and_doubles_no_word(
    make: Make, tls: ssl.SSLContext, ends: str
) -> None:
    with live(Session(ends=ends, after_s=0.5), tls=tls) as server:
        recogniser = make(server)
        recogniser.say(1, 2, 3, 4, 5)
        assert recogniser.final() == words(1, 2, 3, 4, 5)
        becomes(lambda: len(server.sounds) == 2)
        recogniser.say(6)
        assert recogniser.final() == words(6)
        assert recogniser.lines == []


def test_sessions_that_end_again_and_again_lose_no_word_either(make: Make, tls: ssl.SSLContext) -> None:
    script = [Session(ends=ends, after_s=after_s) for ends in ("drop", "close", "expire") for after_s in (0.3, 0.9)]
    with live(*script, tls=tls) as server:
        recogniser = make(server)
        said: list[int] = []
        recogniser.begin()
        for first in (1, 5, 9):
            said += range(first, first + 4)
            recogniser.say_on(*said[-4:])
            assert recogniser.final() == words(*said)


def test_speech_without_a_word_is_sent_again_to_a_new_session(make: Make, tls: ssl.SSLContext) -> None:
    with live(Session(deaf=True), tls=tls) as server:
        recogniser = make(server, SessionSettings(wordless_s=0.5))
        recogniser.say(1, 2, 3, 4)
        becomes(lambda: recogniser.partial() == words(1, 2, 3, 4))
        assert recogniser.counts.wordless_sessions == 1


def test_the_session_is_rolled_over_before_the_limit_of_the_provider(make: Make, tls: ssl.SSLContext) -> None:
    with live(tls=tls) as server:
        recogniser = make(server, SessionSettings(longest_s=1.3))
        number = 0
        while len(server.sounds) < 3:
            number += 1
            recogniser.say(number)
            assert recogniser.final() == words(number)
        assert recogniser.counts.failed_sessions == 0


def test_a_recognition_that_fails_is_tried_again(make: Make, tls: ssl.SSLContext) -> None:
    with live(Session(failing=(1011, "Internal error encountered.")), tls=tls) as server:
        recogniser = make(server)
        recogniser.say(1, 2)
        assert recogniser.final() == words(1, 2)


@pytest.mark.parametrize(
    ("script", "line"),
    [
        (Session(refused=(1007, f"API key not valid: {KEY}")), r"the key is refused .*; set GEMINI_API_KEY or gemini_"),
        (Session(refused=(1008, "models/x is not found for API version v1")), "set transcriber_model"),
        (Session(misunderstands=True), "check transcriber_model and transcriber_base_url"),
        (Refusal(401), "the key is refused .*; set GEMINI_API_KEY or gemini_key_file"),
        (Refusal(404), "check transcriber_base_url"),
    ],
)
def test_what_is_refused_is_told_once_with_what_to_set_and_the_key_is_never_shown(
    make: Make, tls: ssl.SSLContext, caplog: pytest.LogCaptureFixture, script: Session | Refusal, line: str
) -> None:
    caplog.set_level(logging.DEBUG)
    with live(*[script] * 9, tls=tls) as server:
        recogniser = make(server)
        becomes(lambda: recogniser.counts.failed_sessions >= 2)
        recogniser.say(1)
        with pytest.raises(TranscriberError, match=line):
            recogniser.final()
    assert len(recogniser.lines) == 1
    assert "\n" not in recogniser.lines[0]
    assert KEY not in caplog.text + recogniser.lines[0]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_server_that_is_busy_or_ill_for_a_while_costs_no_word(make: Make, tls: ssl.SSLContext, status: int) -> None:
    with live(*[Refusal(status, {"Retry-After": "0.1"})] * 2, tls=tls) as server:
        recogniser = make(server)
        recogniser.say(1, 2)
        assert recogniser.final() == words(1, 2)


def test_a_certificate_out_of_its_time_says_check_the_clock(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = datetime.now(timezone.utc)
    tls, trusted = certificate(tmp_path, now + timedelta(days=1), now + timedelta(days=2))
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    with live(tls=tls) as server:
        recogniser = make(server)
        becomes(lambda: recogniser.lines)
    assert "check the clock" in recogniser.lines[0]


def test_a_server_that_is_not_there_is_told_with_the_parameter(make: Make) -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        recogniser = make(f"https://127.0.0.1:{reserved.getsockname()[1]}")
        becomes(lambda: recogniser.lines)
    assert "transcriber_base_url" in recogniser.lines[0]


def test_a_server_that_takes_the_connection_and_says_nothing_is_given_up(make: Make) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        recogniser = make(f"https://127.0.0.1:{silent.getsockname()[1]}", SessionSettings(connect_s=0.2))
        becomes(lambda: recogniser.lines)
    assert "no session within 0.2 s" in recogniser.lines[0]


@pytest.mark.parametrize("value", [None, "", " "])
def test_without_a_key_googles_own_service_is_not_begun(monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    monkeypatch.delenv("GEMINI_API_KEY")
    if value is not None:
        monkeypatch.setenv("GEMINI_API_KEY", value)
    with pytest.raises(TranscriberError, match=r"^transcriber = google: .*GEMINI_API_KEY.*gemini_key_file"):
        GoogleTranscriber(RemoteSettings(), lambda line: None)


def test_a_server_of_ones_own_needs_no_key(make: Make, tls: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GEMINI_API_KEY")
    with live(tls=tls) as server:
        recogniser = make(server)
        recogniser.say(1)
        assert recogniser.final() == words(1)


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "google.genai", None)
    monkeypatch.delitem(sys.modules, "kame_ros.oracle.transcribers.google_wire", raising=False)
    with pytest.raises(TranscriberError, match=r"transcriber = google: package google.* requirements/cloud\.txt"):
        GoogleTranscriber(RemoteSettings(base_url="https://127.0.0.1:1"), lambda line: None)


def test_silence_gives_no_words(make: Make, tls: ssl.SSLContext) -> None:
    silence: Sound = np.zeros(S, np.int16)
    with live(tls=tls) as server:
        recogniser = make(server)
        recogniser.begin()
        recogniser.feed(silence)
        assert recogniser.final() == ""
