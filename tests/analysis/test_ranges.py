"""Between which values variables lie."""

from __future__ import annotations

import pytest

from isospin.analysis.ranges import Interval, Ranges
from isospin.core.model import INT
from isospin.front.promela.load import load_text

ANYTHING = INT.low, INT.high


def range_of(text: str) -> Interval:
    """Of the first global variable."""
    return Ranges(load_text(f"int x; {text}", "m.pml")).known["", 0]


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("chan c = [1] of {byte}; active proctype p() { c!3; c?x }", (0, 3)),
        ("chan c = [0] of {byte}; active proctype p() { c!3 } active proctype q() { c?x }", (0, 3)),
        ("chan c = [1] of {byte, short}; active proctype p() { c!3,-2; c?_,x }", (-2, 0)),
        ("chan c = [1] of {byte}; active proctype p() { c!300; c?x }", (0, 255)),  # it wraps
        ("chan c = [1] of {byte}; active proctype p() { c!x + 1; c?x }", ANYTHING),  # it grows
        # which channel it is, nobody knows: the other one cuts off what is sent
        ("chan c = [1] of {byte}; chan d = [1] of {bit}; active proctype p() { chan e; e = c; e!5; e?x }", (0, 5)),
        ("chan c = [1] of {bit}; active proctype p() { d_step { c!1; c?x } }", (0, 1)),
    ],
)
def test_received(text: str, bounds: Interval) -> None:
    assert range_of(text) == bounds
