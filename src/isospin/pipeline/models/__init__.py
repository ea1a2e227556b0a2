"""Models: read, reduced, searched, and what was found run again."""
