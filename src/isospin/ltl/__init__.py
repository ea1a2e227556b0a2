"""Linear temporal logic: formulas, automata, and the truth of a formula on a lasso.

`translate` takes a formula to a small Buchi automaton (`automaton`), by way of its normal form (`formula`); `lasso`
evaluates a formula straight from its definition, and shares nothing with the translation that it checks; `hoa` writes
automata for other tools, and reads theirs.
"""

__all__ = ["automaton", "hoa", "lasso", "translate"]
