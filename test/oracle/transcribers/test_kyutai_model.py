"""The model that recognises speech, stepped with random weights of tiny size, against moshi's own way to step it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch: Any = pytest.importorskip("torch", reason="the recogniser's tests need torch and moshi")
pytest.importorskip("moshi", reason="the recogniser's tests need torch and moshi")

from moshi.models import LMGen, loaders  # noqa: E402

from kame_ros.models.checkpoint_files import find_checkpoint  # noqa: E402
from kame_ros.models.errors import CheckpointError  # noqa: E402
from kame_ros.models.step import STEP_SAMPLES  # noqa: E402
from kame_ros.oracle.transcriber import Sound  # noqa: E402
from kame_ros.oracle.transcribers.kyutai_model import KyutaiModel, load_kyutai_model  # noqa: E402
from kame_ros.oracle.transcribers.speech_model import StepHeard  # noqa: E402

torch.set_num_threads(1)
Make = Callable[..., Path]


def load(folder: Path) -> KyutaiModel:
    return load_kyutai_model(find_checkpoint(str(folder)), torch.device("cpu"), torch.float32)


@pytest.fixture(scope="module")
def model(make_recogniser: Make) -> Iterator[KyutaiModel]:
    loaded = load(make_recogniser())
    yield loaded
    loaded.close()


def talk(seed: int, steps: int = 30) -> list[Sound]:
    """Make up a voice that swells and fades, cut into steps."""
    samples = np.arange(steps * STEP_SAMPLES)
    noise = np.random.default_rng(seed).standard_normal(len(samples))
    return np.split((noise * 6000 * np.abs(np.sin(samples / 4000))).astype(np.int16), steps)


def hear(model: KyutaiModel, sounds: list[Sound]) -> list[StepHeard]:
    return [model.step(sound) for sound in sounds]


def moshi_hears(folder: Path, sounds: list[Sound], silence_steps: int) -> tuple[list[int], list[float]]:
    """Return tokens and pause predictions as moshi's own loader and loop give them, first codes twice."""
    info = loaders.CheckpointInfo.from_hf_repo(
        "", folder / "model.safetensors", folder / "mimi.safetensors", folder / "tokenizer.model",
        config_path=folder / "config.json", mimi_config_path=folder / "mimi.json",
    )  # fmt: skip
    mimi = info.get_mimi()
    lm = info.get_moshi(dtype=torch.float32)
    generator = LMGen(lm, use_sampling=False)
    tokens, pauses = [], []
    silence = [np.zeros(STEP_SAMPLES, np.int16)] * silence_steps
    with torch.no_grad(), mimi.streaming(1), generator.streaming(1):
        for number, sound in enumerate([*silence, *sounds]):
            codes = mimi.encode(torch.from_numpy(sound.astype(np.float32) / 32_768)[None, None])
            if number == 0:
                generator.step(codes)
            text, heads = generator.step_with_extra_heads(codes)
            if number >= silence_steps:
                tokens.append(int(text[0, 0, 0]))
                pauses.append(float(heads[2][0, 0, 0]))
    return tokens, pauses


@pytest.mark.parametrize("silence_s", [0.0, 0.4])
def test_tokens_and_pauses_are_those_of_moshi_s_own_loop(make_recogniser: Make, silence_s: float) -> None:
    folder = make_recogniser({"audio_delay_seconds": 2.5, "audio_silence_prefix_seconds": silence_s})
    tokens, pauses = moshi_hears(folder, talk(1), round(silence_s / 0.08))
    model = load(folder)
    model.begin()
    heard = hear(model, talk(1))
    assert [step.token for step in heard] == [None if token in (0, 3) else token for token in tokens]
    assert [step.pause for step in heard] == pytest.approx(pauses, abs=1e-4)
    assert len(set(tokens)) > 5
    assert model.delay_steps == 32
    model.close()


def test_turns_one_after_the_other_are_like_the_first(model: KyutaiModel) -> None:
    def turn(seed: int) -> list[StepHeard]:
        model.begin()
        return hear(model, talk(seed))

    first, other = turn(1), turn(2)
    assert first != other
    assert [turn(2), turn(1)] == [other, first]


def test_what_was_heard_after_the_mark_is_forgotten(model: KyutaiModel) -> None:
    sounds = talk(3)
    model.begin()
    whole = hear(model, sounds)
    model.begin()
    before = hear(model, sounds[:10])
    model.mark()
    for seed in (4, 5):
        hear(model, talk(seed, steps=12))
        model.rewind()
    assert before + hear(model, sounds[10:]) == whole


def test_sound_that_is_no_number_is_gone_with_its_turn(model: KyutaiModel) -> None:
    model.begin()
    heard = hear(model, talk(1))
    model.step(np.full(STEP_SAMPLES, np.nan))  # type: ignore[arg-type]
    model.begin()
    assert hear(model, talk(1)) == heard


def test_a_model_without_heads_predicts_no_pause(make_recogniser: Make) -> None:
    model = load(make_recogniser(extra_heads_num_heads=0))
    model.begin()
    assert {step.pause for step in hear(model, talk(1))} == {None}
    model.close()


@pytest.mark.parametrize(("in_weights", "in_config"), [(4, 0), (0, 4)])
def test_the_heads_are_those_of_the_weights_whatever_the_config_says(
    make_recogniser: Make, in_weights: int, in_config: int
) -> None:
    folder = make_recogniser(extra_heads_num_heads=in_weights)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "extra_heads_num_heads": in_config}))
    model = load(folder)
    assert (model.step(talk(1)[0]).pause is not None) is bool(in_weights)
    model.close()


def test_tokens_are_joined_to_words(model: KyutaiModel, tiny_checkpoint: Path) -> None:
    from kame_ros.models.sentencepiece_tokenizer import SentencePieceTokenizer

    ids = SentencePieceTokenizer(tiny_checkpoint / "tokenizer.model").encode("welcome to the museum").ids
    assert model.decode(list(ids)) == "welcome to the museum"


@pytest.mark.parametrize(
    ("recogniser", "changes", "line"),
    [
        ({"audio_delay_seconds": -1}, {}, r"^transcriber_model = .* has audio_delay_seconds = -1; must be 0 to 60$"),
        ({"audio_silence_prefix_seconds": "1"}, {}, r"has audio_silence_prefix_seconds = '1'; must be"),
        (
            {},
            {"dep_q": 8, "n_q": 16, "delays": [0] * 17},
            r"^transcriber_model = .*: its LM talks \(dep_q 8\); must",
        ),
        ({}, {"n_q": 4, "delays": [0] * 5, "card": 128}, r"the LM knows 128 codes, the codec 256"),
        ({}, {"n_q": 9, "delays": [0] * 10}, r"^checkpoint: its Mimi has 8 codebooks, its LM needs 9$"),
        ({}, {"text_card": 300}, r"pieces, the LM knows 300"),
    ],
)
def test_what_is_no_recogniser_is_one_line(
    make_recogniser: Make, recogniser: dict[str, Any], changes: dict[str, Any], line: str
) -> None:
    folder = make_recogniser(recogniser, **changes)
    with pytest.raises(CheckpointError, match=line) as caught:
        load(folder)
    assert "\n" not in str(caught.value)


def test_a_config_that_describes_no_model_is_one_line(make_recogniser: Make) -> None:
    folder = make_recogniser()
    config = (folder / "config.json").read_text()
    (folder / "config.json").write_text(config.replace('"context": 400', '"context": null'))
    with pytest.raises(CheckpointError, match="does not describe Moshi's LM: ValueError: context = None"):
        load(folder)
