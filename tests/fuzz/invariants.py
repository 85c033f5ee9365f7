"""What holds for every fitted model, whatever it was fitted to."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from tests.fuzz.cases import Case
from tests.fuzz.flaws import Inputs
from tests.fuzz.tables import LARGEST, NAMED, SPARSE, UNNAMED, Raw, alike, contain, is_single, new_rows

#: Rounding errors that a probability may have.
ROUNDING = 1e-9


@dataclass
class Situation:
    """A fitted model, and rows and times for predictions: some of the training rows, and some that it has not seen."""

    case: Case
    inputs: Inputs
    model: Any
    raw: Raw = field(init=False)
    X: Any = field(init=False)
    times: np.ndarray = field(init=False)

    def __post_init__(self):
        self.raw = join(self.inputs.raw[:4], new_rows(self.case.features))
        self.X = self.contained(self.raw)
        self.times = prediction_times(self.model)

    def contained(self, raw):
        return contain(raw, self.case.features.container, self.case.features.seed)

    def survival(self, X=None, times=None):
        return self.model.predict_survival_function(
            self.X if X is None else X, times=self.times if times is None else times
        )

    def hazard(self, X=None, times=None, cause=None):
        return self.model.predict_hazard_function(
            self.X if X is None else X, times=self.times if times is None else times, cause=cause
        )


def join(*parts):
    columns = tuple(np.concatenate(columns) for columns in zip(*(part.columns for part in parts), strict=True))
    return replace(parts[0], columns=columns)


def prediction_times(model):
    """Zero, times of the training data, and times before and after all of them."""
    unit = model.model_.unit
    observed = np.quantile(model.unique_times_, [0.0, 0.25, 0.5, 0.75, 1.0])
    return np.unique(np.r_[0.0, observed, unit * np.array([1e-6, 0.1, 0.5, 1.0, 1.5, 10.0, 1e4])])


def require(condition, text):
    if not np.all(condition):
        raise AssertionError(text)


def require_close(actual, expected, text, rtol=ROUNDING, atol=ROUNDING):
    """Equal up to rounding errors; infinite where the other is."""
    actual, expected = np.asarray(actual, dtype=float), np.asarray(expected, dtype=float)
    require(actual.shape == expected.shape, f"{text}: shapes {actual.shape} and {expected.shape}")
    close = np.isclose(actual, expected, rtol=rtol, atol=atol, equal_nan=True)
    if not close.all():
        place = tuple(np.argwhere(~close)[0])
        raise AssertionError(f"{text}: {actual[place]!r} and {expected[place]!r} at {tuple(map(int, place))}")


def between(values, low, high):
    return (values >= low - ROUNDING) & (values <= high + ROUNDING)


# Curves


def check_curves(s):
    """S(0) = 1, S falls from there, H = -log S, and the hazard is not negative."""
    survival, hazard = s.survival(), s.hazard()
    cumulative = s.model.predict_cumulative_hazard_function(s.X, times=s.times)
    for name, values in (("S", survival), ("H", cumulative), ("h", hazard)):
        require(np.isfinite(values), f"{name} is finite")
        require(values >= 0.0, f"{name} is not negative")
    require(survival[:, 0] == 1.0, "S(0) = 1")
    require(survival <= 1.0, "S is at most 1")
    require(np.diff(survival, axis=1) <= 0.0, "S does not increase")
    require_close(np.exp(-cumulative), survival, "S = exp(-H)")


def check_integral(s):
    """``H(b) - H(a)`` is the integral of the hazard, by Simpson's rule where the hazard hardly changes."""
    a = s.times[1:]
    middle, b = 1.0005 * a, 1.001 * a
    cumulative = [s.model.predict_cumulative_hazard_function(s.X, times=times) for times in (a, b)]
    hazards = np.array([s.hazard(times=times) for times in (a, middle, b)])
    smooth = hazards.max(axis=0) <= 1.1 * hazards.min(axis=0)
    with np.errstate(over="ignore"):
        integral = (b - a) / 6.0 * np.tensordot([1.0, 4.0, 1.0], hazards, axes=1)
    gained = cumulative[1] - cumulative[0]
    close = np.abs(gained - integral) <= 1e-3 * integral + 1e-11 * cumulative[1] + 1e-300
    # Where nobody is left exponents are bounded, and h and H need not agree.
    require(close | ~smooth | (cumulative[1] > 700.0), "H is the integral of h")


