"""What to say: transcribers, turns, backends, and when to ask them."""
