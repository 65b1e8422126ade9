"""The frontends whose speech comes from a checkpoint: KAME's (tandem) or Moshi's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec

from kame_ros.frontend.inputs import InterruptRule
from kame_ros.frontend.outputs import Output
from kame_ros.frontend.tandem.backlog import MOST_STEPS
from kame_ros.frontend.tandem.conversation import Conversation
from kame_ros.frontend.tandem.engine import Engine
from kame_ros.frontend.tandem.sampling import Sampling
from kame_ros.frontend.tandem.step_maker import Model
from kame_ros.models.checkpoint_files import find_checkpoint, is_local
from kame_ros.models.errors import CheckpointError

_NEEDED = ("torch", "moshi", "safetensors", "sentencepiece")


@dataclass(frozen=True)
class TandemSettings:
    """What the node's parameters say."""

    kind: str
    """tandem, or moshi, which has no use for an oracle."""
    checkpoint: str
    revision: str = ""
    device: str = "auto"
    dtype: str = "auto"
    context: int | None = None
    """Steps that the model looks back; None: the checkpoint's own."""
    slots: int = 1
    most_steps: int = MOST_STEPS
    """Sound of one session that may wait for the model."""
    hold_s: float = 0.5
    """Quiet of the model after an interruption, before its sound goes out again."""
    rule: InterruptRule = InterruptRule.BACKCHANNEL_SAFE
    sampling: Sampling = field(default_factory=Sampling)


class TandemFrontend(Engine):
    """A `Frontend` that loads the model which its settings name."""

    def __init__(self, settings: TandemSettings) -> None:
        """Take the settings; nothing is looked at or loaded before `start`."""
        super().__init__(partial(_load, settings), settings.slots, settings.most_steps, settings.rule)
        self._settings = settings

    def start(self, emit: Callable[[Output], None]) -> None:
        """Look for what needs no download, and begin to load.

        Raises:
            CheckpointError: torch or the folder is not there, or lacks a file.
        """
        settings = self._settings
        missing = [name for name in _NEEDED if find_spec(name) is None]
        if missing:
            raise CheckpointError(
                f"frontend = {settings.kind}: {missing[0]} is not installed; pip install '.[tandem]', or set cascade"
            )
        if is_local(settings.checkpoint):
            find_checkpoint(settings.checkpoint, settings.revision)
        super().start(emit)


def _load(settings: TandemSettings) -> Model:
    """Load the model; in the thread that will step it."""
    # Only here: a machine without torch runs the cascade.
    from kame_ros.frontend.tandem.checkpoint import load_checkpoint  # noqa: PLC0415
    from kame_ros.frontend.tandem.stepper import Stepper  # noqa: PLC0415
    from kame_ros.models.device import choose_device, choose_dtype, settle  # noqa: PLC0415

    device = choose_device(settings.device, "device", "frontend to cascade")
    settle(device)
    dtype = choose_dtype(settings.dtype, device)
    files = find_checkpoint(settings.checkpoint, settings.revision)
    loaded = load_checkpoint(files, device, dtype, settings.context, settings.slots)
    has_oracle = loaded.lm.oracle_emb is not None
    wants_oracle = settings.kind == "tandem"

    def converse(session: int, rule: InterruptRule) -> Conversation:
        uses_oracle = wants_oracle and has_oracle
        return Conversation(session, loaded.tokenizer, loaded.ids, rule, settings.hold_s, uses_oracle=uses_oracle)

    less = "" if has_oracle or not wants_oracle else "; it has no oracle table, so it runs as plain Moshi"
    return Model(
        Stepper(loaded.lm, loaded.mimi, settings.slots, settings.sampling),
        converse,
        int(loaded.lm.context),
        f"{settings.kind} {files.name} on {device}, {str(dtype).removeprefix('torch.')}{less}",
        best=not less,
    )
