"""How the next token is chosen from the model's answer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sampling:
    """Temperatures above 0 and how many of the likeliest tokens may be taken; ``greedy`` always takes the likeliest."""

    temperature: float = 0.8
    text_temperature: float = 0.7
    top_k: int = 250
    text_top_k: int = 25
    greedy: bool = False
