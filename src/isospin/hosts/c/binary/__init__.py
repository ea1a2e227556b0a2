"""What can be read off an executable: its machine code and its debugging information."""
