"""Partial orders in products: where they are used, what is reported, and why fairness needs smaller ample sets."""

from __future__ import annotations

import pytest

from isospin import check
from isospin.analysis.ample import ample
from isospin.engines.contract import Question
from isospin.engines.explicit import explore
from isospin.engines.interp.liveness import check_claim
from isospin.pipeline import load
from isospin.report.document import property_document

# Each receiver lets its sender send, and takes the message.  W waits for room in either queue.
QUEUES = """bit done;
chan a = [1] of { bit }, b = [1] of { bit }, go = [0] of { bit }, on = [0] of { bit };
active proctype S() { do :: go?1; a!1 od }
active proctype T() { do :: on?1; b!1 od }
active proctype Q() { bit y; do :: go!1; a?y od }
active proctype R() { bit y; do :: on!1; b?y od }
active proctype W() { if :: a!0 :: b!0 fi; done = 1 }
ltl p { <> done }
"""

# Each receiver comes to its rendezvous and goes away again.  W waits for either of them.
MEETINGS = """bit done, x, y;
chan a = [0] of { bit }, b = [0] of { bit };
active proctype Q() { bit i; do :: x = 1 - x; i = 0; do :: a?_ :: x = 1 - x; break od od }
active proctype R() { bit i; do :: y = 1 - y; i = 0; do :: b?_ :: y = 1 - y; break od od }
active proctype W() { if :: a!0 :: b!0 fi; done = 1 }
ltl p { <> done }
"""


@pytest.mark.parametrize("text", [QUEUES, MEETINGS], ids=["queues", "meetings"])
def test_who_waits_again_and_again_is_seen_waiting(text: str) -> None:
    """What is right without fairness hides the states where both are full: W is never seen waiting."""
    model = load(text)
    claim, fair = model.claims[0], Question(fair=True)
    found = [bool(check_claim(model, claim, fair, ample=table).findings)
             for table in (None, ample(model), ample(model, fair=True))]  # fmt: skip
    assert found == [True, False, True]
    assert explore(model, fair, "-O0", ample=ample(model, fair=True), claim=claim).findings
    assert not explore(model, fair, "-O0", ample=ample(model), claim=claim).findings


LOCAL = "byte x; active [2] proctype P() { byte i; do :: i < 3 -> i++; i = i * 1 :: i == 3 -> x = 1; i = 0 od }\n"


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ("ltl p { [] (x < 2) }", ""),
        ("ltl p { X (x < 2) }", "X counts steps"),
        ("never p { x == 2; x == 2 }", "the never claim may count steps"),
    ],
)
def test_what_counts_steps_turns_them_off_and_says_so(claim: str, reason: str) -> None:
    (result,) = check(LOCAL + claim, ltl="p", symmetry="none", engine="interp", por="on", optimise="none").properties
    document = property_document(result)
    assert (document["por"], document["por_reason"]) == (not reason, reason)
    (result,) = check(LOCAL + claim, ltl="p", por="off", engine="interp").properties
    assert property_document(result)["por_reason"] == "not asked for"


def test_why_else_they_are_not_used() -> None:
    text = "byte x; active proctype P() provided (x < 2) { x = 1 } ltl p { <> (x == 1) }"
    (result,) = check(text, ltl="p", engine="interp").properties
    assert "provided" in result.por_reason
