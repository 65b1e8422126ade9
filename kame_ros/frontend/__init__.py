"""Robot speech: the frontends and their voices."""
