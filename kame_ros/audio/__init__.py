"""Sound as samples: PCM, framing, resampling, voice activity, playout, files and devices."""
