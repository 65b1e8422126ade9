"""``kame verify``: replays a recorded run of the model on this machine's device."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from kame_ros.app.error import KameError, UsageError
from kame_ros.models.errors import CheckpointError


class _Options(argparse.ArgumentParser):
    """argparse whose complaints are ours."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"verify: {message}; see kame verify --help")


def verify(words: Sequence[str]) -> int:
    """Print whether the run in the folder is matched; return the exit code, 0 if it is and 1 if not.

    Raises:
        KameError: there is no such run, device or number format, or no torch.
    """
    chosen = options().parse_args(words)
    if chosen.tolerance is not None and not chosen.tolerance >= 0:
        raise UsageError(f"--tolerance = {chosen.tolerance}: must be 0 or more")
    if not 1 <= chosen.slots <= 64:
        raise UsageError(f"--slots = {chosen.slots}: must be 1 to 64")
    try:
        # torch is not installed for the cascade.
        from kame_ros.frontend.tandem.verify import verify as replay  # noqa: PLC0415
    except ImportError as error:
        raise KameError(f"verify: {error}; pip install '.[tandem]'") from error
    try:
        verdict = replay(chosen.folder, chosen.device, chosen.dtype, chosen.tolerance, chosen.slots)
    except CheckpointError as error:
        raise KameError(f"verify: {error}") from error
    print(verdict.line)
    return 0 if verdict.match else 1


def options() -> argparse.ArgumentParser:
    """Return what can be given."""
    parser = _Options(
        "kame verify",
        description="Replay a recorded run of the language model on this machine, and say whether it is matched.",
        epilog="Ends with 0 when it is, with 1 when not. In float32 all tokens must be equal; in another number format "
        "the recorded tokens are fed, and the text logits must be within the tolerance.",
    )
    parser.add_argument("folder", type=Path, help="holds config.json and fixture.safetensors of the run")
    parser.add_argument("--device", default="auto", help="auto (the first GPU, or cpu), cuda, cuda:N or cpu")
    parser.add_argument("--dtype", default="float32", help="float32, bfloat16, float16 or auto (the device's best)")
    parser.add_argument("--tolerance", type=float, help="largest difference of a text logit that passes")
    parser.add_argument("--slots", type=int, default=3, help="replay it in a batch of this many too, beside another")
    return parser
