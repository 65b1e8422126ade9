"""The real detector on real speech and real noise."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kame_ros.audio import silero as silero_file
from kame_ros.audio.error import DetectorError
from kame_ros.audio.files import FileSource
from kame_ros.audio.pcm import Pcm, to_int16
from kame_ros.audio.silero import CHUNK_SAMPLES, Silero
from kame_ros.audio.voice_activity import ActivityKind, VoiceActivityMachine, VoiceActivitySettings

SPEECH = Path(importlib.util.find_spec("moonshine_voice").origin).parent / "assets" / "beckett.wav"  # type: ignore[union-attr,arg-type]


@pytest.fixture(scope="module")
def speech() -> Pcm:
    """Give 10 s of a person's voice."""
    source = FileSource(str(SPEECH))
    samples = source.take(240_000)
    source.close()
    return samples


@pytest.fixture(scope="module")
def pink() -> Pcm:
    """Give 30 s of a steady fan: noise that falls by 3 dB an octave."""
    spectrum = np.fft.rfft(np.random.default_rng(5).standard_normal(720_000))
    fan = np.fft.irfft(spectrum / np.sqrt(np.maximum(1, np.arange(len(spectrum)))))
    return to_int16(fan / np.abs(fan).max() * 0.25)


def test_speech_is_told_from_silence(speech: Pcm) -> None:
    chunks = Silero().push(np.concatenate([np.zeros(24000, np.int16), speech]))
    assert max(chunk.probability for chunk in chunks[:28]) < 0.1
    assert np.mean([chunk.probability > 0.5 for chunk in chunks[31:]]) > 0.4  # he pauses a lot


def test_a_steady_fan_is_never_speech(pink: Pcm) -> None:
    for loudness in (1.0, 0.03):
        machine = VoiceActivityMachine(VoiceActivitySettings())
        chunks = Silero().push(np.rint(pink * loudness).astype(np.int16))
        assert not [e for c in chunks for e in machine.observe(c.probability, c.first_sample, c.count)]


PLACES = range(0, CHUNK_SAMPLES, CHUNK_SAMPLES // 4)


def events_of(samples: Pcm, place: int = 0) -> list[ActivityKind]:
    """Return what happens at a sound in quiet that begins ``place`` samples after a chunk of the detector does."""
    machine = VoiceActivityMachine(VoiceActivitySettings())
    quiet = np.zeros(32 * CHUNK_SAMPLES, np.int16)
    chunks = Silero().push(np.concatenate([quiet, np.zeros(place, np.int16), samples, quiet]))
    return [e.kind for c in chunks for e in machine.observe(c.probability, c.first_sample, c.count)]


def loudest(samples: Pcm, count: int) -> Pcm:
    first = int(np.convolve(samples.astype(np.float64) ** 2, np.ones(count), "valid").argmax())
    return samples[first : first + count]


@pytest.mark.parametrize("place", PLACES)
def test_a_word_of_200_ms_interrupts(speech: Pcm, place: int) -> None:
    assert ActivityKind.INTERRUPT in events_of(loudest(speech, 4800), place)


@pytest.fixture(scope="module")
def stops(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Pcm]:
    """Give "stop" as the voices of this machine say it."""
    if not shutil.which("flite"):
        pytest.skip("no voice is installed: flite")
    said: dict[str, Pcm] = {}
    for voice in ("slt", "kal", "awb"):
        path = tmp_path_factory.mktemp("stop") / f"{voice}.wav"
        subprocess.run(["flite", "-voice", voice, "-t", "stop", "-o", str(path)], check=True)
        source = FileSource(str(path))
        said[voice] = source.take(24_000)
        source.close()
    return said


def test_stop_interrupts_whoever_says_it_and_wherever_it_falls(stops: dict[str, Pcm]) -> None:
    whole = {(voice, place): events_of(word, place) for voice, word in stops.items() for place in PLACES}
    assert all(ActivityKind.INTERRUPT in events for events in whole.values()), whole
    short = [events_of(loudest(word, 4800), place) for word in stops.values() for place in PLACES]
    assert sum(ActivityKind.INTERRUPT in events for events in short) >= 0.9 * len(short)


@pytest.mark.parametrize("tract_hz", [None, (650, 1100), (900, 1500), (500, 1700)])
@pytest.mark.parametrize("place", PLACES)
def test_a_cough_of_150_ms_does_not_interrupt(place: int, tract_hz: tuple[int, int] | None) -> None:
    time_s = np.arange(3600) / 24000
    burst = np.random.default_rng(4).standard_normal(3600) * np.minimum(1, time_s / 0.005) * np.exp(-time_s / 0.05)
    if tract_hz:  # two resonances of a throat
        spectrum, at_hz = np.fft.rfft(burst), np.fft.rfftfreq(3600, 1 / 24000)
        burst = np.fft.irfft(spectrum * sum(1 / (1 + ((at_hz - centre) / 150) ** 2) for centre in tract_hz), 3600)
    cough = np.rint(burst / np.abs(burst).max() * 20000).astype(np.int16)
    assert ActivityKind.INTERRUPT not in events_of(cough, place)


def test_speech_begins_where_it_begins(speech: Pcm) -> None:
    def onset(silence: int) -> int:
        machine = VoiceActivityMachine(VoiceActivitySettings())
        for chunk in Silero().push(np.concatenate([np.zeros(silence, np.int16), speech])):
            for event in machine.observe(chunk.probability, chunk.first_sample, chunk.count):
                if event.kind is ActivityKind.ONSET:
                    return event.at_sample
        raise AssertionError("no onset")

    assert abs(onset(24000 + 100) - onset(24000) - 100) <= CHUNK_SAMPLES
    assert abs(onset(48000) - onset(24000) - 24000) <= CHUNK_SAMPLES


@settings(max_examples=15, deadline=None)
@given(cuts=st.lists(st.integers(0, 48000), max_size=40).map(sorted))
def test_cutting_changes_no_probability_and_chunks_follow_each_other(speech: Pcm, cuts: list[int]) -> None:
    detector = Silero()
    chunks = [chunk for piece in np.split(speech[:48000], cuts) for chunk in detector.push(piece)]
    assert chunks == Silero().push(speech[:48000])
    assert [chunk.first_sample for chunk in chunks] == list(range(0, len(chunks) * CHUNK_SAMPLES, CHUNK_SAMPLES))


def test_forgetting_makes_the_next_utterance_as_in_a_fresh_detector(speech: Pcm) -> None:
    lengths = 100 * CHUNK_SAMPLES
    used = Silero()
    used.push(speech[:lengths])
    used.move_to(lengths)
    used.forget()
    again = [chunk.probability for chunk in used.push(speech[:lengths])]
    assert again == [chunk.probability for chunk in Silero().push(speech[:lengths])]


def test_positions_go_on_after_a_gap(speech: Pcm) -> None:
    detector = Silero()
    detector.push(speech[:1000])
    detector.move_to(5000)
    assert detector.push(speech[1000:3000])[0].first_sample == 5000


def test_a_missing_model_is_one_line_that_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(DetectorError, match=r"^silero-vad is not installed: pip install --no-deps silero-vad$"):
        Silero()


def test_a_broken_model_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "silero_vad.onnx"
    broken.write_bytes(b"not a model")
    monkeypatch.setattr(silero_file, "_model_file", lambda: broken)
    with pytest.raises(DetectorError, match="cannot be loaded; install silero-vad again"):
        Silero()


def test_torch_is_not_imported() -> None:
    code = "import sys; from kame_ros.audio.silero import Silero; Silero(); sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
