"""Settings for all tests."""

from hypothesis import settings

settings.register_profile("isospin", derandomize=True, deadline=None)
settings.load_profile("isospin")
