"""Sound files: any WAV or FLAC file as 24 kHz mono, and 24 kHz mono as one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import soundfile

from kame_ros.audio.error import FileError
from kame_ros.audio.pcm import SAMPLE_RATE_HZ, Pcm, to_int16, to_mono
from kame_ros.audio.resampling import HIGHEST_HZ, LOWEST_HZ, Resampler

_READ_S = 0.02  # as a frame, so that no frame waits for the decoding of several


class FileSource:
    """Reads a sound file of any rate, channels and encoding, piece by piece: its length costs no memory. One thread."""

    def __init__(self, file: str) -> None:
        """Open ``file``; raise `FileError` when it is no sound file or holds no sound."""
        path = Path(file).expanduser()
        _check_readable(file, path)
        try:
            self._file = soundfile.SoundFile(str(path))
        except (soundfile.SoundFileError, TypeError) as error:  # TypeError: a .raw file, which has no header
            raise FileError(f"file = {file!r}: not a sound file that can be read; give a WAV or FLAC file") from error
        rate = self._file.samplerate
        if not self._file.frames or not LOWEST_HZ <= rate <= HIGHEST_HZ:
            fault = f"its rate of {rate} Hz is not sound" if self._file.frames else "a sound file without any sound"
            self._file.close()
            raise FileError(f"file = {file!r}: {fault}; give another file")
        self._name = file
        self._resampler = Resampler(rate, SAMPLE_RATE_HZ)
        self._read_frames = max(1, round(rate * _READ_S))
        self._ready: Pcm = np.zeros(0, np.int16)
        self._ended = False
        self.description = f"{rate} Hz, {self._file.channels} channels, {self._file.subtype}"

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
            return to_int16(self._resampler.push(np.clip(np.nan_to_num(to_mono(frames)), -1.0, 1.0)))
        self._ended = True
        return to_int16(self._resampler.flush())

    def close(self) -> None:
        """Close the file; again does nothing."""
        self._file.close()


def _check_readable(file: str, path: Path) -> None:
    fault = ""
    if not file:
        fault = "no file is named; give a WAV or FLAC file, or another source"
    elif path.is_dir():
        fault = "a folder, not a file; give a WAV or FLAC file"
    else:
        try:
            with path.open("rb") as stream:
                if not stream.read(1):
                    fault = "0 bytes long; give a WAV or FLAC file with sound in it"
        except OSError as error:
            fault = f"{error.strerror}; give the path of a WAV or FLAC file"
    if fault:
        raise FileError(f"file = {file!r}: {fault}")


class FileSink:
    """Writes 24 kHz mono int16 into a WAV or FLAC file, by its ending; an old file is replaced. One thread."""

    def __init__(self, file: str) -> None:
        """Open ``file`` for writing; raise `FileError` when the place or the ending does not do."""
        path = Path(file).expanduser()
        if path.suffix.lower() not in (".wav", ".flac"):
            raise FileError(f"file = {file!r}: the ending must be .wav or .flac")
        if not path.parent.is_dir():
            raise FileError(f"file = {file!r}: the folder {str(path.parent)!r} does not exist; make it or give another")
        try:
            path.open("wb").close()
            self._file = soundfile.SoundFile(str(path), "w", SAMPLE_RATE_HZ, 1, "PCM_16")
        except (OSError, soundfile.SoundFileError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            raise FileError(f"file = {file!r}: cannot be written ({why}); give another path") from error
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
