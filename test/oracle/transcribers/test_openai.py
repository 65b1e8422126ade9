"""The real openai library against a server of ours on this machine that speaks its wire, well and badly."""

from __future__ import annotations

import logging
import os
import socket
import sys
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kame_ros.oracle.inbox import Activity, ActivityKind, Frame, NewSession
from kame_ros.oracle.listening import Listening
from kame_ros.oracle.reports import Transcript, TranscriptStatus
from kame_ros.oracle.transcriber import SAMPLE_RATE_HZ, Sound, TranscriberError
from kame_ros.oracle.transcribers.openai import OpenAiTranscriber
from kame_ros.oracle.transcribers.remote_settings import RemoteSettings
from kame_ros.oracle.transcribers.session_policy import SessionSettings
from kame_ros.oracle.turns import TurnSettings

pytest.importorskip("openai", reason="the tests of transcriber openai need requirements/cloud.txt")
pytest.importorskip("websockets", reason="the tests of transcriber openai need requirements/cloud.txt")

from oracle.servers.certificates import certificate
from oracle.servers.openai_realtime import RealtimeServer, Refusal, Session, realtime
from oracle.servers.speaking import Speaking, becomes, making
from oracle.servers.spoken import spoken, words

S = SAMPLE_RATE_HZ
KEY = "sk-test-0123456789abcdef"
QUICK = SessionSettings(answer_s=0.4, first_retry_s=0.01, longest_retry_s=0.05)


class Recogniser(OpenAiTranscriber, Speaking):
    """The transcriber as it is, with what it tells kept."""

    def __init__(self, server: RealtimeServer | str, sessions: SessionSettings = QUICK, **settings: Any) -> None:
        self.lines: list[str] = []
        url = server if isinstance(server, str) else server.url
        super().__init__(RemoteSettings(base_url=url, **settings), self.lines.append, sessions)


