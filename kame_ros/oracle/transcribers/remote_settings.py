"""What a recogniser that lives elsewhere is told by parameters."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class RemoteSettings:
    """Whom to send the user's speech, and for how long to wait for the words."""

    base_url: str = ""  # empty: the provider's own
    model: str = ""  # empty: the usual one
    key_file: Path | None = None  # None: the key is in the environment
    locale: str = "en-US"  # BCP 47; the language that is spoken
    final_wait_s: float = 6.0  # longest wait for the last words of a turn, another session after a broken one included
