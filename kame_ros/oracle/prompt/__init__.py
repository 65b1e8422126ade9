"""What a backend is told, and how its words are made speakable."""
