"""From a strategy of symmetry to the tables and functions of the C file."""
