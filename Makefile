# Two commands do everything on a machine that has only Python 3.11 or later: `make demo` and `make test`.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Many threads on small data are slower than one; tests that want more ask for them.
export OMP_NUM_THREADS ?= 1

# The examples on kinds of survival data, each with a figure of its name.
KINDS := delayed_entry interval_censoring changing_covariates competing_risks recurrent_events

.PHONY: demo test lint figures clean

demo: $(VENV)/demo.done  ## fit FPBoost on a real data set, print scores, draw figures
	$(BIN)/python examples/demo.py

test: $(VENV)/test.done lint  ## lint, types and tests
	$(BIN)/python -m pytest --numprocesses logical --cov --cov-report=term:skip-covered

lint: $(VENV)/test.done
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

figures: $(VENV)/test.done  ## redraw the figures of the README and the documentation
	$(BIN)/python examples/demo.py --output docs/figures
	$(BIN)/python examples/universal_approximation.py --output docs/figures
	$(BIN)/python examples/selection.py --output docs/figures
	for kind in $(KINDS); do $(BIN)/python examples/$$kind.py --output docs/figures || exit 1; done

$(VENV)/demo.done: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[demo]"
	touch $@

$(VENV)/test.done: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[test]"
	touch $@

clean:
	rm -rf $(VENV) demo build dist
