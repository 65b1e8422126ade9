"""The recognisers of speech."""
