"""Litmus tests (`.litmus`, the format of herd for C): text to a test, and a test to a C program.

`load.read_test` reads the text, `test.LitmusTest` is what it says, `conditions` are what its last line asks,
`program.write_program` makes the C program that runs it.
"""

__all__ = ["conditions", "load", "program", "test"]
