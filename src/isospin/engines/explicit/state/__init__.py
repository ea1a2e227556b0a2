"""Where everything is in the bits of a state."""
