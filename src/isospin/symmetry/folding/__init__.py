"""What a symmetry does to a state, and which state stands for its orbit."""
