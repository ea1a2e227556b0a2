# Every target prepares .venv by itself: nothing but Python 3.11 is needed on a fresh machine.
#
#   make PYTHON=python3.12 test      another interpreter (after `make clean`)
#   make test ARGS='-k corpus'       more arguments for pytest, or names for the benchmarks

PYTHON ?= python3
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

# Python keeps what it compiled, whatever the surroundings say: tests start hundreds of interpreters.
export PYTHONDONTWRITEBYTECODE :=

# Stamps: the environment exists; the package is installed; the tools too; what benchmarks compare with too.
READY := $(VENV)/.ready
INSTALLED := $(VENV)/.installed
DEVELOP := $(VENV)/.develop
MEASURE := $(VENV)/.measure

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help demo test test-all bench docs lint clean

help:
	@echo 'make demo      check two small models, two Python programs and a C program'
	@echo 'make test      lint, type check, and all tests but the slow ones'
	@echo 'make test-all  the slow tests too'
	@echo 'make bench     the benchmarks'
	@echo 'make docs      the documentation, into site/'
	@echo 'make clean     remove .venv, caches and build results'

$(READY):
	@command -v $(PYTHON) >/dev/null 2>&1 || { \
	  echo 'isospin: there is no "$(PYTHON)" here; install Python 3.11 or newer, or say: make PYTHON=/path/to/python' >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "isospin: Python 3.11 or newer is needed, and $(PYTHON) is $$($(PYTHON) -V 2>&1); say: make PYTHON=/path/to/python" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	  echo 'isospin: $(PYTHON) cannot make virtual environments (venv or ensurepip is missing).' >&2; \
	  echo '         On Debian and Ubuntu: apt-get install python3-venv' >&2; exit 1; }
	@echo 'preparing $(VENV) ...'
	@$(PYTHON) -m venv --clear $(VENV)
	@touch $@

$(INSTALLED): pyproject.toml $(READY)
	@$(PIP) install --editable .
	@touch $@

# What developers install contains what users install, so this satisfies both stamps.
$(DEVELOP): pyproject.toml $(READY)
	@echo 'installing isospin and its test tools into $(VENV) ...'
	@$(PIP) install --no-compile --editable '.[dev]'
	@touch $(INSTALLED) $@

# Exit status 0 means "holds" and 1 "violated"; anything else is an error, in a demo too.
define shown
	@echo '$$ isospin check $(1)'
	@$(BIN)/isospin check $(1); status=$$?; test $$status -eq $(2) || { \
	  echo "demo: the exit status should be $(2), but it is $$status" >&2; exit 1; }
	@echo
endef

demo: $(INSTALLED)
	@echo 'A model. Five customers draw tickets; nothing tells one from another, so one state stands for many.'
	$(call shown,examples/symmetry/tickets.pml,0)
	@echo 'Three philosophers around a table. The symmetry is a rotation here, and there is a deadlock.'
	$(call shown,examples/philosophers.pml,1)
	@echo 'A Python program, run under every schedule that matters: two withdrawals from one account.'
	$(call shown,examples/python/bank.py,1)
	@echo 'Four customers of a shop, in Python. They can come in 24 orders; all are alike, so one execution is enough.'
	$(call shown,examples/python/shop.py,0)
	@echo 'The same with three customers, in C (the compiler takes most of the time).'
	$(call shown,examples/c/shop.c,0)
	@echo 'Now a file of yours: $(BIN)/isospin check FILE. With --html bug.html there is a page to look at.'
	@echo 'docs/tutorial/model.md goes on from here.'

lint: $(DEVELOP)
	$(BIN)/ruff check .
	$(BIN)/mypy

# The types are checked beside the tests; what mypy says comes last.  Three processes for two cores, since some tests
# wait: for a browser, a compiler, or one another.
define tested
	$(BIN)/ruff check .
	@$(BIN)/mypy >$(VENV)/mypy.txt 2>&1 & types=$$!; \
	$(BIN)/python -m pytest -n 3 --dist worksteal $(1) $(ARGS); tests=$$?; \
	wait $$types; types=$$?; echo 'mypy:'; cat $(VENV)/mypy.txt; exit $$((tests ? tests : types))
endef

test: $(DEVELOP)
	$(call tested,-m 'not slow')

test-all: $(DEVELOP)
	$(call tested)

# What the benchmarks measure against; where it cannot be had, they say so.
$(MEASURE): pyproject.toml $(DEVELOP)
	@$(PIP) install --editable '.[bench]' || true
	@touch $@

bench: $(MEASURE)
	@$(BIN)/python -m benchmarks $(ARGS)

docs: $(DEVELOP)
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo 'open site/index.html'

clean:
	rm -rf $(VENV) build dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests docs benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