def check_quantiles(s):
    """S passes 1 - q at the quantile, or never does where the quantile is infinite; the median is one of them."""
    levels = np.array([0.0, 0.05, 0.5, 0.95])
    times = s.model.predict_quantile(s.X, levels)
    require(~np.isnan(times), "quantiles are not NaN")
    require(times[:, 0] == 0.0, "the quantile of 0 is 0")
    require(times[:, 1:] >= times[:, :-1], "quantiles increase")
    require_close(s.model.predict_median(s.X), times[:, 2], "the median is the quantile of 1/2", atol=0.0)
    for row, curve in enumerate(s.model.predict_survival_function(s.X)):
        for level, time in zip(levels[1:], times[row, 1:], strict=True):
            if time > 1e-290 * s.model.model_.unit:  # no time is earlier than that
                before = curve(min(time, 1e290) * (1.0 - 1e-9))
                require(before >= 1.0 - level - 1e-6, f"S is above 1 - q before the quantile of {level}")
            if time < np.inf:
                after = curve(time * (1.0 + 1e-9))
                require(after <= 1.0 - level + 1e-6, f"S is below 1 - q after the quantile of {level}")


def check_means(s):
    """Restricted means increase to the mean; `predict` is minus the one until the horizon."""
    longest, horizon, mean = s.model.model_.longest, s.model.model_.horizon, s.model.predict_mean(s.X)
    require((mean > 0.0) & ~np.isnan(mean), "the mean is positive")
    short, until, long = (restricted_mean(s, tau) for tau in (horizon, longest, s.times[-1]))
    require(short <= until * (1.0 + 1e-5), "restricted means increase")
    require(until <= long * (1.0 + 1e-5), "restricted means increase after the follow-up")
    require(long <= mean * (1.0 + 1e-5), "no restricted mean is larger than the mean")
    require_close(s.model.predict(s.X), -short, "predict is minus a restricted mean", atol=0.0)
    require_close(s.model.predict_rmst(s.X), until, "the default is the longest follow-up", atol=0.0)


def restricted_mean(s, tau):
    """The mean, which must lie between the lower and the upper sum of S over narrow steps."""
    mean = s.model.predict_rmst(s.X, float(tau))
    steps = np.unique(np.r_[0.0, np.geomspace(1e-6, 1.0, 40), np.linspace(0.0, 1.0, 40)])
    survival, width = s.survival(times=steps * tau), np.diff(steps)
    require(mean / tau >= survival[:, 1:] @ width - 1e-6, "a restricted mean is at least the lower sum of S")
    require(mean / tau <= survival[:, :-1] @ width + 1e-6, "a restricted mean is at most the upper sum of S")
    return mean


def check_causes(s):
    """Incidences rise from 0 and sum to 1 - S, hazards of the causes to the hazard, lost times to the time lost."""
    causes, horizon = s.model.causes_, s.model.model_.horizon
    times = s.times[s.times <= 10.0 * s.model.model_.unit]
    incidence = [s.model.predict_cumulative_incidence_function(s.X, times=times, cause=int(one)) for one in causes]
    for values in incidence:
        require(between(values, 0.0, 1.0), "incidences lie between 0 and 1")
        require(values[:, 0] == 0.0, "incidences begin at 0")
        require(np.diff(values, axis=1) >= -1e-8, "incidences do not fall")
    require_close(sum(incidence), 1.0 - s.survival(times=times), "incidences sum to 1 - S", atol=1e-7)
    hazards = [s.hazard(times=times, cause=int(one)) for one in causes]
    require_close(sum(hazards), s.hazard(times=times), "hazards of the causes sum to the hazard", atol=0.0)
    lost = [s.model.predict(s.X, cause=int(one)) for one in causes]
    for values in lost:
        require(between(values / horizon, 0.0, 1.0), "lost times lie between 0 and the horizon")
    require_close(sum(lost) / horizon, 1.0 + s.model.predict(s.X) / horizon, "lost times sum up", atol=1e-5)


