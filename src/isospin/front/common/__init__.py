"""What the readers of several languages share."""
