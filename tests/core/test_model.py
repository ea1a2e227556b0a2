"""The model: flattened names, machine arithmetic, well-formedness, paths."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isospin import pipeline
from isospin.core.errors import InternalError
from isospin.core.model import INT, SHORT, Action, Model, Scalar, Skip, apply_binary, apply_unary
from isospin.core.trace import Choice
from isospin.semantics import spec
from isospin.semantics.explain import Replayer, explain
from isospin.semantics.interp import Interpreter

TEXT = """
typedef Inner { byte b[2] }
typedef Outer { Inner i[3]; bit f }
Outer a[2];
chan c = [1] of {byte};
active proctype P() { a[1].i[2].b[0] = 7; c!a[1].i[2].b[0]; L: skip }
"""


def model() -> Model:
    return pipeline.load(TEXT)


def test_records_are_flattened_and_keep_their_names() -> None:
    found = {v.name: v for v in model().globals}
    assert found["a.i.b"].shape == (2, 3, 2)
    assert found["a.i.b"].element(11) == "a[1].i[2].b[1]"
    assert found["a.f"].element(1) == "a[1].f"


@given(st.integers(-(2**40), 2**40), st.integers(1, 32), st.booleans())
def test_wrapping_is_that_of_the_machine(value: int, bits: int, signed: bool) -> None:
    kind = Scalar("t", bits, signed)
    wrapped = kind.wrap(value)
    assert kind.low <= wrapped <= kind.high
    assert (wrapped - value) % (1 << bits) == 0


@given(st.integers(INT.low, INT.high), st.integers(INT.low, INT.high))
def test_division_is_that_of_c(a: int, b: int) -> None:
    if b != 0:
        quotient, remainder = apply_binary("/", a, b), apply_binary("%", a, b)
        assert INT.wrap(quotient * b + remainder) == a
        assert abs(remainder) < abs(b)
        assert remainder == 0 or (remainder < 0) == (a < 0)


def test_operators() -> None:
    assert apply_binary("/", -7, 2) == -3
    assert apply_binary("%", -7, 2) == -1
    assert apply_binary("+", INT.high, 1) == INT.low
    assert apply_binary("<<", 1, 31) == INT.low
    assert apply_binary(">>", -8, 1) == -4
    assert (apply_unary("~", 0), apply_unary("!", 5), apply_unary("-", INT.low)) == (-1, 0, INT.low)
    assert SHORT.wrap(40000) == -25536
    with pytest.raises(ZeroDivisionError):
        apply_binary("%", 1, 0)


def test_a_good_model_is_well_formed() -> None:
    assert spec.problems(model()) == []


def broken() -> list[Model]:
    good = model()
    template = good.templates[0]
    lost = Action(99, 1, 12345, Skip(), template.location, "skip")
    return [
        replace(good, globals=good.globals[1:]),
        replace(good, templates=good.templates * 2),
        replace(good, instances=(replace(good.instances[0], template="Q"),)),
        replace(good, instances=(replace(good.instances[0], values=(1,)),)),
        replace(good, channels=(replace(good.channels[0], offset=0),)),
        replace(good, templates=(replace(template, entry=777),)),
        replace(good, templates=(replace(template, end_locations=frozenset()),)),
        replace(good, templates=(replace(template, actions=(*template.actions, lost)),)),
    ]


@pytest.mark.parametrize("bad", broken(), ids=range(8))
def test_a_broken_model_is_noticed(bad: Model) -> None:
    assert spec.problems(bad) != []
    with pytest.raises(InternalError):
        pipeline.checked(bad)


def test_a_path_that_is_none_is_an_internal_error() -> None:
    interpreter = Interpreter(model())
    first = Replayer(interpreter).options(Replayer(interpreter).start())[0]
    with pytest.raises(InternalError, match="does not replay"):
        explain(interpreter, [Choice(first.pid, first.action.id), Choice(0, 12345)])
