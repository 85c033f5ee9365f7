"""What two fits have in common: to the same data, to data in another form or unit, after another fit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from hazboost import FPBoost
from tests.fuzz.flaws import FLAWS
from tests.fuzz.invariants import require, require_close
from tests.fuzz.outcomes import forms_of, give, in_unit
from tests.fuzz.tables import alike, contain


def fit(inputs, model=None):
    model = FPBoost(**inputs.settings) if model is None else model.set_params(**inputs.settings)
    return model.fit(**inputs.arguments())


def learned(model):
    return {name: value for name, value in vars(model).items() if name.endswith("_")}


def require_same(s, other, text, factor=1.0):
    """The same rounds, curves and risks, with times multiplied by a factor."""
    require(other.n_estimators_ == s.model.n_estimators_, f"{text}: the same number of rounds")
    curves = other.predict_survival_function(s.X, times=factor * s.times)
    require_close(curves, s.survival(), f"{text}: survival", rtol=1e-6, atol=1e-6)
    require_close(other.predict(s.X) / factor, s.model.predict(s.X), f"{text}: risk", rtol=1e-6, atol=0.0)


def require_similar(s, other, text, factor=1.0):
    """About the same curves: rounding errors may let a tree choose another one of two equally good splits."""
    curves = other.predict_survival_function(s.X, times=factor * s.times)
    require(np.abs(curves - s.survival()).mean() < 0.05, f"{text}: about the same survival")


def relate_nothing(s):
    """No second fit."""


def relate_same(s):
    """The same data give the same model, to the last bit."""
    other = fit(s.inputs)
    require(learned(other).keys() == learned(s.model).keys(), "the same attributes")
    require(repr(other.history_) == repr(s.model.history_), "the same history")  # NaN differs from itself
    require(other.predict_survival_function(s.X, times=s.times) == s.survival(), "the same survival")


def relate_weights(s):
    """All weights times a constant."""
    given = s.inputs.sample_weight
    weight = np.ones(len(s.inputs.raw)) if given is None else np.asarray(given, dtype=float)
    factor, compare = choose_factor(s.case, 1e3)
    compare(s, fit(replace(s.inputs, sample_weight=factor * weight)), f"weights times {factor:g}")


def relate_unit(s):
    """Time in another unit."""
    factor, compare = choose_factor(s.case, 365.25)
    y = give(in_unit(s.inputs.columns, factor), s.case.outcome.form, s.case.outcome.event_type)
    other = fit(replace(s.inputs, y=y, eval_set=None if s.inputs.eval_set is None else (s.inputs.X, y)))
    compare(s, other, f"times multiplied by {factor:g}", factor)


def choose_factor(case, other):
    """A power of two, with which numbers keep all their digits, or now and then another factor; how to compare."""
    power = case.features.seed % 48 - 20
    return (2.0**power, require_same) if power <= 20 else (other, require_similar)


def relate_form(s):
    """The outcome in another form."""
    forms = [form for form in forms_of(s.inputs.columns) if form != s.case.outcome.form]
    form = forms[s.case.outcome.seed % len(forms)]
    y = give(s.inputs.columns, form, s.case.outcome.event_type)
    require_same(s, fit(replace(s.inputs, y=y)), f"y as {form}")


def relate_container(s):
    """The features in another container."""
    containers = alike(s.case.features.container, s.inputs.raw)
    container = containers[s.case.features.seed % len(containers)]
    X = contain(s.inputs.raw, container, s.case.features.seed + 2)
    other = fit(replace(s.inputs, X=X, eval_set=None if s.inputs.eval_set is None else (X, s.inputs.y)))
    survival = other.predict_survival_function(contain(s.raw, container, s.case.features.seed), times=s.times)
    require_close(survival, s.survival(), f"fitted to {container}: survival", rtol=1e-6, atol=1e-6)


def relate_refit(s):
    """A model that was fitted to something else before is like a new one."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(20, 2)), columns=["age", "dose"])
    used = FPBoost(n_estimators=2, init="km", random_state=0).fit(frame, (rng.integers(1, 3, 20), rng.weibull(1.5, 20)))
    again = fit(s.inputs, used)
    require(learned(again).keys() == learned(s.model).keys(), "after another fit: the same attributes")
    require_same(s, again, "after another fit")


def relate_failed(s):
    """A fit that is refused changes nothing."""
    before, survival = dict(vars(s.model)), s.survival()
    names = list(FLAWS)
    for number in range(len(names)):
        _, spoil = FLAWS[names[(s.case.outcome.seed + number) % len(names)]]
        if (spoiled := spoil(s.case, s.inputs)) is not None:
            break
    parameters = s.model.get_params()
    try:
        fit(spoiled(), s.model)
    except (ValueError, TypeError):
        s.model.set_params(**parameters)
    require(vars(s.model).keys() == before.keys(), "a refused fit: attributes")
    require([vars(s.model)[name] is before[name] for name in learned(s.model)], "a refused fit: learned attributes")
    require(s.survival() == survival, "a refused fit: predictions")


RELATIONS = {
    "none": relate_nothing,
    "same": relate_same,
    "weights": relate_weights,
    "unit": relate_unit,
    "form": relate_form,
    "container": relate_container,
    "refit": relate_refit,
    "failed": relate_failed,
}
