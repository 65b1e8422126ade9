"""Makes the kind of frontend that the parameters name."""

from __future__ import annotations

from collections.abc import Mapping

from kame_ros.frontend.cascade_frontend import CascadeFrontend
from kame_ros.frontend.frontend import Frontend
from kame_ros.frontend.inputs import InterruptRule
from kame_ros.frontend.several import Several
from kame_ros.frontend.tandem.sampling import Sampling
from kame_ros.frontend.tandem.tandem_frontend import TandemFrontend, TandemSettings
from kame_ros.frontend.tuning import Tuning
from kame_ros.frontend.voices import Voices
from kame_ros.models.step import STEP_S
from kame_ros.nodes.parameter import Value

_KAME, _MOSHI = "SakanaAI/kame", "kyutai/moshiko-pytorch-bf16"


def make_frontend(values: Mapping[str, Value]) -> Frontend:
    """Make the frontend from the node's parameters; the table has let no unknown kind through."""
    if values["frontend"] != "cascade":
        return TandemFrontend(_tandem(values))
    slots = int(values["max_sessions"])
    return _cascade(values) if slots == 1 else Several([_cascade(values) for _ in range(slots)])


def tuning(values: Mapping[str, Value]) -> Tuning:
    """Return what may change while the frontend runs."""
    return Tuning(InterruptRule(values["interrupt"]), float(values["lead_s"]), _sampling(values))


def _cascade(values: Mapping[str, Value]) -> CascadeFrontend:
    return CascadeFrontend(
        Voices(str(values["voice"]), str(values["voice_model"])),
        lead_s=float(values["lead_s"]),
        rule=InterruptRule(values["interrupt"]),
    )


def checkpoint_name(values: Mapping[str, Value]) -> str:
    """Return the folder or repository of the model: the table's default is KAME's, and Moshi has another."""
    checkpoint = str(values["checkpoint"])
    return _MOSHI if values["frontend"] == "moshi" and checkpoint == _KAME else checkpoint


def _tandem(values: Mapping[str, Value]) -> TandemSettings:
    return TandemSettings(
        kind=str(values["frontend"]),
        checkpoint=checkpoint_name(values),
        revision=str(values["checkpoint_revision"]),
        device=str(values["device"]),
        dtype=str(values["dtype"]),
        context=int(values["context"]) or None,
        slots=int(values["max_sessions"]),
        most_steps=round(float(values["backlog_s"]) / STEP_S),
        hold_s=float(values["interrupt_hold_s"]),
        rule=InterruptRule(values["interrupt"]),
        sampling=_sampling(values),
    )


def _sampling(values: Mapping[str, Value]) -> Sampling:
    temperature, text_temperature = float(values["temperature"]), float(values["text_temperature"])
    return Sampling(
        temperature=temperature,
        text_temperature=text_temperature,
        top_k=int(values["top_k"]),
        text_top_k=int(values["text_top_k"]),
        greedy=temperature == 0 or text_temperature == 0,
    )
