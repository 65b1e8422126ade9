"""What of a recogniser's text was said to the robot: it makes words up from noise, and people hum and hesitate."""

from __future__ import annotations

import re

# Written by recognisers for sound that is no speech: [BLANK_AUDIO], (music), *coughs*, notes.
_ANNOTATION = re.compile(r"\[[^\]]*\]|\([^)]*\)|\*[^*]*\*|[♩-♯]")
_NOT_A_WORD = re.compile(r"[^\w\s]|_")
# Moonshine tiny-en wrote these for silence, noise, tones and claps of 0.1 to 4 s; nobody says them to a robot.
_NEVER_SAID = frozenset({"you", "thank", "thank you for watching", "thanks for watching"})
# It wrote these as well, and people do say them: they need as much voice as saying them takes.
_SOMETIMES_SAID = frozenset({"thank you", "thanks", "oh", "bye", "i"})
_SHORTEST_PHRASE_S = 0.3
# A text of these alone asks for nothing. Moonshine tiny-en wrote one for 42 of 121 recorded coughs ("Uh-huh", "Um.").
_FILLERS = frozenset({"uh", "um", "er", "erm", "ah", "hm", "hmm", "mm", "mmm", "mhm", "huh"})
# The quickest speakers reach about 20 letters a second; a short word may be cut to half by the voice detector.
_LETTERS_PER_SECOND = 30.0
_FREE_LETTERS = 8


def plausible(text: str, speech_s: float) -> str:
    """Return ``text`` without annotations; empty where it is but fillers, or more than ``speech_s`` seconds hold."""
    words = " ".join(_ANNOTATION.sub(" ", text).split())
    plain = " ".join(_NOT_A_WORD.sub(" ", words.casefold()).split())
    letters = sum(character.isalnum() for character in plain)
    if not letters or plain in _NEVER_SAID or _FILLERS.issuperset(plain.split()):
        return ""
    if plain in _SOMETIMES_SAID and speech_s < _SHORTEST_PHRASE_S:
        return ""
    return words if letters <= _FREE_LETTERS + _LETTERS_PER_SECOND * speech_s else ""