Make = Callable[..., Recogniser]


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("OPENAI_", "SSL_CERT_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture
def make() -> Iterator[Make]:
    with making(Recogniser) as recogniser:
        yield recogniser


def test_partial_and_last_words_come_and_the_session_is_set_up_for_it(make: Make) -> None:
    with realtime() as server:
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
    assert server.settings == [
        {
            "type": "transcription",
            "audio": {
                "input": {
                    "format": {"type": "audio/pcm", "rate": 24_000},
                    "transcription": {"model": "gpt-live-transcribe", "language": "ja"},
                    "turn_detection": None,
                }
            },
        }
    ]
    assert server.requests[0].path == "/v1/realtime?intent=transcription"
    assert server.requests[0].headers["Authorization"] == f"Bearer {KEY}"
    assert recogniser.locale == "ja-JP"


def test_the_model_is_the_one_of_the_parameter(make: Make) -> None:
    with realtime() as server:
        make(server, model="whisper-1")
        becomes(lambda: server.settings)
    assert server.settings[0]["audio"]["input"]["transcription"]["model"] == "whisper-1"


def test_the_last_word_is_there_though_the_sound_ends_with_it(make: Make) -> None:
    with realtime(Session(loses_last_word=True)) as server:
        recogniser = make(server)
        recogniser.say(1, 2)
        assert recogniser.final() == words(1, 2)


def test_words_that_come_only_after_a_commit_are_enough(make: Make) -> None:
    with realtime(Session(early=False)) as server:
        recogniser = make(server)
        recogniser.say(1, 2)
        assert recogniser.partial() == ""
        assert recogniser.final() == words(1, 2)


def test_nothing_is_sent_between_turns(make: Make) -> None:
    with realtime() as server:
        recogniser = make(server)
        for number in (1, 2, 3):
            recogniser.say(number)
            assert recogniser.final() == words(number)
            recogniser.feed(np.zeros(S // 2, np.int16))
        assert server.commits == 3
        assert len(server.sounds) == 1
        assert np.count_nonzero(np.concatenate(server.sounds[0]) == 0) < 3 * S // 2


@pytest.mark.parametrize("ends", ["close", "drop", "expire", "silent"])
def test_a_session_that_ends_once_in_the_middle_loses_and_doubles_no_word(make: Make, ends: str) -> None:
    with realtime(Session(ends=ends, after_s=0.5)) as server:
        recogniser = make(server)
        recogniser.say(1, 2, 3, 4, 5)
        assert recogniser.final() == words(1, 2, 3, 4, 5)
        recogniser.say(6)
        assert recogniser.final() == words(6)
        assert len(server.sounds) == 2
        assert recogniser.lines == []


def test_sessions_that_end_again_and_again_lose_no_word_either(make: Make) -> None:
    script = [Session(ends=ends, after_s=after_s) for ends in ("drop", "close", "expire") for after_s in (0.3, 0.9)]
    with realtime(*script) as server:
        recogniser = make(server)
        said: list[int] = []
        recogniser.begin()
        for first in (1, 5, 9):
            said += range(first, first + 4)
            recogniser.say_on(*said[-4:])
            assert recogniser.final() == words(*said)


def test_a_server_that_falls_silent_between_two_turns_costs_no_word_of_the_second(make: Make) -> None:
    with realtime(Session(ends="silent", after_s=0.5)) as server:
        recogniser = make(server)
        recogniser.say(1)
        assert recogniser.final() == words(1)
        recogniser.say(2, 3, 4)
        assert recogniser.final() == words(2, 3, 4)
        assert recogniser.counts.late_sessions == 1


def test_speech_without_a_word_is_sent_again_to_a_new_session(make: Make) -> None:
    with realtime(Session(deaf=True)) as server:
        recogniser = make(server, SessionSettings(wordless_s=0.5))
        recogniser.say(1, 2, 3, 4)
        becomes(lambda: recogniser.partial() == words(1, 2, 3, 4))
        assert recogniser.counts.wordless_sessions == 1


def test_the_session_is_rolled_over_before_the_limit_of_the_provider(make: Make) -> None:
    with realtime() as server:
        recogniser = make(server, SessionSettings(longest_s=1.3))
        number = 0
        while len(server.sounds) < 3:
            number += 1
            recogniser.say(number)
            assert recogniser.final() == words(number)
        assert recogniser.counts.failed_sessions == 0


def test_finals_that_repeat_the_ones_before_double_no_word(make: Make) -> None:
    with realtime(Session(cumulative=True)) as server:
        recogniser = make(server)
        recogniser.say(11, 12, 13)
        assert recogniser.final() == words(11, 12, 13)
        recogniser.say_on(14)
        assert recogniser.final() == words(11, 12, 13, 14)
        recogniser.say_on(15, 16)
        assert recogniser.final() == words(11, 12, 13, 14, 15, 16)


def test_a_recognition_that_fails_is_tried_again(make: Make) -> None:
    with realtime(Session(failing={"type": "server_error", "message": "try again"})) as server:
        recogniser = make(server)
        recogniser.say(1, 2)
        assert recogniser.final() == words(1, 2)


def test_messages_that_nobody_knows_and_broken_ones_do_no_harm(make: Make) -> None:
    with realtime(Session(chatty=True)) as server:
        recogniser = make(server)
        recogniser.say(1, 2)
        assert recogniser.final() == words(1, 2)
        assert len(server.sounds) == 1


def test_a_refused_key_is_told_with_what_to_set_and_never_shown(make: Make, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with realtime(*[Refusal(401, body=f'{{"error": "no such key {KEY}"}}')] * 9) as server:
        recogniser = make(server, final_wait_s=60.0)
        becomes(lambda: recogniser.lines)
        recogniser.say(1)
        with pytest.raises(TranscriberError, match=r"the key is refused .*; set OPENAI_API_KEY or openai_key_file"):
            recogniser.final()
    assert len(recogniser.lines) == 1
    assert KEY not in caplog.text + recogniser.lines[0]


def test_a_key_refused_by_an_error_within_the_session_is_told_the_same(make: Make) -> None:
    refused = {"type": "invalid_request_error", "code": "invalid_api_key", "message": f"Incorrect API key: {KEY}"}
    with realtime(*[Session(refused=refused)] * 9) as server:
        recogniser = make(server)
        becomes(lambda: recogniser.lines)
    assert "set OPENAI_API_KEY or openai_key_file" in recogniser.lines[0]
    assert KEY not in recogniser.lines[0]


def test_an_unknown_model_is_told_with_its_parameter(make: Make) -> None:
    refused = {"type": "invalid_request_error", "code": "model_not_found", "message": "The model 'x' does not exist."}
    with realtime(*[Session(refused=refused)] * 9) as server:
        recogniser = make(server, model="x")
        becomes(lambda: recogniser.lines)
    assert "transcriber_model" in recogniser.lines[0]
    assert "\n" not in recogniser.lines[0]


def test_credentials_refused_for_a_wrong_clock_say_so(make: Make) -> None:
    there = format_datetime(datetime.now(timezone.utc) + timedelta(days=400), usegmt=True)
    with realtime(*[Refusal(401, {"Date": there})] * 9) as server:
        recogniser = make(server)
        becomes(lambda: recogniser.lines)
    assert "check the clock" in recogniser.lines[0]


@pytest.mark.parametrize(
    ("first_day", "last_day", "line"),
    [(1, 2, "is not yet valid on .*; check the clock"), (-2, -1, "has expired on .*; check the clock")],
)
def test_a_certificate_out_of_its_time_says_check_the_clock_and_is_tried_again(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first_day: int, last_day: int, line: str
) -> None:
    now = datetime.now(timezone.utc)
    tls, trusted = certificate(tmp_path, now + timedelta(days=first_day), now + timedelta(days=last_day))
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    with realtime(tls=tls) as server:
        recogniser = make(server)
        becomes(lambda: recogniser.counts.failed_sessions >= 2)
        recogniser.say(1)
        with pytest.raises(TranscriberError, match=line):
            recogniser.final()


def test_a_certificate_within_its_time_is_taken_and_a_strangers_is_not(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = datetime.now(timezone.utc)
    tls, trusted = certificate(tmp_path, now - timedelta(days=1), now + timedelta(days=1))
    with realtime(tls=tls) as server:
        stranger = make(server)
        becomes(lambda: stranger.lines)
        assert "is not trusted" in stranger.lines[0]
        assert "transcriber_base_url" in stranger.lines[0]
        monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
        recogniser = make(server)
        recogniser.say(1)
        assert recogniser.final() == words(1)


def test_a_file_of_certificates_that_is_not_there_is_one_line(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/certificates.pem")
    recogniser = make("https://127.0.0.1:1/v1")
    becomes(lambda: recogniser.counts.failed_sessions > 3)
    assert len(recogniser.lines) == 1
    assert "No such file" in recogniser.lines[0]


def test_a_server_without_tls_is_told_with_the_parameter(make: Make) -> None:
    with realtime() as server:
        recogniser = make(server.url.replace("http:", "https:"))
        becomes(lambda: recogniser.lines)
    assert "transcriber_base_url" in recogniser.lines[0]


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:{}/v1", "http://nobody.invalid/v1", "http://me:secret@127.0.0.1:{}/v1"]
)
def test_a_server_that_is_not_there_is_told_with_the_parameter_and_the_words_come_once_it_is(
    make: Make, url: str
) -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        recogniser = make(url.format(reserved.getsockname()[1]))
        becomes(lambda: recogniser.lines)
    assert "transcriber_base_url" in recogniser.lines[0]
    assert "\n" not in recogniser.lines[0]
    assert "secret" not in recogniser.lines[0]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_server_that_is_busy_or_ill_for_a_while_costs_no_word(make: Make, status: int) -> None:
    with realtime(Refusal(status, {"Retry-After": "0.1"}), Refusal(status, {"Retry-After": "0.1"})) as server:
        recogniser = make(server)
        recogniser.say(1, 2)
        assert recogniser.final() == words(1, 2)


def test_an_address_without_such_a_service_is_told_with_the_parameter(make: Make) -> None:
    with realtime(*[Refusal(404)] * 9) as server:
        recogniser = make(server)
        becomes(lambda: recogniser.lines)
    assert "transcriber_base_url" in recogniser.lines[0]


@pytest.mark.parametrize("value", [None, "", " "])
def test_without_a_key_openais_own_service_is_not_begun(monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    if value is not None:
        monkeypatch.setenv("OPENAI_API_KEY", value)
    with pytest.raises(TranscriberError, match=r"^transcriber = openai: .*OPENAI_API_KEY.*openai_key_file"):
        OpenAiTranscriber(RemoteSettings(), lambda line: None)


def test_a_server_of_ones_own_needs_no_key(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with realtime() as server:
        recogniser = make(server)
        recogniser.say(1)
        assert recogniser.final() == words(1)


def test_a_key_in_a_file_is_used(make: Make, tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("sk-of-the-file\n")
    with realtime() as server:
        make(server, key_file=file)
        becomes(lambda: server.requests)
    assert server.requests[0].headers["Authorization"] == "Bearer sk-of-the-file"


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    monkeypatch.delitem(sys.modules, "kame_ros.oracle.transcribers.openai_wire", raising=False)
    with pytest.raises(TranscriberError, match=r"transcriber = openai: package openai .*requirements/cloud\.txt"):
        OpenAiTranscriber(RemoteSettings(base_url="http://127.0.0.1:1/v1"), lambda line: None)


def test_as_the_bridge_uses_it_each_turn_has_one_final_with_all_its_words_though_sessions_end(make: Make) -> None:
    reports: list[Transcript] = []
    numbers = iter(range(1, 9))
    with realtime(Session(ends="drop", after_s=1.0), Session(ends="close", after_s=1.5)) as server:
        listening = Listening(make(server), TurnSettings(), reports.append, lambda session: next(numbers))
        listening.take(NewSession(7))
        now = 0
        for said in ((1, 2, 3, 4, 5), (6,), (7, 8, 9)):
            onset, end = now + S // 2, now + S // 2 + len(spoken(*said))
            sound = np.concatenate([np.zeros(S // 2, np.int16), spoken(*said), np.zeros(S, np.int16)])
            for frame in sound.reshape(-1, 480):
                listening.take(Frame(1, now, frame))
                now += len(frame)
                for kind, at_sample in ((ActivityKind.ONSET, onset), (ActivityKind.END, end)):
                    if now - 480 < at_sample <= now:
                        listening.take(Activity(kind, 1, at_sample))
    finals = [report for report in reports if report.status is TranscriptStatus.FINAL]
    assert [report.text for report in finals] == [words(1, 2, 3, 4, 5), words(6), words(7, 8, 9)]
    assert [report.turn for report in finals] == [1, 2, 3]


def test_a_whole_sound_of_silence_gives_no_words(make: Make) -> None:
    silence: Sound = np.zeros(S, np.int16)
    with realtime() as server:
        recogniser = make(server)
        recogniser.begin()
        recogniser.feed(silence)
        assert recogniser.final() == ""
