"""What is measured, by scripts; their tables stand in docs/benchmarks.md."""

import sys
from pathlib import Path

# Some use the servers that the tests use, and the tests' folder is no package.
sys.path.append(str(Path(__file__).resolve().parent.parent / "test"))
