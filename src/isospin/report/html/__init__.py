"""A verdict as a page to look at, in one file that needs nothing else.

`page` makes it: `words` says in sentences what was found, `story` tells a counterexample: `chart` draws the run,
`waiting` a deadlock, `stacks` a race, `picture` the heap, `automaton` a claim.  `source` shows the text in its
`colours`; `svg` escapes whatever comes from a model, `layered` places the nodes of graphs, `saved` shows a trace from a
file.
"""

from .run_page import page
from .story import MOST_STEPS, MOST_VIOLATIONS

__all__ = [
    "MOST_STEPS", "MOST_VIOLATIONS", "layered", "page", "picture", "run_page", "saved", "source", "story", "svg",
    "words",
]  # fmt: skip
