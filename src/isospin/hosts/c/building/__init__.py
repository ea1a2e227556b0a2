"""From C and C++ files to an executable under control.

`compilers` finds a compiler and knows what it must be told, `build` compiles the user's files and our runtime, and
keeps the result; `overlooked` makes clang announce what it would not; `wrapper` stands in for the compiler in the
user's own build and takes notes.
"""

__all__ = ["build", "compilers", "overlooked", "wrapper"]
