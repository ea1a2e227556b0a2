"""Stateless search: programs that can be stepped, and the searches that step them."""
