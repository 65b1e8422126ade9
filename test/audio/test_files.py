"""Sound files of every kind that people have."""

from __future__ import annotations

import os
import re
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kame_ros.audio.error import FileError
from kame_ros.audio.files import FileSink, FileSource
from kame_ros.audio.pcm import Pcm


def everything(path: Path, take: int = 480) -> Pcm:
    source = FileSource(str(path))
    pieces = []
    while len(piece := source.take(take)):
        pieces.append(piece)
    source.close()
    return np.concatenate(pieces) if pieces else np.zeros(0, np.int16)


@pytest.mark.parametrize("ending", ["wav", "flac"])
def test_what_was_written_is_read_back_bit_by_bit(tmp_path: Path, noise: Pcm, ending: str) -> None:
    path = tmp_path / f"sound.{ending}"
    sink = FileSink(str(path))
    for piece in np.split(noise, [480, 1000, 50000]):
        sink.write(piece)
    sink.close()
    sink.close()
    assert soundfile.info(str(path)).samplerate == 24000
    assert np.array_equal(everything(path), noise)


@pytest.mark.parametrize(
    ("rate", "channels", "encoding", "ending"),
    [(8000, 2, "FLOAT", "wav"), (44100, 6, "PCM_24", "wav"), (48000, 1, "PCM_U8", "wav"), (96000, 2, "PCM_16", "flac")],
)
def test_any_rate_channels_and_encoding_keep_length_and_loudness(
    tmp_path: Path, rate: int, channels: int, encoding: str, ending: str
) -> None:
    seconds = 2.3
    tone = 0.5 * np.sin(2 * np.pi * 440 * np.arange(round(rate * seconds)) / rate)
    path = tmp_path / f"tone.{ending}"
    soundfile.write(path, np.repeat(tone[:, np.newaxis], channels, axis=1), rate, encoding)
    samples = everything(path)
    assert len(samples) == round(24000 * seconds)
    expected = 16384 * np.sin(2 * np.pi * 440 * np.arange(len(samples)) / 24000)
    assert np.abs(samples - expected)[500:-500].max() < 300  # 8 bits are that coarse


def test_float_files_beyond_full_scale_are_clipped(tmp_path: Path) -> None:
    path = tmp_path / "loud.wav"
    soundfile.write(path, np.array([1.2, -1.2, np.nan, 0.5] * 100, np.float32), 24000, "FLOAT")
    assert everything(path)[:4].tolist() == [32767, -32768, 0, 16384]


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(takes=st.lists(st.integers(0, 9000), min_size=1, max_size=30), rate=st.sampled_from([16000, 24000, 44100]))
def test_how_much_is_taken_at_once_changes_no_sample(tmp_path: Path, noise: Pcm, takes: list[int], rate: int) -> None:
    path = tmp_path / "noise.wav"
    soundfile.write(path, noise[:20000], rate)
    source = FileSource(str(path))
    pieces = [source.take(count) for count in takes]
    pieces.append(source.take(100_000))
    source.close()
    assert np.array_equal(np.concatenate(pieces), everything(path))
    assert len(everything(path)) == round(20000 * 24000 / rate)


@pytest.mark.parametrize(("channel", "value"), [(0, 200), (1, 100), (3, 300)])
def test_a_channel_or_their_mix_is_heard_and_all_are_told(tmp_path: Path, channel: int, value: int) -> None:
    path = tmp_path / "array.wav"
    soundfile.write(path, np.tile(np.array([100, 200, 300], np.int16), (1000, 1)), 24000)
    source = FileSource(str(path), channel)
    told: list[tuple[int, Pcm]] = []
    source.on_all = lambda first_frame, frames: told.append((first_frame, frames))
    assert set(source.take(1000)) == {value}
    assert [first for first, _ in told] == [0, 480, 960]
    assert np.concatenate([frames for _, frames in told]).tolist() == [[100, 200, 300]] * 1000
    source.close()