def check_given_alive(s):
    """``S(t) / S(s)`` after s, and 1 before."""
    alive = float(s.times[len(s.times) // 2])
    given = s.model.predict_survival_function(s.X, times=s.times, alive_at=alive)
    cumulative = s.model.predict_cumulative_hazard_function(s.X, times=np.r_[alive, s.times])
    gained = np.maximum(cumulative[:, 1:] - cumulative[:, :1], 0.0)
    slack = 1e-7 + 1e-12 * cumulative[:, 1:]
    require(np.abs(given - np.exp(-np.where(s.times <= alive, 0.0, gained))) <= slack, "S(t) / S(s)")
    require(s.model.predict_median(s.X, alive_at=alive) >= alive * (1.0 - ROUNDING), "a later median")
    require(s.model.predict_mean(s.X, alive_at=alive) >= alive * (1.0 - ROUNDING), "a later mean")


def check_along(s):
    """Features that do not change give the ordinary curve, however they are cut into rows."""
    edges = s.model.model_.unit * np.array([0.0, 0.2, 0.7, 1.3])
    rows = np.repeat(np.arange(2), 3)
    X = s.contained(s.raw[rows])
    along = s.model.predict_survival_along(X, np.tile(edges[:-1], 2), np.tile(edges[1:], 2), id=rows, times=s.times)
    require_close(along, s.survival()[:2], "the curve of constant features", atol=1e-7)


def check_callables(s):
    """Curves that are called give the values of the array."""
    curves = s.model.predict_survival_function(s.X)
    require_close([curve(s.times) for curve in curves], s.survival(), "called curves", atol=1e-12)
    require(np.isfinite(curves[0].y), "values at the training times")


def check_parameters(s):
    """The heads as a table: no missing numbers where a family has the parameter, and shares that make sense."""
    table = s.model.predict_parameters(s.X)
    heads = s.model.model_.mixture.n_heads
    require(len(table) == heads * len(s.raw), "one row for each subject and head")
    require(np.isfinite(table["w"]), "weights are finite")
    require(~np.isinf(table.drop(columns=["head"]).to_numpy(dtype=float)), "parameters are finite")
    shares = s.model.head_contributions(s.X, s.times[1:4])["share"].to_numpy()
    require(between(shares, -1.0, 1.0), "shares lie between -1 and 1")


def check_score(s):
    """The C-index lies between 0 and 1, or is NaN with a warning; intervals are refused."""
    score = s.model.score(s.inputs.X, s.inputs.y)
    require(np.isnan(score) or 0.0 <= score <= 1.0, "the C-index lies between 0 and 1")


# Rows and containers


def check_rows(s):
    """The prediction of a row does not depend on the others, nor on their order."""
    order = np.random.default_rng(0).permutation(len(s.raw))
    survival, risk = s.survival(), s.model.predict(s.X)
    other = s.contained(s.raw[order])
    require_close(s.survival(other), survival[order], "rows in another order", rtol=1e-12, atol=1e-15)
    require_close(s.model.predict(other), risk[order], "risks in another order", rtol=1e-12, atol=0.0)
    one = s.contained(s.raw[[int(order[0])]])
    require_close(s.survival(one), survival[order[:1]], "a single row", rtol=1e-12, atol=1e-15)


def check_containers(s):
    """The same table in another container has the same predictions."""
    survival = s.survival()
    for container in other_containers(s.case, s.raw):
        other = contain(s.raw, container, s.case.features.seed + 1)
        require_close(s.survival(other), survival, f"predictions for {container}", rtol=1e-12, atol=1e-15)


def other_containers(case, raw):
    """Containers of predictions: those that keep everything and, without categories, with or without names."""
    container = case.features.container
    found = alike(container, raw)
    if not raw.has_categories:
        family = NAMED if container in UNNAMED or container in SPARSE else UNNAMED
        found += [one for one in (*family, *SPARSE) if one not in (container, *found)]
    if not is_single(raw.matrix()):
        found = [one for one in found if one != "float32"]
    if container not in SPARSE and (raw.matrix() == 0.0).any():
        found = [one for one in found if one not in SPARSE]
    return found


def check_pickle(s):
    """A copy from a file predicts the same."""
    copy = pickle.loads(pickle.dumps(s.model))
    require(copy.predict_survival_function(s.X, times=s.times) == s.survival(), "predictions after pickling")
    require(set(vars(copy)) == set(vars(s.model)), "attributes after pickling")


# Constraints


def check_monotone(s):
    """Survival falls, and every hazard rises, with a feature of direction 1, for every subject at every time."""
    directions = s.inputs.settings.get("monotone_constraints")
    for position, direction in enumerate([] if directions is None else directions):
        if direction == 0 or s.raw.kinds[position] == "category":
            continue
        values = tested_values(s.inputs.raw.columns[position], zeros=s.case.features.container not in SPARSE)
        if len(values) < 2:
            continue
        rows = s.raw[np.repeat([0, len(s.raw) - 2], len(values))]
        X = s.contained(rows.with_column(position, np.tile(values, 2)))
        check_direction(s, X, direction, len(values))


def tested_values(column, *, zeros):
    """Some values of a feature in order, and one on each side of all."""
    seen = np.unique(column[~np.isnan(column)])
    if not len(seen):
        return seen
    chosen = seen[np.unique(np.linspace(0, len(seen) - 1, 6).astype(int))]
    reach = max(1.0, abs(chosen[0]), abs(chosen[-1]))
    values = np.unique(np.r_[chosen[0] - reach, chosen, chosen[-1] + reach].clip(-LARGEST, LARGEST))
    return values if zeros else values[values != 0.0]


def check_direction(s, X, direction, n_values):
    shape = (2, n_values, len(s.times))
    survival = s.survival(X).reshape(shape)
    require(-direction * np.diff(survival, axis=1) >= -1e-7, "S is monotone in a constrained feature")
    for cause in s.model.causes_:
        hazard = s.hazard(X, cause=int(cause)).reshape(shape)
        low, high = (hazard[:, :-1], hazard[:, 1:])[::direction]
        require(high >= low * (1.0 - 1e-6), "the hazard is monotone in a constrained feature")


def check_interactions(s):
    """Raw scores are sums of functions of the features of each group."""
    groups = s.inputs.settings.get("interaction_constraints")
    if groups is None:
        return
    together = {pair for group in groups for pair in combinations(sorted(group), 2)}
    for one, other in combinations(sorted({feature for group in groups for feature in group}), 2):
        if (one, other) in together:
            continue
        first, second = s.inputs.raw[:1], s.inputs.raw[-1:]
        mixed = [first.with_column(one, second.columns[one]), first.with_column(other, second.columns[other])]
        both = mixed[0].with_column(other, second.columns[other])
        scores = s.model._distribution(s.contained(join(first, both, *mixed))).scores
        gap = np.abs(scores[0] + scores[1] - scores[2] - scores[3])
        require(gap <= 1e-4 * (1.0 + np.abs(scores).max()), "features of different groups do not interact")


#: Always checked, and drawn.
ALWAYS = {"curves": check_curves, "monotone": check_monotone, "interactions": check_interactions}
CHECKS = {
    "integral": check_integral,
    "quantiles": check_quantiles,
    "means": check_means,
    "causes": check_causes,
    "given alive": check_given_alive,
    "along": check_along,
    "callables": check_callables,
    "parameters": check_parameters,
    "score": check_score,
    "rows": check_rows,
    "containers": check_containers,
    "pickle": check_pickle,
}
