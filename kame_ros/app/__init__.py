"""The command kame: run, demo, ask, verify, devices, doctor."""
