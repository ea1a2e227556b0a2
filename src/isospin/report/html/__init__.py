"""A verdict as a page to look at: `page` makes it; `chart`, `picture` and `source` are its parts."""

from .run_page import MOST_STEPS, MOST_VIOLATIONS, page

__all__ = ["MOST_STEPS", "MOST_VIOLATIONS", "page"]
