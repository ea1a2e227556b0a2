"""`python -m isospin` is `isospin`."""

from .cli import main

raise SystemExit(main())
