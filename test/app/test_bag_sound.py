from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile
from make_bag import write_bag

from kame_ros.app.bag_sound import is_bag, write_sound
from kame_ros.app.error import UsageError

SOUND = np.arange(4800, dtype=np.int16)


@pytest.mark.parametrize("storage", ["mcap", "sqlite3"])
def test_the_sound_of_one_robot_comes_out_as_it_was_with_silence_for_what_is_missing(
    storage: str, tmp_path: Path
) -> None:
    write_bag(tmp_path / "bag", {"/r1/mic/audio": SOUND, "/mic/audio": -SOUND}, left_out=range(2, 4), storage=storage)
    write_sound(tmp_path / "bag", "/r1", tmp_path / "out.wav")
    written, rate_hz = soundfile.read(tmp_path / "out.wav", dtype="int16")
    expected = SOUND.copy()
    expected[2 * 480 : 4 * 480] = 0
    assert rate_hz == 24_000
    assert np.array_equal(written, expected)


def test_a_bag_is_a_folder_or_one_of_its_files(tmp_path: Path) -> None:
    assert is_bag(tmp_path)
    assert is_bag(Path("talk_0.mcap"))
    assert not is_bag(Path("talk.wav"))


def test_what_is_not_there_is_said_in_one_line(tmp_path: Path) -> None:
    write_bag(tmp_path / "bag", {"/r1/mic/audio": SOUND})
    with pytest.raises(UsageError, match="AudioFrame on /r2/mic/audio, but on /r1/mic/audio") as missing:
        write_sound(tmp_path / "bag", "/r2", tmp_path / "out.wav")
    (tmp_path / "broken.mcap").write_bytes(b"not a bag")
    with pytest.raises(UsageError, match="broken") as broken:
        write_sound(tmp_path / "broken.mcap", "/r1", tmp_path / "out.wav")
    with pytest.raises(UsageError, match="nowhere"):
        write_sound(tmp_path / "nowhere", "/r1", tmp_path / "out.wav")
    assert "\n" not in f"{missing.value}{broken.value}"
