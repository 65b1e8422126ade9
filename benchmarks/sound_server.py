"""A real sound server with virtual devices, for tests and measurements on machines without a sound card.

PulseAudio of its own, in a folder of its own: neither the user's server nor the user's settings are touched. What is
played into the sink `INTO_MICROPHONE` is heard by the source `MICROPHONE`; what a program plays on the sink
`LOUDSPEAKER` can be recorded.
"""

from __future__ import annotations

import importlib.util
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

RATE_HZ = 24_000
INTO_MICROPHONE = "virt_mic_in"
MICROPHONE = "mic"
LOUDSPEAKER = "spk"

_PROGRAMS = ("pulseaudio", "pactl", "pacat", "parec")
_BOTH_ENDS = "both_ends"
_START_S = 15.0
_END_S = 5.0
_LOOK_S = 0.05

Pcm = NDArray[np.int16]


class SoundServerError(Exception):
    """The sound server does not start or refuses something: one line with what it said."""


def missing() -> str:
    """Return what keeps a sound server with PyAudio from running here, and how to get it; empty: nothing does."""
    absent = [program for program in _PROGRAMS if shutil.which(program) is None]
    if absent:
        return f"no {', '.join(absent)}: apt install pulseaudio pulseaudio-utils"
    if not any(Path("/usr/lib").glob("*/alsa-lib/libasound_module_pcm_pulse.so")):
        return "no way from PortAudio to PulseAudio: apt install libasound2-plugins"
    if importlib.util.find_spec("pyaudio") is None:
        return "no PyAudio: apt install portaudio19-dev and pip install -r requirements/device.txt"
    return ""


