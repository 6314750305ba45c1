# Every target sets up .venv by itself; all it needs is python3 (3.11 or newer).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
DATA ?= ../shared/data
WORKERS ?= 2

.PHONY: setup demo test check bounds hashes verified bench papers peers docs dist clean help
help:
	@echo "make demo    learn and show a space on the embedded sample"
	@echo "make test    run the tests"
	@echo "make check   ruff, mypy, import-linter, generated docs"
	@echo "make bounds  the tests of the kernels with every index checked"
	@echo "make hashes  add the hashes of this platform's wheels to hashes.txt;  make verified  set up .venv from those alone"
	@echo "make bench   run the benchmarks (DATA=folder with corpora)"
	@echo "make papers  the claims of the papers, and every table and figure at a reduced size (DATA=folder with corpora)"
	@echo "make peers   beside what one would use instead, e.g. gensim (DATA=…, MALLET=path, FAST_ALIGN=path)"
	@echo "make docs    the site of docs/, built into site/; every block of every page is run"
	@echo "make dist    sdist and wheel, checked in an environment with nothing else"
	@echo "make setup   only set up .venv;  make clean   remove it"

$(VENV)/.demo: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "babelspace needs Python 3.11 or newer")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install --constraint constraints.txt --editable '.[plot,serve,table]'
	touch $@

$(VENV)/.dev: $(VENV)/.demo
	$(PIP) install --upgrade 'pip>=25.1'
	$(PIP) install --constraint constraints.txt --group dev --editable .
	touch $@

$(VENV)/.bench: $(VENV)/.dev
	$(PIP) install --constraint constraints.txt --group bench
	touch $@

setup: $(VENV)/.dev

demo: $(VENV)/.demo
	$(BIN)/babelspace demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup

check: $(VENV)/.dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m benchmarks.report check

# Compiled loops look at every index; compiled anew, into a place of their own.
bounds: $(VENV)/.dev
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(VENV)/bounds $(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup --timeout 1800 \
		tests/kernels tests/alignment tests/spaces tests/vectors tests/test_damage.py

hashes: $(VENV)/.dev
	$(BIN)/python -m benchmarks.report.hashes

# Nothing is installed whose SHA-256 is not in hashes.txt.
verified:
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install --require-hashes --no-deps --only-binary :all: --requirement hashes.txt
	$(PIP) install --no-deps --editable .

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks --data $(DATA)

papers: $(VENV)/.bench
	$(BIN)/python -m benchmarks.papers --data $(DATA) $(if $(MISSING),--missing)
	$(BIN)/python -m benchmarks.report write

peers: $(VENV)/.bench
	$(BIN)/python -m benchmarks.peers --data $(DATA) \
		$(if $(MALLET),--mallet $(MALLET)) $(if $(FAST_ALIGN),--fast-align $(FAST_ALIGN))
	$(BIN)/python -m benchmarks.report write

$(VENV)/.docs: $(VENV)/.dev
	$(PIP) install --constraint constraints.txt --group docs
	touch $@

docs: $(VENV)/.docs
	$(BIN)/python -m benchmarks.report check
	$(BIN)/zensical build --strict --clean
	$(BIN)/python -m benchmarks.report.site site
	$(BIN)/python -m pytest -n $(WORKERS) -m pages tests/test_page_blocks.py

dist: $(VENV)/.dev
	$(PIP) install --constraint constraints.txt --group dist
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/python -m benchmarks.report.distribution dist

clean:
	rm -rf $(VENV) site dist
