"""The whole step: sound in, sound and text out, for several slots."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the tandem's tests need torch and moshi")
pytest.importorskip("moshi", reason="the tandem's tests need torch and moshi")

from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

from benchmarks.random_model import TINY_CODEC, random_codec  # noqa: E402
from kame_ros.frontend.tandem.sampling import Sampling  # noqa: E402
from kame_ros.frontend.tandem.stepper import Stepper  # noqa: E402
from kame_ros.models.step import STEP_SAMPLES  # noqa: E402

STEPS = 12
Load = Callable[..., Any]


@pytest.fixture
def make(reference_lm: Load) -> Callable[[int], Stepper]:
    """Give what builds a stepper from scratch, the same one every time."""

    def build(slots: int, *, greedy: bool = True) -> Stepper:
        torch.manual_seed(7)
        codec = random_codec(TINY_CODEC, torch.device("cpu"))
        for tensor in codec.state_dict().values():
            tensor.mul_(10)  # loud enough that what is heard makes a difference
        stepper = Stepper(reference_lm(), codec, slots, Sampling(greedy=greedy))
        stepper.warm_up()
        return stepper

    return build


def sound(seed: int) -> Any:
    """Return a talk's sound, ``[steps, 1920]`` int16."""
    return np.random.default_rng(seed).integers(-9000, 9000, (STEPS, STEP_SAMPLES), dtype=np.int16)


def talk(stepper: Stepper, slot: int, heard: Any, oracle: list[int], beside: Any = None) -> tuple[list[Any], Any]:
    """Play a talk in ``slot``, with another in all other slots when ``beside`` is given; return its text and sound."""
    text, said = [], []
    for step, block in enumerate(heard):
        given = np.zeros((stepper.slots, STEP_SAMPLES), np.int16)
        if beside is not None:
            given[:] = beside[step]
        given[slot] = block
        tokens = [11] * stepper.slots
        tokens[slot] = oracle[step] if step < len(oracle) else stepper.padding_id
        result = stepper.step(given, tokens, [beside is not None or one == slot for one in range(stepper.slots)])
        text.append(result.text_tokens[slot])
        said.append(result.sound[slot])
    return text, np.stack(said)


def test_two_sessions_in_a_row_are_two_fresh_ones(make: Callable[[int], Stepper]) -> None:
    unfinished = [128, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30]
    used = make(1)
    first = talk(used, 0, sound(1), unfinished)
    used.reset(0)
    second = talk(used, 0, sound(2), [])
    fresh = [talk(make(1), 0, sound(1), unfinished), talk(make(1), 0, sound(2), [])]
    for (text, said), (fresh_text, fresh_said) in zip((first, second), fresh, strict=True):
        assert text == fresh_text
        np.testing.assert_array_equal(said, fresh_said)
    assert first[0] != second[0]


def test_the_first_step_gives_silence_and_no_text(make: Callable[[int], Stepper]) -> None:
    text, said = talk(make(2), 1, sound(1), [])
    assert text[0] is None
    assert not said[0].any()
    assert all(isinstance(token, int) for token in text[1:])
    assert said[1:].any(axis=1).all()


def test_neighbours_change_nothing(make: Callable[[int], Stepper]) -> None:
    alone = talk(make(3), 1, sound(1), [128, 40, 41])
    accompanied = talk(make(3), 1, sound(1), [128, 40, 41], beside=sound(2))
    assert alone[0] == accompanied[0]
    np.testing.assert_allclose(alone[1], accompanied[1], atol=1e-6)


def test_int16_and_float_are_the_same_sound(make: Callable[[int], Stepper]) -> None:
    heard = sound(3)
    whole = talk(make(1), 0, heard, [])
    stepper = make(1)
    as_float = [stepper.step(block[None].astype(np.float32) / 32_768, [3], [True]) for block in heard]
    assert [result.text_tokens[0] for result in as_float] == whole[0]
    np.testing.assert_array_equal(np.stack([result.sound[0] for result in as_float]), whole[1])


def test_nan_stays_in_its_slot_and_a_reset_ends_it(make: Callable[[int], Stepper]) -> None:
    expected = talk(make(2), 0, sound(1), [])
    stepper = make(2)
    broken = np.zeros((2, STEP_SAMPLES), np.float32)
    text, said, other = [], [], []
    for block in sound(1):
        broken[0] = block / np.float32(32_768)
        broken[1] = np.nan
        result = stepper.step(broken, [3, 3], [True, True])
        text.append(result.text_tokens[0])
        said.append(result.sound[0])
        other.append(result.sound[1])
    assert text == expected[0]
    np.testing.assert_allclose(np.stack(said), expected[1], atol=1e-6)
    stepper.reset(1)
    after = talk(stepper, 1, sound(1), [])
    assert after[0] == expected[0]
    np.testing.assert_allclose(after[1], expected[1], atol=1e-6)


def test_another_sampling_holds_from_the_next_step_on_and_the_talk_goes_on(make: Callable[..., Stepper]) -> None:
    greedy, _ = talk(make(1), 0, sound(1), [])
    stepper = make(1, greedy=False)
    stepper.sample(Sampling(greedy=True))
    assert talk(stepper, 0, sound(1), [])[0] == greedy
    stepper.reset(0)
    first, _ = talk(stepper, 0, sound(1)[:6], [])
    stepper.sample(Sampling(temperature=5.0, text_temperature=5.0, text_top_k=32_000))
    wild, _ = talk(stepper, 0, sound(1)[6:], [])
    assert first == greedy[:6]
    assert wild != greedy[6:]


def test_sampling_takes_another_way_each_time(make: Callable[..., Stepper]) -> None:
    stepper = make(2, greedy=False)
    heard = np.tile(sound(1)[:, None], (1, 2, 1))
    results = [stepper.step(block, [3, 3], [True, True]).text_tokens for block in heard]
    assert [one for one, _ in results] != [two for _, two in results]


class HostReads(TorchDispatchMode):
    """Notes every operation that has to know a value of the device."""

    waiting = ("_local_scalar_dense", "nonzero", "masked_select", "equal.", "is_nonzero", "unique", "bincount")

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0
        self.found: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.calls += 1
        if any(name in str(func) for name in self.waiting):
            self.found.append(str(func))
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("greedy", [True, False])
def test_no_part_of_the_step_waits_for_the_device(make: Callable[..., Stepper], greedy: bool) -> None:
    stepper = make(2, greedy=greedy)
    with torch.no_grad(), HostReads() as reads:
        stepper._graph()
    assert reads.calls > 100
    assert reads.found == []
