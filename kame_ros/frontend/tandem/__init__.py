"""The speech-to-speech model that speaks at once, in steps of 80 ms, with an oracle (KAME) or without one (Moshi)."""
