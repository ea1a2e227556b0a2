"""From a model to another one with the same verdict."""
