"""The backends: who answers."""
