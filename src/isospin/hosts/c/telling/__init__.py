"""A failing schedule of a C program for people."""
