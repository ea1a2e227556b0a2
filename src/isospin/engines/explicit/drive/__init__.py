"""Compiling the C file, running it, and taking what it says.

`program` gets the checker of a generated file from the cache or builds it (`build`), `beside` does so while something
else is done, `run` runs it and reads its JSON lines (`messages`), `mpi` starts it on several machines, `replay` takes
its paths through the reference semantics, `saved` guards checkpoints.
"""

__all__ = ["beside", "build", "messages", "mpi", "program", "replay", "run", "saved"]
