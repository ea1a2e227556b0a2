"""A verdict as a page to look at, in one file that needs nothing else.

`page` makes it: `words` says in sentences what was found, `chart` draws the run, `picture` the heap, `source` shows
the text; `svg` escapes whatever comes from a model, `layered` places the nodes of graphs, `saved` shows a trace from a
file.
"""

from .run_page import MOST_STEPS, MOST_VIOLATIONS, page

__all__ = [
    "MOST_STEPS", "MOST_VIOLATIONS", "layered", "page", "picture", "run_page", "saved", "source", "svg", "words",
]  # fmt: skip
