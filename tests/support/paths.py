"""Where things are: every test that reads a file of the tree begins here."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "isospin"
DOCS = ROOT / "docs"
EXAMPLES = ROOT / "examples"
TESTS = ROOT / "tests"
DATA = TESTS / "data"
CORPUS = DATA / "corpus"  # models
PROGRAMS = DATA / "programs"  # in Python, C and C++
GOLDEN = DATA / "golden"  # what is printed, word by word
RECORDED = DATA / "recorded"  # what other tools said
