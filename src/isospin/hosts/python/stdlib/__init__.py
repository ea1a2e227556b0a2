"""What a controlled program gets for `threading`, `queue` and their kin."""
