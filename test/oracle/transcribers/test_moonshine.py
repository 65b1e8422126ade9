from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr

from kame_ros.oracle.transcriber import SAMPLE_RATE_HZ, Sound, TranscriberError
from kame_ros.oracle.transcribers.moonshine import Moonshine

Speak = Callable[[str], Sound]


def silence(seconds: float) -> Sound:
    return np.zeros(round(seconds * SAMPLE_RATE_HZ), np.int16)


@pytest.fixture(scope="module")
def moonshine() -> Iterator[Moonshine]:
    recogniser = Moonshine()
    yield recogniser
    recogniser.close()


def read(recogniser: Moonshine, *sound: Sound, speech_ended: bool = True) -> str:
    recogniser.begin()
    for piece in sound:
        recogniser.feed(piece)
    return recogniser.read(speech_ended=speech_ended).text


def test_it_writes_what_is_said(moonshine: Moonshine, speech: Speak) -> None:
    text = read(moonshine, silence(0.3), speech("Where is the kitchen?"), silence(0.1)).lower()
    assert "where" in text
    assert "kitchen" in text


def test_the_last_word_is_there_though_the_sound_ends_with_it(moonshine: Moonshine, speech: Speak) -> None:
    sound = speech("Please come to the kitchen.")
    loud = np.flatnonzero(np.abs(sound) > 300)
    assert "kitchen" in read(moonshine, sound[: loud[-1]]).lower()


def test_how_the_sound_is_fed_changes_no_word(moonshine: Moonshine, speech: Speak) -> None:
    sound = speech("What can you do?")
    assert read(moonshine, *np.array_split(sound, 37)) == read(moonshine, sound)


def test_words_that_stay_become_stable_and_a_turn_leaves_nothing_behind(moonshine: Moonshine, speech: Speak) -> None:
    moonshine.begin()
    for piece in np.array_split(speech("Can you tell me when the museum opens?"), 3):
        moonshine.feed(piece)
        hypothesis = moonshine.read(speech_ended=False)
        assert 0 <= hypothesis.stable_length <= len(hypothesis.text)
    moonshine.read(speech_ended=False)
    hypothesis = moonshine.read(speech_ended=False)
    assert "museum" in hypothesis.text.lower()
    assert hypothesis.stable_length == len(hypothesis.text)
    assert read(moonshine) == ""


def test_a_long_turn_is_read_in_pieces_without_losing_a_sentence(moonshine: Moonshine) -> None:
    package = find_spec("moonshine_voice")
    assert package
    assert package.submodule_search_locations
    path = Path(package.submodule_search_locations[0]) / "assets" / "two_cities.wav"
    samples, rate_hz = soundfile.read(path, dtype="int16", frames=15 * soundfile.info(path).samplerate)
    sound = soxr.resample(samples, rate_hz, SAMPLE_RATE_HZ)
    moonshine.begin()
    settled = 0
    for piece in np.array_split(sound, 2):
        moonshine.feed(piece)
        hypothesis = moonshine.read(speech_ended=False)
        assert hypothesis.stable_length >= settled
        settled = hypothesis.stable_length
    text = moonshine.read(speech_ended=True).text.lower()
    for words in ("best of times", "worst of times", "wisdom", "foolishness", "belief", "incredulity"):
        assert words in text
    assert text.count("best of times") == 1


def test_sound_too_short_for_a_word_is_no_text(moonshine: Moonshine) -> None:
    assert read(moonshine, silence(0.05), speech_ended=False) == ""


def test_a_folder_without_a_model_is_named_with_its_parameter(tmp_path: Path) -> None:
    with pytest.raises(TranscriberError, match=r"transcriber_model = .*encoder_model\.ort"):
        Moonshine(str(tmp_path))
    with pytest.raises(TranscriberError) as refused:
        Moonshine("no\nfolder")
    assert "\n" not in str(refused.value)


def test_files_that_are_no_model_are_refused_in_one_line(tmp_path: Path) -> None:
    for name in ("encoder_model.ort", "decoder_model_merged.ort", "tokenizer.bin"):
        (tmp_path / name).write_bytes(b"no model")
    with pytest.raises(TranscriberError) as refused:
        Moonshine(str(tmp_path))
    assert "\n" not in str(refused.value)
    assert "transcriber_model" in str(refused.value)


def test_it_may_be_closed_twice_and_reads_nothing_afterwards() -> None:
    recogniser = Moonshine()
    recogniser.close()
    recogniser.close()
    recogniser.begin()
    recogniser.feed(silence(1.0))
    with pytest.raises(TranscriberError, match="closed"):
        recogniser.read(speech_ended=True)


def test_the_wheels_own_package_and_what_it_needs_are_not_imported() -> None:
    code = (
        "import sys; from kame_ros.oracle.transcribers.moonshine import Moonshine; Moonshine().close();"
        "print([name for name in ('moonshine_voice', 'sounddevice', 'requests', 'socket') if name in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


def test_a_language_that_the_wheel_s_model_does_not_write_is_one_line() -> None:
    with pytest.raises(TranscriberError, match=r"^locale = 'ja-JP': .* only en; set .* writes ja, or"):
        Moonshine(locale="ja-JP")


def test_a_model_in_a_folder_writes_the_language_of_the_talk() -> None:
    package = find_spec("moonshine_voice")
    assert package
    assert package.submodule_search_locations
    folder = Path(package.submodule_search_locations[0]) / "assets" / "tiny-en"
    recogniser = Moonshine(str(folder), "fr-FR")
    assert recogniser.locale == "fr-FR"
    recogniser.close()
    assert Moonshine(locale="en-GB").locale == "en-GB"
