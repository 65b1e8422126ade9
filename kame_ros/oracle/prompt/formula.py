"""Formulas in LaTeX: the simple ones are said as they are, since the answer may stand there."""

from __future__ import annotations

import re

_COMMANDS = {
    "times": "\u00d7",
    "cdot": "\u00d7",
    "div": "\u00f7",
    "pm": "\u00b1",
    "approx": "\u2248",
    "neq": "\u2260",
    "leq": "\u2264",
    "le": "\u2264",
    "geq": "\u2265",
    "ge": "\u2265",
    "circ": "\u00b0",
    "pi": "\u03c0",
    "infty": "\u221e",
    "to": "\u2192",
    "rightarrow": "\u2192",
    "left": "",
    "right": "",
    "quad": " ",
    "qquad": " ",
    "ldots": "\u2026",
    "dots": "\u2026",
}
_WRAPPER = re.compile(r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mathit|boxed|operatorname|tag)\s*\{([^{}]*)\}")
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([\w.,]+)\}\s*\{([\w.,]+)\}")
_SQUARE_ROOT = re.compile(r"\\sqrt\s*\{([\w.,]+)\}")
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_ESCAPED = re.compile(r"\\([%$&#_ ,;:!])")
_SPACES = frozenset(" ,;:!")
_POWER = re.compile(r"\^\s*(?:\{\s*([\w\u00b0+-]+)\s*\}|([\w\u00b0]))")
_SIMPLE = re.compile(r"(?:[^\W_]|[\s.,;:!?'\"()+*/=%^>-]|<(?=[\s\d=])|[\u00b0-\u00f7\u2026\u2190-\u22ff])*")
_LONGEST = 120  # characters; what is longer was made to be looked at


def spoken_formula(latex: str) -> str:
    """Return the inside of a formula as plain text; empty where that cannot be: sums, matrices, indices."""
    if len(latex) > _LONGEST:
        return ""
    text = _ESCAPED.sub(lambda escaped: " " if escaped[1] in _SPACES else escaped[1].replace("$", ""), latex.strip())
    before = ""
    while before != text:
        before = text
        text = _SQUARE_ROOT.sub("\u221a\\1", _FRACTION.sub(r"\1/\2", _WRAPPER.sub(r"\1", text)))
    text = _COMMAND.sub(lambda command: _COMMANDS.get(command[1], command[0]), text)
    text = _POWER.sub(lambda power: _power(power[1] or power[2]), text)
    return " ".join(text.split()) if _SIMPLE.fullmatch(text) else ""


def command(name: str) -> str:
    """Return what stands for the LaTeX command ``name`` outside of a formula; empty for what only sets type."""
    return _COMMANDS.get(name, "")


def _power(exponent: str) -> str:
    return exponent if exponent == "\u00b0" else f"^{exponent}"
