"""What is known about a model without running it."""
