"""Models as programs that can be stepped."""
