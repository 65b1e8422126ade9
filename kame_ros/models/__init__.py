"""Checkpoints of Moshi's kind: their files, their parts, and the device that they run on."""
