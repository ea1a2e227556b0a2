"""The simulated system that processes share."""
