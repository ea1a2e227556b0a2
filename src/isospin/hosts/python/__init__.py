"""Python programs: rewritten with hooks, run in one thread of ours, one visible step at a time.

`rewriting` puts the hooks in, `hooking` is what they do, `stdlib` stands in for `threading` and its kin, `control` has
the threads and who goes on, `border` what happens where the program leaves code with hooks, `symmetry` which threads
are alike; `debugger` is pdb at the end of a run.  Start with `program`, which is the host, then `control.kernel`.
"""

__all__ = ["control", "debugger", "explain", "hooking", "program", "rewriting", "stdlib"]
