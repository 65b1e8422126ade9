"""What the robot may be asked to do, and what becomes of it."""
