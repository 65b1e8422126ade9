"""The step on a machine that cannot compile."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the tandem's tests need torch and moshi")
pytest.importorskip("moshi", reason="the tandem's tests need torch and moshi")


def test_without_a_compiler_the_step_is_made_uncompiled(tiny_checkpoint: Path, root: Path, tmp_path: Path) -> None:
    changes = {"CXX": "/no/such/compiler", "TORCHINDUCTOR_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(root)}
    done = subprocess.run(
        [sys.executable, root / "test" / "frontend" / "tandem" / "sessions.py", tiny_checkpoint, "1"],
        capture_output=True,
        text=True,
        cwd=root,
        env={**os.environ, **changes},
        timeout=120,
        check=True,
    )
    assert len(done.stdout.split()) == 1
    (warning,) = done.stderr.splitlines()
    assert warning.startswith("nothing is compiled, so steps are slower: ")