def test_a_channel_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "stereo.wav"
    soundfile.write(path, np.zeros((10, 2), np.int16), 24000)
    line = f"channel = 3: file {str(path)!r} has 2; give one from 1 on, or 0 for their mix"
    with pytest.raises(FileError, match=re.escape(line)):
        FileSource(str(path), 3)


def test_a_file_of_three_hours_opens_at_once_and_costs_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "long.wav"
    with soundfile.SoundFile(str(path), "w", 8000, 1, "PCM_U8") as file:
        file.write(np.zeros(8000))
        file.seek(3 * 3600 * 8000 - 8000)
        file.write(np.zeros(8000))
    tracemalloc.start()
    began_s = time.monotonic()
    source = FileSource(str(path))
    assert len(source.take(480)) == 480
    assert time.monotonic() - began_s < 1.0
    for _ in range(200):
        source.take(24000)
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()
    source.close()


def bad_files(folder: Path) -> dict[str, Path]:
    (folder / "text.wav").write_text("hello, this is no sound\n" * 100)
    (folder / "empty.wav").write_bytes(b"")
    (folder / "noise.raw").write_bytes(b"\x01\x02" * 100)
    soundfile.write(folder / "silent.wav", np.zeros(0), 24000)
    soundfile.write(folder / "slow.wav", np.zeros(100), 10)
    whole = folder / "whole.wav"
    soundfile.write(whole, np.zeros(1000), 24000)
    (folder / "cut.wav").write_bytes(whole.read_bytes()[:30])
    os.mkfifo(folder / "pipe.wav")
    return {
        "No such file": folder / "missing.wav",
        "File name too long": folder / ("x" * 300 + ".wav"),
        "a pipe, not a file": folder / "pipe.wav",
        "Could not determine home directory": Path("~nobody-has-this-name/question.wav"),
        "a folder, not a file": folder,
        "not a sound file that can be read": folder / "text.wav",
        "0 bytes long": folder / "empty.wav",
        "not a sound file": folder / "noise.raw",
        "without any sound": folder / "silent.wav",
        "its rate of 10 Hz": folder / "slow.wav",
        "not a sound file that": folder / "cut.wav",
    }


def test_a_bad_file_is_one_line_that_names_the_parameter_and_the_value(tmp_path: Path) -> None:
    for why, path in bad_files(tmp_path).items():
        with pytest.raises(FileError) as error:
            FileSource(str(path))
        line = str(error.value)
        assert line.startswith(f"file = {str(path)!r}: "), line
        assert why in line
        assert "give" in line.rsplit(";", maxsplit=1)[-1]
        assert "\n" not in line


def test_no_file_named_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"^file = '': no file is named"):
        FileSource("")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("missing/reply.wav", "the folder .* does not exist; make it or give another"),
        ("reply.mp3", "the ending must be .wav or .flac"),
        ("", "the ending must be"),
        ("taken.wav", "cannot be written"),
    ],
)
def test_a_place_that_does_not_do_is_one_line(tmp_path: Path, name: str, why: str) -> None:
    (tmp_path / "taken.wav").mkdir()
    with pytest.raises(FileError, match=why) as error:
        FileSink(str(tmp_path / name) if name else "")
    assert str(error.value).startswith("file = ")
    assert "\n" not in str(error.value)


def test_a_place_in_an_unknown_home_is_one_line() -> None:
    with pytest.raises(FileError, match=r"^file = '~nobody-has-this-name/a.wav': cannot be written \(Could not .*home"):
        FileSink("~nobody-has-this-name/a.wav")


def test_a_folder_with_too_long_a_name_is_one_line() -> None:
    with pytest.raises(FileError, match=r"cannot be written \(File name too long\); give another path$"):
        FileSink(f"/{'x' * 300}/a.wav")


def test_a_folder_that_takes_no_files_is_one_line() -> None:
    # /proc refuses everybody, root too.
    with pytest.raises(FileError, match=r"^file = '/proc/reply.wav': cannot be written .*; give another path$"):
        FileSink("/proc/reply.wav")
