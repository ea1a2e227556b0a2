"""Kinds of programs that can be stepped."""
