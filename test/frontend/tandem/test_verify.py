"""Replays of the given reference run and of runs that we record ourselves."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="the tandem's tests need torch and moshi")
pytest.importorskip("moshi", reason="the tandem's tests need torch and moshi")

from safetensors.torch import load_file, save_file  # noqa: E402

from kame_ros.frontend.tandem import record  # noqa: E402
from kame_ros.frontend.tandem.verify import verify  # noqa: E402
from kame_ros.models.errors import CheckpointError  # noqa: E402

RECORDINGS = {
    "other sizes": ["--dim", "48", "--heads", "3", "--layers", "1", "--card", "32", "--text-card", "64"],
    "more layers": ["--layers", "3", "--context", "16", "--seed", "4"],
    "longer than the context": ["--context", "7", "--steps", "40", "--seed", "5"],
    "plain": ["--plain", "--steps", "20"],
}


def change(folder: Path, reference: Path, name: str, **differently: object) -> Path:
    """Copy the reference with the tensor ``name`` changed at one place."""
    tensors = load_file(reference / "fixture.safetensors")
    where = differently["at"]
    tensors[name][where] += differently["by"]
    folder.mkdir()
    save_file(tensors, folder / "fixture.safetensors")
    (folder / "config.json").write_bytes((reference / "config.json").read_bytes())
    return folder


def test_the_reference_is_matched_alone_and_beside_others(reference: Path) -> None:
    for slots, where in ((1, "alone"), (3, "in a batch of 3")):
        verdict = verify(reference, "cpu", "float32", tolerance=1e-5, slots=slots)
        assert verdict.match, verdict.line
        assert verdict.line.startswith("match: all 531 tokens of 60 steps are equal, text logits within ")
        assert where in verdict.line


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("name", RECORDINGS)
def test_our_own_recordings_are_matched(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["record", str(tmp_path / "run"), *RECORDINGS[name]])
    record.main()
    verdict = verify(tmp_path / "run", "cpu", "float32", tolerance=1e-4)
    assert verdict.match, verdict.line
    said = load_file(tmp_path / "run" / "fixture.safetensors")["expected_tokens"]
    assert all(len(row.unique()) > 5 for row in said[0]), "the run is too dull to tell anything"


DELAYS = [2, 0, 1, 3, 1, 2, 1, 1, 3, 0, 1, 1, 4, 1, 1, 1, 1]


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize(
    "changes", [{"delays": DELAYS}, {"depformer_pos_emb": "rope"}, {"positional_embedding": "sin"}]
)
def test_models_of_another_make_are_matched(changes: dict[str, object], reference: Path, tmp_path: Path) -> None:
    arguments = {**json.loads((reference / "config.json").read_text())["lm_kwargs"], **changes}
    record.record(tmp_path / "run", arguments, steps=20, seed=3)
    verdict = verify(tmp_path / "run", "cpu", "float32", tolerance=1e-4)
    assert verdict.match, verdict.line


def test_the_first_other_token_is_named(reference: Path, tmp_path: Path) -> None:
    folder = change(tmp_path / "run", reference, "expected_tokens", at=(0, 3, 20), by=1)
    verdict = verify(folder, "cpu", "float32")
    assert not verdict.match
    assert "no match: at step 21 audio codebook 2 is " in verdict.line
    assert "before (cpu, float32, alone)" in verdict.line


def test_another_weight_is_found_out(reference: Path, tmp_path: Path) -> None:
    folder = change(tmp_path / "run", reference, "weights.text_emb.weight", at=slice(4, None), by=0.5)
    verdict = verify(folder, "cpu", "float32")
    assert not verdict.match
    assert verdict.line.startswith("no match: at step ")


def test_in_another_number_format_the_recorded_tokens_are_fed(reference: Path) -> None:
    close = verify(reference, "cpu", "bfloat16", slots=1)
    assert close.match, close.line
    assert "of 531 tokens equal (cpu, bfloat16, alone)" in close.line
    strict = verify(reference, "cpu", "bfloat16", tolerance=1e-4, slots=1)
    assert not strict.match
    assert "(tolerance 0.0001)" in strict.line


def test_logits_beyond_a_given_tolerance_are_no_match(reference: Path, tmp_path: Path) -> None:
    folder = change(tmp_path / "run", reference, "expected_text_logits", at=(0, 5, 5), by=0.1)
    assert verify(folder, "cpu", "float32").match
    assert not verify(folder, "cpu", "float32", tolerance=0.01).match
    folder = change(tmp_path / "nan", reference, "expected_text_logits", at=(0, 5, 5), by=float("nan"))
    assert not verify(folder, "cpu", "float32").match


@pytest.mark.parametrize("name", ["user_codes", "oracle_tokens_per_step", "expected_tokens"])
@pytest.mark.parametrize("by", [-1000, 1000])
def test_ids_that_the_model_does_not_know_are_refused(name: str, by: int, reference: Path, tmp_path: Path) -> None:
    folder = change(tmp_path / "run", reference, name, at=..., by=by)
    with pytest.raises(CheckpointError, match=f"{name}.* holds .*; must be 0 to "):
        verify(folder, "cpu", "bfloat16")


def test_tokens_and_logits_in_another_number_format_are_refused(reference: Path, tmp_path: Path) -> None:
    folder = change(tmp_path / "run", reference, "user_codes", at=..., by=0)
    tensors = load_file(folder / "fixture.safetensors")
    tensors["expected_text_logits"] = tensors["expected_text_logits"].bfloat16()
    save_file(tensors, folder / "fixture.safetensors")
    with pytest.raises(CheckpointError, match="must be int64 and logits float32"):
        verify(folder, "cpu", "float32")
