"""Random data and parameters are refused in plain words, or every promise about the fitted model holds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from hazboost import FPBoost
from hazboost.hazards.distribution import Distribution
from tests.fuzz.cases import Case, Column, Features, Outcome
from tests.fuzz.check import check
from tests.fuzz.extras import GROUPS, WEIGHTS
from tests.fuzz.flaws import FLAWS
from tests.fuzz.invariants import CHECKS
from tests.fuzz.numbered import case_of, choices_of, kinds_of, simplify
from tests.fuzz.outcomes import EVENT_TYPES, FORMS, KINDS, PAIRS, TIMES
from tests.fuzz.relations import RELATIONS
from tests.fuzz.strategies import cases
from tests.fuzz.tables import CONTAINERS, NAMES, VALUES

FAST = {"random_state": 0, "init": "km", "n_estimators": 2}


@settings(max_examples=300)
@given(cases())
def test_refused_in_plain_words_or_every_promise_holds(case):
    assert not check(case).failures


# The test itself


def test_every_option_is_drawn():
    drawn = [case_of(choices_of(0, number)) for number in range(4000)]
    assert {case.features.container for case in drawn} == {*CONTAINERS}
    assert {column.kind for case in drawn for column in case.features.columns} == {*VALUES}
    assert {case.features.names for case in drawn} == {*NAMES}
    assert {case.outcome.kind for case in drawn} == {*KINDS}
    assert {case.outcome.form for case in drawn} == {*FORMS, *PAIRS, "formula"}
    assert {case.outcome.times for case in drawn} == {*TIMES}
    assert {case.outcome.event_type for case in drawn} == {*EVENT_TYPES}
    assert {case.weights for case in drawn} == {*WEIGHTS}
    assert {case.groups for case in drawn} == {*GROUPS}
    assert {case.flaw for case in drawn} == {*FLAWS, ""}
    assert {name for case in drawn for name in case.checks} == {*CHECKS}
    assert {case.relation for case in drawn} == {*RELATIONS}


def test_a_case_can_be_made_again():
    assert case_of(choices_of(3, 7)) == case_of(choices_of(3, 7)) == eval(repr(case_of(choices_of(3, 7))))
    assert case_of(choices_of(3, 7)) != case_of(choices_of(3, 8))


def broken(method, change):
    """A method of a distribution with a changed result."""
    original = getattr(Distribution, method)
    return method, lambda self, *arguments: change(original(self, *arguments))


MUTANTS = {
    "curves": broken("survival", lambda survival: 0.99 * survival),
    "integral": broken("hazard", lambda hazard: 1.01 * hazard),
    "quantiles": broken("quantile", lambda times: 1.01 * times),
    "means": broken("restricted_mean", lambda mean: 1.3 * mean),
    "causes": broken("lost_time", lambda lost: 1.01 * lost),
    "rows": broken("survival", lambda survival: survival * (1.0 + 1e-6 * np.arange(len(survival)))[:, None]),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_broken_promise_is_noticed(name, monkeypatch):
    case = Case(Features(12), Outcome(causes=2), settings=FAST, checks=tuple(CHECKS))
    assert not check(case).failures
    monkeypatch.setattr(Distribution, *MUTANTS[name])
    assert name in check(case).failures


def test_changed_inputs_and_foreign_errors_are_noticed(monkeypatch):
    def fit(self, X, y, **arguments):
        X[0] = 0.0
        return {}["no such key"]

    monkeypatch.setattr(FPBoost, "fit", fit)
    assert check(Case(Features(5))).failures.keys() >= {"untouched", "error", "refusal"}


def test_a_failing_case_is_simplified(monkeypatch):
    """A library that takes no tables of polars fails for the smallest of them."""
    original = FPBoost.fit

    def fit(self, X, y, **arguments):
        if type(X).__module__.startswith("polars"):
            raise ValueError("no polars")
        return original(self, X, y, **arguments)

    monkeypatch.setattr(FPBoost, "fit", fit)
    number = next(
        number
        for number in range(200)
        if (case := case_of(choices_of(0, number))).features.container == "polars" and not case.flaw
    )
    (kind,) = [kind for kind in kinds_of(case_of(choices_of(0, number))) if kind.startswith("refusal")]
    simple = simplify(choices_of(0, number), kind)
    assert simple == Case(Features(1, (Column(),), "polars"), settings={**FAST, "init": "random"})
