"""Settings for all tests."""

import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from isospin.core.cache import workplace

os.environ.setdefault("ISOSPIN_OPTIMISATION", "-O0")  # most models are small: compiling takes longer than searching
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # hundreds of interpreters are started, which would compile all of us
sys.dont_write_bytecode = False

pytest.register_assert_rewrite("tests.support")  # their assertions show values, as those of tests do

settings.register_profile("isospin", derandomize=True, deadline=None)
settings.load_profile("isospin")


_left = workplace(Path(tempfile.gettempdir()))


def pytest_configure() -> None:
    """What tests and the programs that they check leave in the folder for temporary files goes at the end."""
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", tempfile.gettempdir())  # but `tmp_path` stays where it always is
    os.environ["TMPDIR"] = tempfile.tempdir = str(_left.__enter__())


def pytest_unconfigure() -> None:
    _left.__exit__(None, None, None)


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Signals interrupt us and our children, also where all of us were started to ignore them (`nohup`, CI)."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, signal.default_int_handler) for number in numbers]
    yield
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)