class Recording:
    """What a loudspeaker plays, from the moment this is made until `stop`; used by one thread."""

    def __init__(self, process: subprocess.Popen[bytes], file: Path) -> None:
        """Take the recorder, which writes int16 mono to ``file``."""
        self._process = process
        self._file = file

    @property
    def length(self) -> int:
        """Samples recorded so far."""
        return self._file.stat().st_size // 2

    def so_far(self) -> Pcm:
        """Return what has been recorded, 1-D int16."""
        data = self._file.read_bytes()
        return np.frombuffer(data[: len(data) // 2 * 2], np.int16)

    def stop(self) -> Pcm:
        """End the recording and return it, 1-D int16; again returns the same."""
        self.end()
        return self.so_far()

    def end(self) -> None:
        """End the recording; again does nothing."""
        _end(self._process)


class SoundServer:
    """The running server; `environment` leads PyAudio and PulseAudio's own tools of a process there. One thread."""

    def __init__(self, folder: Path, rate_hz: int = RATE_HZ, channels: int = 1) -> None:
        """Start the server with its files in ``folder``; its devices have ``rate_hz`` and ``channels``.

        Raises:
            SoundServerError: it did not start within 15 s.
        """
        self.rate_hz = rate_hz
        self.channels = channels
        self._folder = folder
        self._recordings: list[Recording] = []
        self._players: list[subprocess.Popen[bytes]] = []
        self._orders = folder / "orders.sock"
        address = folder / "pulse.sock"
        state = {f"PULSE_{name}_PATH": str(folder / name.lower()) for name in ("RUNTIME", "STATE")}
        # By name, or PulseAudio would give another one while ours is unplugged.
        names = {"PULSE_SOURCE": MICROPHONE, "PULSE_SINK": LOUDSPEAKER}
        self.environment = {"XDG_RUNTIME_DIR": str(folder), "PULSE_SERVER": f"unix:{address}", **names, **state}
        """What a process needs to find this server and its microphone and loudspeaker."""
        # With rewinds an idle sink sleeps for 2 s at a time, and who begins to listen hears nothing until it wakes.
        form = f"rate={rate_hz} channels={channels} format=s16le norewinds=1"
        modules = (
            f"module-native-protocol-unix socket={address} auth-anonymous=1",
            f"module-cli-protocol-unix socket={self._orders}",
            f"module-null-sink sink_name={INTO_MICROPHONE} {form}",
            f"module-remap-source master={INTO_MICROPHONE}.monitor source_name={MICROPHONE}",
            f"module-null-sink sink_name={LOUDSPEAKER} {form}",
        )
        command = ["pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1", "--realtime=no"]
        command += ["--high-priority=no", *(word for module in modules for word in ("-L", module))]
        self._log = folder / "pulseaudio.log"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(command, env=self._environment(), stdout=log, stderr=log)
        try:
            self._wait_for_start()
            self.control("set-default-sink", LOUDSPEAKER)
            self.control("set-default-source", MICROPHONE)
        except SoundServerError:
            self.close()
            raise

    def _environment(self) -> dict[str, str]:
        # PulseAudio keeps a cookie below HOME, and asks neither the session bus nor a display when there is none.
        return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self._folder), "LC_ALL": "C", **self.environment}

    def _wait_for_start(self) -> None:
        end_s = time.monotonic() + _START_S
        while self._process.poll() is None and time.monotonic() < end_s:
            try:
                self.control("info")
            except SoundServerError:
                time.sleep(_LOOK_S)
            else:
                return
        said = self._log.read_text(errors="replace").strip().splitlines()
        raise SoundServerError(f"pulseaudio does not start: {said[-1] if said else 'it said nothing'}")

    def control(self, *words: str) -> str:
        """Return what ``pactl`` answers to ``words``; raise `SoundServerError` when it refuses."""
        done = subprocess.run(["pactl", *words], env=self._environment(), capture_output=True, text=True, check=False)
        if done.returncode:
            raise SoundServerError(f"pactl {' '.join(words)}: {done.stderr.strip() or done.returncode}")
        return done.stdout.strip()

    def load(self, module: str, **arguments: object) -> int:
        """Load a module, such as ``module-loopback`` as the way from the loudspeaker to the microphone."""
        return int(self.control("load-module", module, *(f"{name}={value}" for name, value in arguments.items())))

    def unload(self, module: int) -> None:
        """Unload what `load` returned."""
        self.control("unload-module", str(module))

    def echo(self, delay_ms: int) -> int:
        """Let the microphone hear the loudspeaker after ``delay_ms``; return the module, to `unload` it."""
        return self.load(
            "module-loopback",
            source=f"{LOUDSPEAKER}.monitor",
            sink=INTO_MICROPHONE,
            latency_msec=delay_ms,
            adjust_time=0,
        )

    def unplug_microphone(self) -> None:
        """Take the microphone away, also from the programs that listen to it.

        PulseAudio itself would move them to another source, a loudspeaker's monitor at worst, and they would not know.
        """
        source = next((fields[0] for fields in self._listed("sources") if fields[1] == MICROPHONE), "")
        outputs = [fields[0] for fields in self._listed("source-outputs") if fields[1] == source]
        self.unload(self._module_of("module-remap-source", f"source_name={MICROPHONE}"))
        with socket.socket(socket.AF_UNIX) as orders:
            orders.connect(str(self._orders))
            orders.sendall("".join(f"kill-source-output {output}\n" for output in outputs).encode())
            orders.shutdown(socket.SHUT_WR)
            while orders.recv(4096):  # until it has carried them out
                pass

    def plug_microphone(self) -> None:
        """Bring the microphone back, as the default."""
        self.load("module-remap-source", master=f"{INTO_MICROPHONE}.monitor", source_name=MICROPHONE)
        self.control("set-default-source", MICROPHONE)

    def hang(self) -> None:
        """Answer nobody and play nothing any more, as a server does that is stuck, until `go_on`."""
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Go on after `hang`; without one it does nothing."""
        self._process.send_signal(signal.SIGCONT)

    def _module_of(self, module: str, argument: str) -> int:
        for number, name, *arguments in self._listed("modules"):
            if name == module and argument in " ".join(arguments).split():
                return int(number)
        raise SoundServerError(f"no {module} with {argument} is loaded")

    def _listed(self, what: str) -> list[list[str]]:
        return [line.split("\t") for line in self.control("list", "short", what).splitlines()]

    def speak(self, samples: Pcm, *, device: str = INTO_MICROPHONE, wait: bool = True) -> None:
        """Play ``samples`` (1-D int16, mono, at the server's rate) into the microphone, or on another ``device``.

        Return when it is over, or at once without ``wait``.
        """
        # As much ahead as a busy machine needs: what is late here would be blamed on the microphone.
        words = [f"--rate={self.rate_hz}", "--channels=1", "--format=s16le", "--raw", "--latency-msec=300"]
        command = ["pacat", "--playback", f"--device={device}", *words]
        file = self._folder / f"speak{len(self._players)}.raw"
        file.write_bytes(samples.astype(np.int16).tobytes())
        with file.open("rb") as sound:
            player = subprocess.Popen(command, env=self._environment(), stdin=sound, stderr=subprocess.DEVNULL)
        self._players.append(player)
        if wait and player.wait():
            raise SoundServerError(f"pacat ended with {player.returncode}")

    def record(self, source: str = f"{LOUDSPEAKER}.monitor") -> Recording:
        """Begin to record the loudspeaker, or another ``source``, at the server's rate; mono."""
        words = [f"--rate={self.rate_hz}", "--channels=1", "--format=s16le", "--raw", "--latency-msec=20"]
        file = self._folder / f"record{len(self._recordings)}.raw"
        with file.open("wb") as sound:
            command = ["parec", f"--device={source}", *words]
            recorder = subprocess.Popen(command, env=self._environment(), stdout=sound, stderr=subprocess.DEVNULL)
        recording = Recording(recorder, file)
        self._recordings.append(recording)
        end_s = time.monotonic() + _START_S
        while not recording.length and recorder.poll() is None and time.monotonic() < end_s:
            time.sleep(_LOOK_S)
        if not recording.length:
            raise SoundServerError(f"parec gives nothing of {source}")
        return recording

    @contextmanager
    def recording_both_ends(self) -> Iterator[Recording]:
        """Record what goes into the microphone and what the loudspeaker plays, mixed, each as late as the other.

        Two of PulseAudio's loopbacks of 30 ms or more differ by 0.2 ms at most.
        """
        sources = (f"{INTO_MICROPHONE}.monitor", f"{LOUDSPEAKER}.monitor")
        form = {"rate": self.rate_hz, "channels": 1, "format": "s16le", "norewinds": 1}
        modules = [self.load("module-null-sink", sink_name=_BOTH_ENDS, **form)]
        for source in sources:
            loopback = {"source": source, "sink": _BOTH_ENDS, "latency_msec": 30, "adjust_time": 0}
            modules.append(self.load("module-loopback", **loopback))
        recording = self.record(f"{_BOTH_ENDS}.monitor")
        try:
            yield recording
        finally:
            recording.end()
            for module in reversed(modules):
                self.unload(module)

    def close(self) -> None:
        """End every recording and the server; again does nothing."""
        for recording in self._recordings:
            recording.end()
        for player in self._players:
            _end(player)
        self.go_on()
        _end(self._process)


def _end(process: subprocess.Popen[Any]) -> None:
    if process.poll() is None:
        process.terminate()
    try:
        process.wait(_END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def serving(rate_hz: int = RATE_HZ, channels: int = 1) -> Iterator[SoundServer]:
    """Run a sound server, and end it and remove its files afterwards."""
    with tempfile.TemporaryDirectory(prefix="kame-sound-") as folder:
        server = SoundServer(Path(folder), rate_hz, channels)
        try:
            yield server
        finally:
            server.close()
