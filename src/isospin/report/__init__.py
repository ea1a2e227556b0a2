"""Verdicts for people and for other programs.

In goes a `Verdict` or a `Trace`; out comes text: for the terminal (`terminal`), as JSON (`document`), SARIF (`sarif`),
JUnit (`junit`), Markdown (`markdown`), notes on GitHub (`github`), a page (`html`), a picture of the heap (`dot`),
a trace for viewers of others (`itf`); state graphs have their own formats (`graphs`).  `ink` is what the terminal is
written with.
"""

__all__ = ["document", "dot", "github", "graphs", "html", "ink", "itf", "junit", "markdown", "sarif", "terminal"]
