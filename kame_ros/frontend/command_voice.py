"""Voices that are a command on the PATH: text in, a WAV file out, one process a clause."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from kame_ros.frontend.child import end_child, start_child
from kame_ros.frontend.errors import VoiceError
from kame_ros.frontend.inputs import Samples
from kame_ros.frontend.wav import take_wav

_SLOWEST_S = 10.0


class CommandVoice:
    """Speaks with a command that reads a text file and writes a WAV file."""

    def __init__(self, name: str, programs: Sequence[str], arguments: Callable[[str, str], list[str]]) -> None:
        """Use the first of ``programs`` that is installed; ``arguments`` makes its own from the paths of text and WAV.

        Raises:
            VoiceError: it is not installed.
        """
        self.name = name
        self._arguments = arguments
        program = next(filter(None, map(shutil.which, programs)), None)
        if program is None:
            raise VoiceError(f"voice {name}: {programs[0]} is not installed")
        self._program = program
        self._speaking = threading.Lock()
        self._lock = threading.Lock()  # for the two below
        self._process: subprocess.Popen[bytes] | None = None
        self._closing = False
        self._folder = tempfile.TemporaryDirectory(prefix=f"kame_{name}_")  # mode 0700

    def load(self) -> None:
        """See that it speaks."""
        self.speak("Ready.")

    def speak(self, text: str) -> Samples:
        """Return the sound of ``text``, see `Voice`."""
        with self._speaking:
            # By file and not as an argument: everybody on the machine can read arguments.
            text_path, wav_path = Path(self._folder.name, "text.txt"), Path(self._folder.name, "speech.wav")
            process = self._start(text, text_path, wav_path)
            try:
                _, said = process.communicate(timeout=_SLOWEST_S)
            except subprocess.TimeoutExpired as error:
                end_child(process)
                raise VoiceError(f"{self.name} gave no sound in {_SLOWEST_S:g} s") from error
            if process.returncode:
                last = said.decode(errors="replace").strip().rpartition("\n")[2]
                raise VoiceError(f"{self.name} ended with {process.returncode}: {last}")
            return take_wav(wav_path)

    def close(self) -> None:
        """Kill the command that runs, if any, and delete the folder."""
        with self._lock:
            self._closing = True
            if self._process:
                self._process.kill()
        with self._speaking:
            self._folder.cleanup()

    def _start(self, text: str, text_path: Path, wav_path: Path) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._closing:
                raise VoiceError(f"{self.name} is closed")
            text_path.write_text(text + "\n", encoding="utf-8")
            command = [self._program, *self._arguments(str(text_path), str(wav_path))]
            self._process = start_child(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
            return self._process
