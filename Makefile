# Everything a newcomer runs. Needs Python 3.11, make, gcc and git; installs the rest into .venv.
PYTHON ?= python3.11
BIN := .venv/bin
STAMP := .venv/.ready

.PHONY: setup demo check test test-all test-faults bench differential lock clean

setup: $(STAMP)

$(STAMP): requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "$$(grep -o '^uv==[0-9.]*' requirements.lock)"
	$(BIN)/uv pip sync --quiet --python $(BIN)/python --require-hashes requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --editable .
	touch $@

demo: setup
	$(BIN)/killgrid run configs/experiments/quickstart.yaml
	$(BIN)/killgrid query mutation_score --store results/quickstart

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: setup
	$(BIN)/pytest -m "not slow"

test-all: setup
	$(BIN)/pytest

# Root only: one experiment four times on three nodes in namespaces of their own, and bad nights.
test-faults: setup
	$(BIN)/python -m tests.faults

bench: setup
	$(BIN)/python -m benchmarks.bench

differential: setup
	$(BIN)/python -m benchmarks.differential

# Needs an environment that has uv; writes hashes for every package of every platform.
lock:
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --all-extras --no-header pyproject.toml -o requirements.lock

clean:
	rm -rf .venv results
