"""Whether this machine's device and number format say what a recorded run of the model says."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from kame_ros.frontend.tandem.checkpoint import build_lm
from kame_ros.frontend.tandem.lm_step import LmStep
from kame_ros.frontend.tandem.model import KameModel
from kame_ros.frontend.tandem.recording import WEIGHTS, Numbers, Recording, read_recording
from kame_ros.frontend.tandem.sampling import Sampling
from kame_ros.models.device import choose_device, choose_dtype, settle
from kame_ros.models.errors import CheckpointError
from kame_ros.models.step_graph import StepGraph
from kame_ros.models.weights import fill

# In float32 another order of the sums is all that differs.
LOGIT_TOLERANCE = {torch.bfloat16: 0.25, torch.float16: 0.03}
_BESIDE = 1  # the slot that another talk is in, when there are several


@dataclass(frozen=True)
class Verdict:
    """Whether the recorded run was matched, and one line that says how well."""

    match: bool
    line: str


@dataclass(frozen=True)
class _Replay:
    tokens: Numbers
    """``[slots, steps, 9]``, as the model chose them."""
    text_logits: npt.NDArray[np.float32]
    """``[slots, steps, text_card]``."""
    reason: str
    """Why the step was not one CUDA graph."""


def verify(folder: Path, device: str, dtype: str, tolerance: float | None = None, slots: int = 3) -> Verdict:
    """Replay the run in ``folder`` alone and, with 3 ``slots`` or more, beside another talk in the same batch.

    In float32 (without TF32) all tokens must be equal, and the text logits within ``tolerance`` if one is given. In
    another ``dtype`` a token may tip over and change everything after it, so the recorded tokens are fed, and the
    logits must be within ``tolerance``.

    Raises:
        CheckpointError: the folder holds no such run, or there is no such device.
    """
    recording = read_recording(folder)
    place = choose_device(
        "cpu" if device == "auto" and not torch.cuda.is_available() else device, "--device", "leave it out"
    )
    settle(place)
    number = choose_dtype(dtype, place)
    lm = build_lm(recording.lm_arguments, number, recording.oracle)
    _check_range(recording, lm)
    fill(lm, recording.weights, place, number, prefix=WEIGHTS)
    torch.set_float32_matmul_precision("highest")  # no TF32
    exact = number is torch.float32
    limit = tolerance if exact or tolerance is not None else LOGIT_TOLERANCE[number]
    verdict = Verdict(False, "")
    for batch in sorted({1, slots}):
        replay = _replay(lm, recording, batch, forced=not exact)
        where = f"{place}, {str(number).removeprefix('torch.')}, {'alone' if batch == 1 else f'in a batch of {batch}'}"
        if place.type == "cuda":
            where += f", {f'not one CUDA graph: {replay.reason}' if replay.reason else 'one CUDA graph'}"
        verdict = _judge(recording, replay, where, limit, exact)
        if not verdict.match:
            break
    return verdict


def _check_range(recording: Recording, lm: KameModel) -> None:
    """Refuse ids that the model has no row for: on a GPU they would end the process's use of it."""
    for name, numbers, most in (
        ("user_codes", recording.user_codes, lm.card),
        ("oracle_tokens_per_step", recording.oracle_tokens, lm.text_card),
        ("expected_tokens (text)", recording.tokens[:, 0], lm.text_card),
        ("expected_tokens (audio)", recording.tokens[:, 1:], lm.card),
    ):
        wrong = numbers[(numbers < 0) | (numbers > most)]
        if len(wrong):
            raise CheckpointError(f"{recording.weights}: {name} holds {wrong[0]}; must be 0 to {most}")


def _judge(recording: Recording, replay: _Replay, where: str, limit: float | None, exact: bool) -> Verdict:
    """Judge the worst of the slots that had the recorded talk."""
    ours = [slot for slot in range(len(replay.tokens)) if slot != _BESIDE]
    off = np.abs(replay.text_logits[ours] - recording.text_logits).max(axis=(0, 2))
    said = recording.said()
    known = said >= 0
    other = ((replay.tokens[ours] != said) & known).any(axis=0)
    count, equal = int(known.sum()), int((known & ~other).sum())
    close = bool(off.max() <= (math.inf if limit is None else limit))  # a NaN is close to nothing
    within = f"text logits within {off.max():.2g}" + ("" if limit is None else f" (tolerance {limit:g})")
    if not exact:
        share = f"{within}, {equal / count:.1%} of {count} tokens equal"
        return Verdict(close, f"{'match' if close else 'no match'}: {share} ({where})")
    if not other.any():
        line = f"all {count} tokens of {len(said)} steps are equal, {within}"
        return Verdict(close, f"{'match' if close else 'no match'}: {line} ({where})")
    step, stream = (int(one) for one in np.argwhere(other)[0])
    slot = next(slot for slot in ours if replay.tokens[slot, step, stream] != said[step, stream])
    name = f"audio codebook {stream - 1}" if stream else "the text"
    return Verdict(
        False,
        f"no match: at step {step} {name} is {replay.tokens[slot, step, stream]} instead of {said[step, stream]}; text "
        f"logits are off by {off[step]:.2g} there, by {off[:step].max(initial=0):.2g} before ({where})",
    )


@torch.no_grad()
def _replay(lm: KameModel, recording: Recording, slots: int, forced: bool) -> _Replay:
    """Step ``lm`` through the recording in all slots but one, where the same sounds come in another order."""
    said = recording.said()
    steps, streams = said.shape
    place = lm.device
    codes = torch.zeros(slots, recording.user_codes.shape[1], 1, dtype=torch.int64, device=place)
    fed = torch.full((slots, streams), -1, dtype=torch.int64, device=place)
    chosen = torch.zeros_like(fed)
    logits = torch.zeros(slots, recording.text_logits.shape[1], device=place)

    def take_logits(row: torch.Tensor) -> None:
        logits.copy_(row[:, 0, 0])

    def take_text(tokens: torch.Tensor) -> None:
        chosen[:, 0] = tokens
        tokens.copy_(torch.where(fed[:, 0] < 0, tokens, fed[:, 0]))

    def take_audio(tokens: torch.Tensor) -> None:
        chosen[:, 1:] = tokens
        tokens.copy_(torch.where(fed[:, 1:] < 0, tokens, fed[:, 1:]))

    step_lm = LmStep(
        lm,
        slots,
        Sampling(greedy=True),
        on_text_logits=take_logits,
        on_text=take_text,
        on_audio=take_audio,
    )
    graph = StepGraph(lambda: step_lm(codes), step_lm.states, place)
    graph.warm_up()
    for slot in range(slots):
        step_lm.reset(slot)
    given = (recording.user_codes, recording.oracle_tokens, said)
    user, oracle, wanted = (torch.from_numpy(one).to(place) for one in given)
    tokens = np.zeros((slots, steps, streams), np.int64)
    text_logits = np.zeros((slots, steps, logits.shape[1]), np.float32)
    for step in range(steps):
        codes[:, :, 0] = user[step]
        step_lm.oracle_tokens[:, 0] = oracle[step]
        if forced:
            fed[:] = wanted[step]
        if slots > _BESIDE:
            codes[_BESIDE, :, 0] = user[-1 - step]
            step_lm.oracle_tokens[_BESIDE, 0] = oracle[-1 - step]
            fed[_BESIDE] = -1
        graph()
        tokens[:, step] = chosen.cpu().numpy()
        text_logits[:, step] = logits.cpu().numpy()
    step_lm.close()
    return _Replay(tokens, text_logits, graph.reason)
