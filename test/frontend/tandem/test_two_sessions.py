"""Two sessions in a row against two fresh processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the tandem's tests need torch and moshi")
pytest.importorskip("moshi", reason="the tandem's tests need torch and moshi")


def test_two_sessions_in_a_row_are_bit_for_bit_two_fresh_processes(tiny_checkpoint: Path, root: Path) -> None:
    script = Path(__file__).with_name("sessions.py")
    processes = [
        subprocess.Popen(
            [sys.executable, script, tiny_checkpoint, *seeds],
            stdout=subprocess.PIPE,
            text=True,
            cwd=root,
            env={**os.environ, "PYTHONPATH": str(root)},
        )
        for seeds in (["1", "2"], ["1"], ["2"])
    ]
    in_a_row, first, second = (process.communicate(timeout=240)[0].split() for process in processes)
    assert in_a_row == [*first, *second]
    assert len(set(in_a_row)) == len(in_a_row) == 2
