# Everything that a developer does goes through here. `make help` lists it.
.DEFAULT_GOAL := help
.SUFFIXES:
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
SOURCES := libs services tests
ROUNDS ?= 5
ENGINES ?= 1
GAME ?= rummy101
PLAYERS ?= $(if $(filter canasta,$(GAME)),4,3)
PYTEST_ARGS ?=
MODULES ?=

.PHONY: help setup run demo test test-unit test-chaos coverage mutate lint fmt types arch protos protos-check bench clean

help: ## List what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  \1\t\2/' | expand -t 18

setup: $(STAMP) ## Make .venv/ with everything pinned and hash-checked, and the command .venv/bin/meldhall

$(STAMP): requirements-dev.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Meldhall needs Python 3.11 or newer: make PYTHON=/path/to/python3.11")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing pinned packages into $(VENV)/ (the first time takes a minute)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements-dev.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

run: setup ## Run the whole backend on this machine, with ENGINES=1 table engines; Ctrl-C stops it
	@$(BIN)/meldhall up --engines $(ENGINES)

demo: setup ## Play rounds with bots over the public API, then replay and check everything (GAME=rummy101 ROUNDS=5 PLAYERS=3)
	@$(BIN)/meldhall demo --game $(GAME) --rounds $(ROUNDS) --players $(PLAYERS)

test: setup ## Run every test
	@$(BIN)/pytest -n 2 --dist loadfile $(PYTEST_ARGS)

test-unit: setup ## Run the quick tests only
	@$(BIN)/pytest -n 2 tests/unit tests/property tests/conformance tests/golden tests/contract tests/architecture $(PYTEST_ARGS)

test-chaos: setup ## Run the long fault tests
	@MELDHALL_CHAOS=long $(BIN)/pytest tests/chaos $(PYTEST_ARGS)

coverage: setup ## Fail unless the tests of the rules take every branch of them
	@$(BIN)/pytest -n 2 tests/unit/meldhall_rules tests/property/meldhall_rules tests/conformance tests/golden --cov=meldhall_rules --cov-branch --cov-fail-under=100 $(PYTEST_ARGS)

mutate: setup ## Change the rules in small ways and list the changes that no test notices (MODULES=meldhall_rules/melds.py)
	@$(BIN)/python -m tests.mutation.run $(MODULES)

lint: setup ## Check style, types, architecture, contracts and generated code
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/buf lint protos
	@$(BIN)/buf format --diff --exit-code protos
	@$(BIN)/buf breaking protos --against protos/released.binpb
	@$(MAKE) --no-print-directory protos-check

types: setup ## Check types
	@$(BIN)/mypy

arch: setup ## Check which package imports which
	@$(BIN)/lint-imports

fmt: setup ## Format code and contracts
	@$(BIN)/ruff check --fix --exit-zero .
	@$(BIN)/ruff format .
	@$(BIN)/buf format --write protos

protos: setup ## Generate libs/meldhall from protos/
	@PYTHON=$(abspath $(BIN)/python) protos/generate.sh $(abspath libs)

protos-check: setup ## Fail when libs/meldhall is not what protos/ gives
	@rm -rf .cache/protos && mkdir -p .cache/protos
	@PYTHON=$(abspath $(BIN)/python) protos/generate.sh $(abspath .cache/protos) >/dev/null 2>&1
	@diff -r -x __pycache__ .cache/protos/meldhall libs/meldhall || { echo "libs/meldhall is not fresh: run make protos"; exit 1; }

bench: setup ## Measure, and print the results
	@$(BIN)/meldhall bench rules
	@$(BIN)/meldhall bench solver
	@$(BIN)/meldhall bench log
	@$(BIN)/meldhall bench moves --seconds 10
	@$(BIN)/meldhall bench matchmaking --seconds 5

clean: ## Remove what was built; game data in .meldhall/ stays
	@rm -rf $(VENV) .cache .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis dist build
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
