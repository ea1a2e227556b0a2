"""From a model to a C file."""
