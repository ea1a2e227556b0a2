"""A verdict as a page to look at: `page` makes it; `chart`, `picture` and `source` are its parts."""

from .page import page

__all__ = ["page"]
