"""The command kame: run, demo, ask."""
