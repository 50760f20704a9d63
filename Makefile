# Airhop. Each target sets up what it needs on a fresh machine; only Python, Rust, a C compiler and make must be there.
#   make demo    the main job, start to finish: compares twelve schemes over a lossy last hop (table, chart, report)
#   make test    every check and every test, Rust and Python
#   make bench   speed, beside ns-2 and ns-3 where they are installed
#   make cross-check   what is too heavy for make test: every point of laws, ns-2, ns-3 and Linux; random networks; benchmarks build
#   make setup   leaves a working .venv/bin/airhop
#   make bpf     builds the congestion controls in bpf/ for the kernel; wants clang, llvm-strip and libbpf's headers
#   make docs    writes the generated pages of docs/, and the site into site/
#   make wheel   builds a wheel for any CPython from 3.11 on, in dist/
#   make licences  checks the licences of dependencies, and writes THIRD-PARTY.txt
#   make audit   looks for known vulnerabilities; wants a network, cargo-deny and pip-audit
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.PHONY: setup demo test cross-check test-rust test-python test-live lint lint-rust lint-python bench bpf docs wheel licences audit clean help tools

VENV := .venv
BIN := $(VENV)/bin
# Cargo would look for the jobserver of make, whose descriptors it does not get.
CARGO := env -u MAKEFLAGS -u MFLAGS cargo
# Everything the extension is made from. Tests of the crates are not part of it.
RUST_SOURCES := $(shell find crates -type f -not -path '*/tests/*' 2>/dev/null) \
                Cargo.toml $(wildcard Cargo.lock rust-toolchain.toml .cargo/config.toml)

export PYO3_PYTHON := $(CURDIR)/$(BIN)/python
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
unexport PYTHONPATH PYTHONHOME PYTHONDONTWRITEBYTECODE CONDA_PREFIX

setup: $(VENV)/.released
	@echo "airhop is ready: $(BIN)/airhop --help"

demo: $(VENV)/.released
	@# 1 says that a claim of the paper does not hold here: a result, which the table shows with its reason.
	$(BIN)/airhop reproduce yun2009/fig6 --quick --out demo-out || { [ $$? -eq 1 ] && [ -s demo-out/yun2009/fig6/report.html ]; }

bench: $(VENV)/.released
	$(BIN)/airhop bench

bpf:
	$(MAKE) --no-print-directory -C bpf

docs: $(VENV)/.dev $(VENV)/.built
	$(BIN)/python tools/docs.py
	$(BIN)/zensical build --strict

wheel: $(VENV)/.deps
	$(BIN)/maturin build --release --locked --out dist

licences: $(VENV)/.dev
	$(BIN)/python tools/licences.py

# No part of `make test`: what is found depends on the day and not on the tree.
audit: licences
	cargo deny check
	pip-audit --strict --no-deps --disable-pip --requirement constraints.txt

# Tests with real packets follow those of Rust, beside Python's other tests: they mostly wait. `make -k test` goes on after a failure.
test:
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=line test-live test-python

# Some twenty minutes. Every run of `make test` has a part of it.
cross-check: $(VENV)/.released
	$(BIN)/airhop doctor --cross-check
	$(BIN)/python -m airhop.verify 5000
	$(CARGO) clippy -p airhop-bench --all-targets --locked -- -D warnings

# Examples of the crates are tests and pages of docs/, so that rustdoc has none to build (tests/python/tree/test_repository.py).
# The benchmarks and the extension have no Rust tests; with the packages that only they use, they are a fifth of the build.
test-rust: lint-rust
	$(CARGO) test --workspace --exclude airhop-bench --exclude airhop-py --lib --tests --examples --locked

test-python: lint-python
	$(BIN)/pytest -m "not alone" --numprocesses auto --dist worksteal

test-live: test-rust $(VENV)/.dev $(VENV)/.built
	$(BIN)/pytest -m alone $$(grep -rl --include='test_*.py' 'mark\.alone' tests/python)

# What codespell reads; its exceptions stand in pyproject.toml.
PROSE := README.md CHANGELOG.md CONTRIBUTING.md bpf crates docs python tools

lint: lint-rust lint-python

lint-rust: | $(BIN)/python
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --exclude airhop-bench --all-targets --locked -- -D warnings

lint-python: $(VENV)/.dev $(VENV)/.built
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/codespell $(PROSE)
	$(BIN)/mypy

clean:
	rm -rf $(VENV) target demo-out site .cache python/airhop/_core*.so

help:
	@sed -n '2,12s/^# *//p' Makefile

# pip and cargo say nothing for minutes: each step is named when it begins.
say = @echo "make: $(1) …"

# --- how it comes about ------------------------------------------------------------------------------------

# The extension and the `airhop` command, as an editable install: a change of Python needs no rebuild. What people run and what
# is timed is optimised across crates; for tests and documentation a build in a third of the time will do.
MATURIN := env -u MAKEFLAGS -u MFLAGS PIP_CONSTRAINT=$(CURDIR)/constraints.txt PIP_QUIET=1 $(BIN)/maturin develop --quiet

$(VENV)/.released: $(VENV)/.deps $(RUST_SOURCES) | tools
	$(call say,compiling the simulator)
	$(MATURIN) --release
	@touch $@ $(VENV)/.built

$(VENV)/.built: $(VENV)/.deps $(RUST_SOURCES) | tools
	$(call say,compiling the simulator for tests)
	$(MATURIN) --profile tested
	@rm -f $(VENV)/.released
	@touch $@

$(VENV)/.deps: pyproject.toml constraints.txt | $(BIN)/python
	$(call say,installing the packages that airhop uses)
	$(BIN)/python tools/requirements.py build-system dependencies > $(VENV)/requirements.txt
	$(BIN)/python -m pip install --quiet --no-compile -c constraints.txt -r $(VENV)/requirements.txt
	@touch $@

$(VENV)/.dev: $(VENV)/.deps
	$(call say,installing the packages of tests and documentation)
	$(BIN)/python tools/requirements.py dev cluster pandas view docs > $(VENV)/requirements-dev.txt
	$(BIN)/python -m pip install --quiet --no-compile -c constraints.txt -r $(VENV)/requirements-dev.txt
	@touch $@

$(BIN)/python: | tools
	$(call say,making $(VENV))
	$$(tools/find-tools python) -m venv $(VENV)

# Fails with one line per missing tool that says how to get it.
tools:
	@tools/find-tools
