"""The language model for several slots at once, against the recorded reference run of one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the tandem's tests need torch and moshi")
pytest.importorskip("moshi", reason="the tandem's tests need torch and moshi")

from kame_ros.frontend.tandem.lm_step import LmStep  # noqa: E402
from kame_ros.frontend.tandem.sampling import Sampling  # noqa: E402
from kame_ros.models.step_graph import StepGraph  # noqa: E402

pytestmark = pytest.mark.usefixtures("uncompiled")

Tensors = dict[str, Any]
Load = Callable[..., Any]
GREEDY = Sampling(greedy=True)


def steps_of(tensors: Tensors) -> list[tuple[Any, int]]:
    """Return the user's codes ``[8]`` and the oracle token of each step."""
    return list(zip(tensors["user_codes"][0].T, tensors["oracle_tokens_per_step"][0].tolist(), strict=True))


def play(lm: LmStep, plan: list[list[tuple[Any, int] | None]]) -> Any:
    """Step ``lm`` with what every slot gets, None for one that does not run; return ``[steps, slots, 9]``."""
    slots = len(lm.running)
    codes = torch.zeros(slots, 8, 1, dtype=torch.int64)
    said = torch.zeros(slots, 9, dtype=torch.int64)
    graph = StepGraph(lambda: said.copy_(lm(codes)[:, :, 0]), lm.states, torch.device("cpu"))
    out = []
    for line in plan:
        for slot, given in enumerate(line):
            lm.running[slot] = given is not None
            if given is not None:
                codes[slot, :, 0] = given[0]
                lm.oracle_tokens[slot] = given[1]
        with torch.no_grad():
            graph()
        out.append(said.clone())
    return torch.stack(out)


def test_a_slot_says_the_same_beside_two_others(reference_lm: Load, reference_tensors: Tensors) -> None:
    reference = steps_of(reference_tensors)
    other = [(codes.flip(0), 7) for codes, _ in reversed(reference)]
    said = play(LmStep(reference_lm(), 3, GREEDY), [[one, two, one] for one, two in zip(reference, other, strict=True)])
    expected = reference_tensors["expected_tokens"][0].T
    assert torch.equal(said[1:, 0], expected)
    assert torch.equal(said[1:, 2], expected)
    assert not torch.equal(said[1:, 1], expected)


def test_logits_beside_two_others_are_those_of_the_reference(reference_lm: Load, reference_tensors: Tensors) -> None:
    logits: list[Any] = []
    lm = LmStep(reference_lm(), 3, GREEDY, on_text_logits=lambda row: logits.append(row[:, 0, 0].clone()))
    play(lm, [[one, None, one] for one in steps_of(reference_tensors)])
    found = torch.stack(logits)
    expected = reference_tensors["expected_text_logits"][0]
    assert torch.max(torch.abs(found[:, 0] - expected)) < 1e-5
    assert torch.max(torch.abs(found[:, 2] - expected)) < 1e-5


def test_joining_late_pausing_and_leaving_disturb_nobody(reference_lm: Load, reference_tensors: Tensors) -> None:
    reference = steps_of(reference_tensors)
    lm = LmStep(reference_lm(), 3, GREEDY)
    # Slot 0 from the start; slot 1 joins at step 11 and pauses at every third; slot 2 never runs.
    plan: list[list[tuple[Any, int] | None]] = [[one, None, None] for one in reference]
    behind = iter(reference)
    for step in range(11, len(plan)):
        plan[step][1] = None if step % 3 == 0 else next(behind)
    said = play(lm, plan)
    expected = reference_tensors["expected_tokens"][0].T
    assert torch.equal(said[1:, 0], expected)
    ran = [step for step, line in enumerate(plan) if line[1] is not None]
    assert torch.equal(said[ran[1:], 1], expected[: len(ran) - 1])
    assert (said[:, 2] == lm.nothing_yet).all()
    assert (said[ran[0], 1] == lm.nothing_yet).all()


def test_a_reset_slot_is_as_new_and_the_others_go_on(reference_lm: Load, reference_tensors: Tensors) -> None:
    reference = steps_of(reference_tensors)
    lm = LmStep(reference_lm(), 2, GREEDY)
    half = len(reference) // 2  # in the middle of the second oracle
    first = play(lm, [[one, one] for one in reference[:half]])
    lm.reset(1)
    second = play(lm, [[one, two] for one, two in zip(reference[half:], reference, strict=False)])
    expected = reference_tensors["expected_tokens"][0].T
    assert torch.equal(torch.cat([first, second])[1:, 0], expected)
    assert torch.equal(second[1:, 1], expected[: len(second) - 1])


def test_no_tensor_of_the_memory_changes_its_address(reference_lm: Load, reference_tensors: Tensors) -> None:
    lm = LmStep(reference_lm(), 1, GREEDY)

    def addresses() -> list[tuple[str, int]]:
        return [
            (name, value.data_ptr())
            for state in lm.states
            for name, value in vars(state).items()
            if isinstance(value, torch.Tensor)
        ]

    before = addresses()
    assert len(before) > 10
    play(lm, [[one] for one in steps_of(reference_tensors)[:4]])
    assert addresses() == before
