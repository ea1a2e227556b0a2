"""Compiling the C file, running it, and taking what it says."""
