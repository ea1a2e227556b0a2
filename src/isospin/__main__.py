"""`python -m isospin` is `isospin`."""

from .cli import main

if __name__ == "__main__":  # the workers of an MPI job import it under another name
    raise SystemExit(main())
