"""The threads of a Python program, and who of them goes on."""
