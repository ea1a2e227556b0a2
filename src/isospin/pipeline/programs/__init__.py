"""Programs: built, learnt, searched, and what was found run again."""
