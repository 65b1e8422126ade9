"""Sound files: any WAV or FLAC file as 24 kHz mono, and 24 kHz mono as one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import soundfile

from kame_ros.audio.error import FileError
from kame_ros.audio.pcm import SAMPLE_RATE_HZ, Pcm, to_int16, to_mono
from kame_ros.audio.resampling import HIGHEST_HZ, LOWEST_HZ, Resampler

_READ_S = 0.02  # as a frame, so that no frame waits for the decoding of several


class FileSource:
    """Reads a sound file of any rate, channels and encoding, piece by piece: its length costs no memory. One thread."""

    def __init__(self, file: str, channel: int = 0) -> None:
        """Open ``file``; ``channel``, from 1, is the one that is heard, 0: the mix of all.

        Raises:
            FileError: it is no sound file, or holds no sound or not that channel.
        """
        path = _readable(file)
        try:
            self._file = soundfile.SoundFile(str(path))
        except (soundfile.SoundFileError, TypeError) as error:  # TypeError: a .raw file, which has no header
            raise FileError(f"file = {file!r}: not a sound file that can be read; give a WAV or FLAC file") from error
        self.rate_hz: int = self._file.samplerate
        channels: int = self._file.channels
        if fault := _fault(self._file.frames, self.rate_hz):
            self._file.close()
            raise FileError(f"file = {file!r}: {fault}; give another file")
        if channel > channels:
            self._file.close()
            raise FileError(
                f"channel = {channel}: file {file!r} has {channels}; give one from 1 on, or 0 for their mix"
            )
        self.on_all: Callable[[int, Pcm], None] | None = None
        """Is given each piece before its channel is chosen: its first frame, and frames x channels, 2-D int16."""
        self._name = file
        self._channel = channel
        self._resampler = Resampler(self.rate_hz, SAMPLE_RATE_HZ)
        self._read_frames = max(1, round(self.rate_hz * _READ_S))
        self._next_frame = 0
        self._ready: Pcm = np.zeros(0, np.int16)
        self._ended = False
        self.description = f"{self.rate_hz} Hz, {channels} channels, {self._file.subtype}"

    def take(self, count: int) -> Pcm:
        """Return the next ``count`` samples (1-D int16, 24 kHz, mono); fewer at the file's end, then none."""
        pieces, there = [self._ready], len(self._ready)
        while there < count and not self._ended:
            piece = self._next_piece()
            pieces.append(piece)
            there += len(piece)
        joined = np.concatenate(pieces)
        self._ready = joined[count:].copy()
        return joined[:count]

    def _next_piece(self) -> Pcm:
        try:
            frames = self._file.read(self._read_frames, dtype="float32", always_2d=True)
        except soundfile.SoundFileError as error:
            raise FileError(f"file = {self._name!r}: reading stopped, the file is damaged ({error})") from error
        if len(frames):
            frames = np.clip(np.nan_to_num(frames), -1.0, 1.0)
            if self.on_all:
                self.on_all(self._next_frame, to_int16(frames))
            self._next_frame += len(frames)
            return to_int16(self._resampler.push(frames[:, self._channel - 1] if self._channel else to_mono(frames)))
        self._ended = True
        return to_int16(self._resampler.flush())

    def close(self) -> None:
        """Close the file; again does nothing."""
        self._file.close()


def _fault(frames: int, rate_hz: int) -> str:
    if not frames:
        return "a sound file without any sound"
    return "" if LOWEST_HZ <= rate_hz <= HIGHEST_HZ else f"its rate of {rate_hz} Hz is not sound"


def _readable(file: str) -> Path:
    fault = ""
    try:
        path = Path(file).expanduser()
        if not file:
            fault = "no file is named; give a WAV or FLAC file, or another source"
        elif path.is_dir():
            fault = "a folder, not a file; give a WAV or FLAC file"
        elif path.is_fifo():
            fault = "a pipe, not a file; give a WAV or FLAC file"
        else:
            with path.open("rb") as stream:
                if not stream.read(1):
                    fault = "0 bytes long; give a WAV or FLAC file with sound in it"
    except (OSError, RuntimeError) as error:  # RuntimeError: a home that is unknown
        raise FileError(f"file = {file!r}: {_reason(error)}; give the path of a WAV or FLAC file") from error
    if fault:
        raise FileError(f"file = {file!r}: {fault}")
    return path


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error).rstrip(".")


class FileSink:
    """Writes 24 kHz mono int16 into a WAV or FLAC file, by its ending; an old file is replaced. One thread."""

    def __init__(self, file: str) -> None:
        """Open ``file`` for writing; raise `FileError` when the place or the ending does not do."""
        try:
            path = Path(file).expanduser()
            if path.suffix.lower() not in (".wav", ".flac"):
                raise FileError(f"file = {file!r}: the ending must be .wav or .flac")
            if not path.parent.is_dir():
                folder = str(path.parent)
                raise FileError(f"file = {file!r}: the folder {folder!r} does not exist; make it or give another")
            path.open("wb").close()
            self._file = soundfile.SoundFile(str(path), "w", SAMPLE_RATE_HZ, 1, "PCM_16")
        except (OSError, RuntimeError, soundfile.SoundFileError) as error:  # RuntimeError: a home that is unknown
            raise FileError(f"file = {file!r}: cannot be written ({_reason(error)}); give another path") from error
        self._name = file

    def write(self, samples: Pcm) -> None:
        """Append ``samples`` (1-D int16); raise `FileError` when the disk takes no more."""
        try:
            self._file.write(samples)
        except soundfile.SoundFileError as error:
            raise FileError(
                f"file = {self._name!r}: writing failed ({error}); free the disk or give another"
            ) from error

    def close(self) -> None:
        """Finish the file; again does nothing."""
        self._file.close()
