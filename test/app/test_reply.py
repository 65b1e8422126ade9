from __future__ import annotations

from pathlib import Path

import numpy as np
import soundfile

from kame_ros.app.reply import Reply


def test_what_was_taken_in_pieces_is_in_the_file_whole(tmp_path: Path) -> None:
    sound = np.arange(-1000, 1000, dtype=np.int16)
    reply = Reply(tmp_path / "reply.wav")
    for piece in np.array_split(sound, 7):
        reply.take(piece)
    reply.close()
    reply.close()
    written, rate = soundfile.read(tmp_path / "reply.wav", dtype="int16")
    assert rate == 24_000
    assert np.array_equal(written, sound)


def test_a_reply_without_sound_is_a_sound_file_all_the_same(tmp_path: Path) -> None:
    Reply(tmp_path / "reply.wav").close()
    assert soundfile.info(tmp_path / "reply.wav").frames == 0
