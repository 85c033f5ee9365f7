"""The compiled kernel: it gives what NumPy gives, and leaves to NumPy what it does not know."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hazboost.boosting import compiling, kernel
from hazboost.boosting.objective import Objective
from hazboost.boosting.steps import STEPS
from hazboost.data.target import Target
from hazboost.hazards.activations import PARAMETER_ACTIVATIONS, WEIGHT_ACTIVATIONS
from hazboost.hazards.heads import HEADS
from hazboost.hazards.mixture import Mixture

#: The heads of the default model, with and without the second, and with bursts of which there may be any number.
USUAL = [{"weibull": 1, "loglogistic": 1}, {"weibull": 1}, {"weibull": 1, "loglogistic": 1, "bounded": 2}]
#: Families whose formulas have functions that no compiler knows.
NOT_COMPILED = {"lognormal"}
ORDINARY, EXTREME = st.floats(-3.0, 3.0), st.sampled_from([-1e30, -80.0, -20.0, 0.0, 20.0, 80.0, 1e30])


class Interpreted(SimpleNamespace):
    """Stands in for Numba, and compiles nothing."""

    def njit(self, function, **options):
        return function


@pytest.fixture(autouse=True)
def _few_rows(monkeypatch):
    monkeypatch.setattr(kernel, "ENOUGH_ROWS", 0)


def use_python(monkeypatch):
    python = Interpreted(core=SimpleNamespace(errors=SimpleNamespace(NumbaError=ZeroDivisionError)))
    monkeypatch.setattr(compiling, "numba", lambda: python)
    monkeypatch.setattr(kernel, "numba", lambda: python)
    monkeypatch.setattr(compiling, "_compiled", {})


def make_objective(counts, parameter="exp", weight="scaled_softmax", n_causes=1, step="newton", **options):
    mixture = Mixture(counts, PARAMETER_ACTIVATIONS[parameter], WEIGHT_ACTIVATIONS[weight], 0.01, n_causes)
    return Objective(mixture, 0.0, 0.5, STEPS[step], 4.0, **options)


def every_kind(n_causes: int, n: int = 120) -> Target:
    """Rows of every kind, also of time zero, in every combination; some subjects have several rows."""
    rng = np.random.default_rng(n_causes)
    kind, lower = np.arange(n) % 5, rng.choice([1e-9, 0.01, 0.3, 0.7, 1.0, 5.0, 300.0], n)
    lower[kind == 3] = 0.0  # left-censored, or not followed at all
    upper = np.select([kind == 0, kind == 1], [lower, np.inf], np.maximum(lower, 0.2) * rng.uniform(1.0, 3.0, n))
    upper[(kind == 3) & (rng.random(n) < 0.3)] = np.inf
    entry = np.where(rng.random(n) < 0.4, 0.5 * lower, 0.0)
    cause = np.where(lower == upper, rng.integers(1, n_causes + 1, n), 0)
    return Target.of(lower, upper, rng.uniform(0.2, 3.0, n), entry=entry, cause=cause, subject=np.arange(n) // 2)


def plain_rows(target: Target) -> np.ndarray:
    """Positions of rows that are at risk from time zero, and whose event was observed or censored from the right."""
    return np.flatnonzero((target.entry == 0.0) & ~target.interval)


def both(objective, scores, target):
    """Losses, gradient and hessian in double precision, of the kernel and of NumPy; and the sums of all rows."""
    rows = objective.observe(target)
    results = []
    for use in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            if not use:
                patch.setattr(kernel, "numba", lambda: None)
            gradient, hessian = np.full((2, *scores.shape), np.nan)
            sums = objective.pseudo_residuals(scores, rows, SimpleNamespace(gradient=gradient, hessian=hessian))
            mean = objective.mean_loss(scores, rows)
            results.append((objective.losses(scores, rows), gradient, hessian, np.array([*sums, mean])))
    return results


def assert_same(objective, scores, target):
    with np.errstate(all="ignore"):  # of Python, in places of a chunk that no row fills
        fast, plain = both(objective, scores, target)
    for one, other in zip(fast, plain, strict=True):
        # A sum of parts that cancel is as exact as the largest of them.
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-10 * np.minimum(1.0, np.abs(other).max()))


def is_used(objective, scores, target):
    """Whether the kernel was asked for the rows, and could answer."""
    one = kernel.kernel_for(objective, objective.step.order, scores)
    with np.errstate(all="ignore"):
        return one is not None and one(scores, objective.observe(target).blocks[0][1], *np.empty((2, *scores.shape)))


@pytest.mark.parametrize("n_causes", [1, 2])
@pytest.mark.parametrize("counts", USUAL, ids="+".join)
def test_the_kernel_agrees_with_numpy_on_every_kind_of_row(monkeypatch, counts, n_causes):
    if counts == USUAL[0] and n_causes == 1:
        pytest.importorskip("numba")
    else:  # compiling takes seconds for each kind
        use_python(monkeypatch)
    objective, target = make_objective(counts, n_causes=n_causes), every_kind(n_causes)
    scores = np.random.default_rng(0).normal(0.0, 1.5, (len(target), objective.mixture.n_scores))
    assert len(objective.observe(target).blocks[0][1].kinds) == 4
    assert is_used(objective, scores, target) is not None
    assert_same(objective, scores, target)


@settings(max_examples=25)
@given(data=st.data())
def test_the_kernel_agrees_with_numpy_for_any_scores(data):
    """But for differences of cumulative hazards that hardly rise, which rounding errors are a part of."""
    pytest.importorskip("numba")
    objective, target = make_objective(USUAL[0]), every_kind(1)
    row = st.lists(ORDINARY | EXTREME, min_size=objective.mixture.n_scores, max_size=objective.mixture.n_scores)
    choices = np.array(data.draw(st.lists(row, min_size=1, max_size=5)))
    scores = choices[np.arange(len(target)) % len(choices)]
    for one in both(objective, scores, target)[0]:
        assert np.isfinite(one).all()
    plain = plain_rows(target)
    assert_same(objective, scores[plain], target[plain])


@pytest.mark.parametrize("parameter", PARAMETER_ACTIVATIONS)
@pytest.mark.parametrize("weight", [name for name, one in WEIGHT_ACTIVATIONS.items() if not one.signed])
@pytest.mark.parametrize("family", HEADS)
def test_all_formulas_agree_or_are_left_to_numpy(monkeypatch, family, parameter, weight):
    use_python(monkeypatch)
    objective, target = make_objective({family: 1, "weibull": 2}, parameter, weight, 2), every_kind(2, 40)
    scores = np.random.default_rng(1).normal(0.3, 1.0, (len(target), objective.mixture.n_scores))
    assert_same(objective, scores, target)
    known = family not in NOT_COMPILED and parameter != "softplus" and weight != "sigmoid"
    assert (is_used(objective, scores, target) is not None) == known


def single_precision(n_threads):
    """Gradient and hessian of rows without intervals and late entry, as boosting asks for them."""
    objective, target = make_objective(USUAL[0], n_threads=n_threads), every_kind(1)
    target = target[plain_rows(target)]
    scores = np.random.default_rng(2).normal(size=(len(target), objective.mixture.n_scores)).astype(np.float32)
    room = objective.allocate_residuals(scores)
    objective.pseudo_residuals(scores, objective.observe(target), room)
    return objective, scores, target, room


def test_single_precision_is_read_and_written(monkeypatch):
    pytest.importorskip("numba")
    objective, scores, target, room = single_precision(1)
    monkeypatch.setattr(kernel, "numba", lambda: None)
    expected = objective.allocate_residuals(scores)
    objective.pseudo_residuals(scores, objective.observe(target), expected)
    for one, other in zip(room, expected, strict=True):
        assert one.dtype == np.float32
        np.testing.assert_allclose(one, other, rtol=1e-6)


def test_threads_do_not_change_a_bit(monkeypatch):
    pytest.importorskip("numba")
    monkeypatch.setattr("hazboost.boosting.objective.BLOCK", 14)
    (*_, one), (*_, three) = single_precision(1), single_precision(3)
    np.testing.assert_array_equal(one, three)


def test_scores_between_idle_ones_are_read(monkeypatch):
    """As engines return them that have more outputs than scores."""
    use_python(monkeypatch)
    objective, target = make_objective(USUAL[0]), every_kind(1)
    scores = np.random.default_rng(3).normal(size=(len(target), objective.mixture.n_scores + 2))[:, :-2]
    assert_same(objective, scores, target)


@pytest.mark.parametrize(
    "objective",
    [
        make_objective(USUAL[0], weight="identity"),
        make_objective(USUAL[0], step="max"),
        make_objective(USUAL[0], step="subject"),
        replace(make_objective(USUAL[0]), alpha=0.1),
        replace(make_objective(USUAL[0]), mixture=make_objective(USUAL[0]).mixture.mean_of(2)),
    ],
    ids=["signed weights", "max", "subject", "penalty", "several models"],
)
def test_other_objectives_are_left_to_numpy(monkeypatch, objective):
    use_python(monkeypatch)
    assert kernel.kernel_for(objective, objective.step.order, np.zeros((9, objective.mixture.n_scores))) is None


def test_few_rows_are_left_to_numpy(monkeypatch):
    use_python(monkeypatch)
    monkeypatch.setattr(kernel, "ENOUGH_ROWS", 10)
    objective = make_objective(USUAL[0])
    used = [kernel.kernel_for(objective, objective.step.order, np.zeros((n, 7))) is not None for n in (9, 10)]
    assert used == [False, True]


def test_what_does_not_compile_is_left_to_numpy(monkeypatch):
    use_python(monkeypatch)

    def fail(*_, **__):
        raise ZeroDivisionError  # which the stand-in calls an error of Numba

    monkeypatch.setattr(Interpreted, "njit", fail)
    monkeypatch.setattr(compiling, "make_function", lambda text, name: None)
    objective, target = make_objective(USUAL[0]), every_kind(1)
    scores = np.zeros((len(target), objective.mixture.n_scores))
    assert is_used(objective, scores, target) is None
    assert_same(objective, scores, target)


@pytest.mark.parametrize(
    "code", ["import sys; sys.modules['numba'] = None", "import os; os.environ['NUMBA_DISABLE_JIT'] = '1'"]
)
def test_without_numba_there_is_no_kernel(code):
    code += "; from hazboost.boosting.compiling import numba; assert numba() is None"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_numba_is_imported_for_many_rows_only():
    code = """import sys, hazboost
hazboost.FPBoost(n_estimators=1).fit([[0.0], [1.0]] * 20, ([1, 1] * 20, [1.0, 2.0] * 20))
assert "numba" not in sys.modules"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True)
