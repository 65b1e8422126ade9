"""What is measured, by scripts; their tables stand in docs/benchmarks.md."""
