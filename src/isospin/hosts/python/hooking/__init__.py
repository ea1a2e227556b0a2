"""What the hooks in a Python program do."""
