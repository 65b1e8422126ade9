"""Whether there is a GPU that models can run on."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from importlib.util import find_spec

from kame_ros.app.checks.finding import Finding, State, Values, missing
from kame_ros.models.errors import CheckpointError

_LIMIT_S = 10.0
_QUERY = ("nvidia-smi", "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader")


def check(values: Values) -> Iterator[Finding]:
    """Ask the driver, and torch where it is installed."""
    needed = wanted_by(values)
    gpus = _gpus()
    if not gpus:
        yield missing(
            "GPU",
            "the driver's nvidia-smi tells of no NVIDIA GPU",
            "frontend cascade and transcriber moonshine need none; for the others install NVIDIA's driver",
            needed=needed,
        )
        return
    told = "; ".join(gpus)
    if find_spec("torch") is None:
        yield missing("GPU", f"{told}; torch is not installed", "pip install '.[tandem]'", needed=needed)
        return
    from kame_ros.models.device import choose_device  # noqa: PLC0415 (imports torch)

    try:
        device = choose_device("auto", "device", "take another frontend")
    except CheckpointError as error:
        yield missing("GPU", f"{told}; {error}", needed=needed)
    else:
        yield Finding("GPU", State.WORKS, f"{told}; torch takes {device}")


def wanted_by(values: Values) -> bool:
    """Return whether a model of the nodes, as they would be started, runs on a GPU."""
    frontend, bridge = values["frontend"], values["oracle_bridge"]
    model = frontend["frontend"] in ("tandem", "moshi") and frontend["device"] != "cpu"
    recogniser = bridge["transcriber"] == "kyutai" and bridge["transcriber_device"] != "cpu"
    return bool(model or recogniser)


def _gpus() -> list[str]:
    try:
        asked = subprocess.run(_QUERY, capture_output=True, text=True, timeout=_LIMIT_S, check=True)
    except (OSError, subprocess.SubprocessError):
        return []
    return [line.strip() for line in asked.stdout.splitlines() if line.strip()]
