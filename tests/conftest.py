"""Settings for all tests."""

import os

from hypothesis import settings

os.environ.setdefault("ISOSPIN_OPTIMISATION", "-O0")  # most models are small: compiling takes longer than searching

settings.register_profile("isospin", derandomize=True, deadline=None)
settings.load_profile("isospin")
