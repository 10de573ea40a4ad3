# SPDX-License-Identifier: GPL-3.0-or-later
# The one front door. Every target does all the set-up it needs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# Flags for the verb, for example: make train ARGS="--steps 100000 --seed 7"
ARGS ?=

NATIVE := CMakeLists.txt pyproject.toml $(wildcard core/*.hpp core/*.cpp bindings/*.hpp bindings/*.cpp)
CPP := $(wildcard core/*.hpp core/*.cpp bindings/*.hpp bindings/*.cpp tests/core/*.hpp tests/core/*.cpp tests/core/*/*.hpp tests/core/*/*.cpp)

.PHONY: help train test check bench format build stubs schema clean
.DEFAULT_GOAL := help

help:
	@echo "make train   train an agent on Acorns and film it        (ARGS=\"--steps 100000 --seed 7\")"
	@echo "make test    run every test                              (ARGS=\"tests/unit/ppo -k gae\")"
	@echo "make check   lint, types, formatting"
	@echo "make bench   measure the core, the environments and training against their peers"
	@echo "make format  format Python and C++"
	@echo "make build   build the native core after a change to it"
	@echo "make stubs   regenerate the type stub of the native core"
	@echo "make schema  write the JSON Schema of game definitions anew"
	@echo "make clean   remove what was built (the virtual environment too)"

# A compiler is the one thing that pip cannot bring.
$(VENV)/.tools: constraints.txt
	@command -v c++ >/dev/null || { echo "make: a C++20 compiler is needed (Debian: apt-get install g++)" >&2; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 15))' || { \
		echo "make: Python 3.11 to 3.14 is needed, $(PYTHON) is $$($(PYTHON) -V 2>&1); set PYTHON=..." >&2; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { \
		echo "make: $(PYTHON) cannot make a virtual environment (Debian: apt-get install python3-venv)" >&2; exit 2; }
	@echo "Setting up $(VENV): build tools"
	@$(PIP) install --quiet -c constraints.txt scikit-build-core nanobind cmake ninja
	@touch $@

# The build directory is kept, so that a change to one C++ file compiles that file only.
$(VENV)/.train: $(VENV)/.tools $(NATIVE)
	@echo "Setting up $(VENV): OakEmu-RL with what training and playing need (a few minutes the first time)"
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(PIP) install --quiet -c constraints.txt --no-build-isolation -e ".[train,play]"
	@touch $@

$(VENV)/.dev: $(VENV)/.train
	@echo "Setting up $(VENV): development tools"
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(PIP) install --quiet -c constraints.txt --no-build-isolation -e ".[dev]"
	@touch $@

build: $(VENV)/.train

train: $(VENV)/.train
	@$(BIN)/oakemu-rl train acorns $(ARGS)

test: $(VENV)/.dev
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pytest $(ARGS)

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(CPP)
	$(BIN)/mypy

bench: $(VENV)/.dev
	@$(BIN)/python benchmarks/run.py $(ARGS)
	@$(BIN)/python benchmarks/train.py $(ARGS)

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CPP)

stubs: $(VENV)/.dev
	@$(BIN)/python -m nanobind.stubgen -q -m oakemu_rl._core -o src/oakemu_rl/_core.pyi

schema: $(VENV)/.train
	@$(BIN)/python -c "from oakemu_rl.games.schema import write_schema; write_schema()"

clean:
	rm -rf $(VENV) build dist
