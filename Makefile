# Every target does its own set-up from nothing but Python 3.11 or later, pip and make.

PYTHON ?= $(shell for name in python3 python3.13 python3.12 python3.11 python3.14 python; do \
  "$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$name" && break; done)
VENV := .venv
BIN := $(VENV)/bin
LOWEST := .venv-lowest
CHECKOV := .venv-checkov
# Two processes, each with servers of its own; all tests of a file run in one of them.
PYTEST := -m pytest -q -n 2 --dist loadfile

.PHONY: help demo test test-lowest lint lint-deploy docs bench clean
.DEFAULT_GOAL := help

help:
	@echo 'make demo         start a local object store, fill it with examples/skills, serve it'
	@echo 'make test         run every test'
	@echo 'make test-lowest  run every test on the lowest declared versions'
	@echo 'make lint         ruff, pyright (strict), import-linter'
	@echo 'make lint-deploy  hadolint and checkov over the Dockerfile and terraform/'
	@echo 'make docs         write the tables of README.md and docs/ anew'
	@echo 'make bench        measure the gateway and its peers side by side (20 minutes; ARGS=--quick: two)'
	@echo 'make clean        remove environments, caches and the demo store'

demo: $(VENV)/.demo
	$(BIN)/skills-gateway demo $(ARGS)

test: $(VENV)/.dev
	$(BIN)/python $(PYTEST) $(ARGS)

test-lowest: $(LOWEST)/.dev
	$(LOWEST)/bin/python $(PYTEST) $(ARGS)

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports

lint-deploy: $(VENV)/.dev $(CHECKOV)/.done
	$(BIN)/hadolint --config .hadolint.yaml Dockerfile
	$(CHECKOV)/bin/checkov -d terraform --framework terraform --skip-download --compact --quiet
	$(CHECKOV)/bin/checkov -f Dockerfile --framework dockerfile --skip-download --compact --quiet

docs: $(VENV)/.dev
	$(BIN)/python tools/tables.py

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks $(ARGS)

clean:
	rm -rf $(VENV) $(LOWEST) $(CHECKOV) .skills-gateway .cache build dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo 'skills-gateway needs Python 3.11 or later, and none is on the PATH; install one, or say where it is: make PYTHON=/path/to/python3 ...' >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo 'skills-gateway needs Python 3.11 or later; $(PYTHON) is' "$$("$(PYTHON)" -V 2>&1)" >&2; exit 1; }
	"$(PYTHON)" -m venv $(VENV)

$(VENV)/.demo: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install -q -e '.[demo]'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install -q -e '.[demo,dev]'
	@touch $@ $(VENV)/.demo

$(VENV)/.bench: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install -q -e '.[bench]'
	@touch $@

# An environment of its own, as it pins an old boto3.
$(CHECKOV)/.done: Makefile | $(VENV)/bin/python
	$(BIN)/python -m venv $(CHECKOV)
	$(CHECKOV)/bin/python -m pip install -q 'checkov==3.3.30'
	@touch $@

$(LOWEST)/.dev: pyproject.toml tools/lowest_bounds.py | $(VENV)/bin/python
	rm -rf $(LOWEST)
	$(BIN)/python -m venv $(LOWEST)
	$(BIN)/python tools/lowest_bounds.py > $(LOWEST)/lowest.txt
	$(LOWEST)/bin/python -m pip install -q -r $(LOWEST)/lowest.txt -e '.[demo,dev]'
	@touch $@
