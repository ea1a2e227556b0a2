"""The tables of the papers, run again: ours beside theirs.

`table.py` says what a table is, one file for each paper has its figures and our runs, `run.py` measures, `show.py` and
`page.py` write.  The models are those of `examples/`; a wheel carries a copy of that directory, so that
`isospin paper` works wherever isospin is installed and there is one text of each model.
"""

from __future__ import annotations

from .dspin import TABLES as DSPIN
from .own import TABLES as OWN
from .red import TABLES as RED
from .symdpor import TABLES as INSPECT
from .table import Table
from .topspin import TABLES as TOPSPIN
from .verisoft import TABLES as VERISOFT

TABLES: tuple[Table, ...] = (*TOPSPIN, *DSPIN, *VERISOFT, *INSPECT, *RED, *OWN)

__all__ = ["TABLES", "command"]
