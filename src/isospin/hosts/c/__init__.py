"""C and C++ programs under control: compiled with our runtime, explored in their own process.

`building` makes the executable, `host` asks it to search, `run` lets it search by itself, `wire` understands what it
says, `binary` reads its machine code (which threads are alike, what is silent), `known` keeps what that found,
`telling` turns a failing schedule into words, `weak` and `strangers` say why a program may do more than was seen,
`symbols` reads the names in a file.  The other side of the conversation is C, in `runtime/`; `constants` has what both
share.  Start with `host`.
"""

__all__ = ["binary", "building", "host", "known", "run", "strangers", "strengthen", "symbols", "telling", "weak"]
