"""Contributions to scores and predictions: they add up, and are what is known of simple models."""

from __future__ import annotations

import re
from copy import copy
from dataclasses import replace
from itertools import combinations
from math import factorial

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from hazboost import FPBoost
from hazboost.explain import contributions, score_contributions
from hazboost.explain.attribution import Attribution, attribute
from hazboost.explain.dividing import FUNCTIONALS
from hazboost.explain.path import along_path
from hazboost.hazards.distribution import Distribution
from hazboost.utils import blocks
from tests.explain.conftest import MODELS, NUMBERS, TABLE, N, Y

TIMES = np.array([0.0, 0.2, 0.7, 1.5, 6.0])


def of_model(model, of):
    """Arguments of an explanation: a single time for a mean, and a cause where one is needed."""
    several = len(model.causes_) > 1
    cause = 2 if of == "cumulative_incidence" and several else None
    return {"of": of, "times": 1.5 if of == "rmst" else TIMES, "cause": cause}


def predict(model, X, of, times, cause):
    if of == "rmst":
        return model.predict_rmst(X, times)[:, None]
    if of == "log_hazard":
        return np.log(np.maximum(model.predict_hazard_function(X, times=times, cause=cause), np.finfo(float).tiny))
    options = {"cause": cause} if of == "cumulative_incidence" else {}
    return getattr(model, f"predict_{of}_function")(X, times=times, **options)


@pytest.mark.parametrize("name", MODELS)
def test_scores_add_up(fit, name):
    model, X = fit(name)
    found = score_contributions(model, X)
    fitted = model.model_
    scores, one = fitted.distribution(X).scores, fitted.mixture.one_model
    mean = np.mean([scores[:, own] for own in fitted.mixture.scores_of_models], axis=0)
    np.testing.assert_allclose(found.prediction, mean, rtol=1e-12)
    np.testing.assert_allclose(found.base + found.values.sum(axis=-1), found.prediction, atol=1e-9, rtol=1e-9)
    assert found.values.shape == (N, one.n_scores, X.shape[1])
    assert len(set(found.points)) == one.n_scores


def test_several_models_are_explained():
    """What follows is worth something for them only if there are several."""
    assert all(MODELS[name]()[0].model_.mixture.n_models > 1 for name in ("folds", "folds of causes"))


def test_contributions_to_scores_are_means_over_the_models(fit):
    """Each of them explained as a model of its own."""
    model, X = fit("folds")
    parts = [explain_alone(score_contributions, model, X, number) for number in range(3)]
    found = score_contributions(model, X)
    np.testing.assert_allclose(found.values, np.mean([one.values for one in parts], axis=0), atol=1e-6)
    np.testing.assert_allclose(found.base, np.mean([one.base for one in parts], axis=0), atol=1e-6)


def test_contributions_to_the_cumulative_hazard_are_means_over_the_models(fit):
    """It is a mean of those of the models, whose scores move along lines of their own."""
    model, X = fit("folds")

    def explain(one, X):
        return contributions(one, X, of="cumulative_hazard", times=TIMES)

    parts, found = [explain_alone(explain, model, X, number) for number in range(3)], explain(model, X)
    np.testing.assert_allclose(found.prediction, np.mean([one.prediction for one in parts], axis=0), rtol=1e-6)
    np.testing.assert_allclose(found.values, np.mean([one.values for one in parts], axis=0), rtol=1e-4, atol=1e-5)


def explain_alone(explain, model, X, number):
    """An explanation of one of the models that are averaged."""
    alone, fitted = copy(model), model.model_
    starts, boosters = fitted.starts[number : number + 1], fitted.boosters[number : number + 1]
    alone.model_ = replace(fitted, mixture=fitted.mixture.one_model, starts=starts, boosters=boosters)
    return explain(alone, X)


@pytest.mark.parametrize("name", MODELS)
def test_what_trees_and_start_say_needs_hardly_any_correction(fit, name):
    """The sums are made exact by dividing what is missing. It must be a rounding error, not an error of theirs."""
    model, X = fit(name)
    fitted = model.model_
    encoded = fitted.schema.encode(X)
    for start in fitted.starts:
        base, values = start.contributions(encoded)
        np.testing.assert_allclose(base + values.sum(axis=-1), start.margin(encoded), atol=1e-9)
    matrix = fitted.engine.matrix(encoded, np.zeros((N, fitted.mixture.one_model.n_scores)))
    for trees in fitted.boosters:
        divided = fitted.engine.contributions(trees, matrix)
        np.testing.assert_allclose(divided.sum(axis=-1), fitted.engine.scores(trees, matrix), atol=2e-6)
        assert np.ptp(divided[..., -1], axis=0).max() == 0.0  # the base is the same for all


@pytest.mark.parametrize("of", FUNCTIONALS)
@pytest.mark.parametrize("name", MODELS)
def test_predictions_add_up(fit, name, of):
    model, X = fit(name)
    arguments = of_model(model, of)
    found = contributions(model, X, **arguments)
    predicted = predict(model, X, **arguments)
    np.testing.assert_allclose(found.prediction, predicted, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.base + found.values.sum(axis=-1), predicted, rtol=1e-9, atol=1e-9)
    assert np.isfinite(found.values).all()


@pytest.mark.parametrize("of", FUNCTIONALS)
@pytest.mark.parametrize("name", ["table", "causes", "bent", "uniform", "folds", "folds of causes"])
def test_the_path_leaves_little_to_correct(fit, name, of):
    """Without the correction, contributions already add up where nothing has kinks."""
    model, X = fit(name)
    # At time zero hazards may be zero or infinite, and which cause has the largest changes on the way.
    arguments = {**of_model(model, of), **({"times": TIMES[1:]} if of == "log_hazard" else {})}
    found = contributions(model, X, **arguments)
    fitted = model.model_
    functional = FUNCTIONALS[of](found.points, fitted.unit, arguments["cause"])
    gain = found.prediction - found.base
    raw = raw_sums(functional, fitted.mixture, attribute(fitted, fitted.schema.encode(X)))
    tolerance = 5e-3 if of == "cumulative_incidence" else 1e-4
    assert np.abs(raw - gain).max() < tolerance * max(1.0, np.abs(gain).max())


def raw_sums(functional, mixture, attribution):
    """Sums of the contributions before their correction: the path integral of all features together."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hazboost.explain.path.add_up", lambda values, total, size: values)
        return along_path(functional, mixture, attribution, np.zeros(1)).sum(axis=-1)


@pytest.mark.parametrize("of", FUNCTIONALS)
@pytest.mark.parametrize("name", ["table", "causes", "signed", "uniform", "folds", "folds of causes"])
def test_slopes_are_those_of_the_prediction(fit, differentiate, name, of):
    model, X = fit(name)
    arguments = of_model(model, of)
    fitted = model.model_
    times = np.atleast_1d(arguments["times"])[-4:]
    functional = FUNCTIONALS[of](times, fitted.unit, arguments["cause"])
    scores = fitted.distribution(X).scores[:6]
    found = functional.slopes(fitted.mixture, scores.T)
    for score in range(fitted.mixture.n_scores):
        step = np.eye(fitted.mixture.n_scores)[score]

        def value(move, step=step):
            return functional.value(Distribution(fitted.mixture, scores + move * step, fitted.unit))

        # The slope of an incidence is a sum over a grid of times; that of a mean, one for smooth curves.
        tolerance = 3e-3 if of == "cumulative_incidence" else 1e-5
        np.testing.assert_allclose(found[score], differentiate(value, 0.0), atol=tolerance)


def brute_force(model, scores, times):
    """Shapley values by their definition: of the game in which known features move the scores."""
    n, _, width = scores.values.shape
    mixture, unit = model.model_.mixture, model.model_.unit

    def game(known):
        moved = scores.base + scores.values[:, :, list(known)].sum(axis=-1)
        return Distribution(mixture, moved, unit).survival(times)

    worth = {known: game(known) for size in range(width + 1) for known in combinations(range(width), size)}
    values = np.zeros((n, len(times), width))
    for known, value in worth.items():
        for feature in set(range(width)) - set(known):
            weight = factorial(len(known)) * factorial(width - len(known) - 1) / factorial(width)
            values[..., feature] += weight * (worth[tuple(sorted((*known, feature)))] - value)
    return values


@pytest.mark.parametrize("paper", [False, True])
@pytest.mark.parametrize("load", ["load_gbsg2", "load_veterans_lung_cancer"])
def test_close_to_shapley_values_by_brute_force(load, paper):
    sksurv = pytest.importorskip("sksurv.datasets")
    X, y = getattr(sksurv, load)()
    if paper:
        X = X.apply(lambda column: column.cat.codes.astype(float) if column.dtype == "category" else column)
        options = {"weibull_heads": 1, "loglogistic_heads": 1, "n_estimators": 20, "learning_rate": 0.5}
        model = FPBoost.paper(**options, random_state=0).fit(X, y)
    else:
        model = FPBoost(n_estimators=20, random_state=0).fit(X, y)
    X, times = X.iloc[:40], np.quantile(model.event_times_, [0.25, 0.5, 0.75])
    exact = brute_force(model, score_contributions(model, X), times)
    found = contributions(model, X, times=times).values
    np.testing.assert_allclose(exact.sum(axis=-1), found.sum(axis=-1), atol=1e-9)
    for at in range(len(times)):
        assert np.corrcoef(found[:, at].ravel(), exact[:, at].ravel())[0, 1] > 0.99


def test_features_with_the_same_part_have_the_same_contribution():
    """Symmetry, and nothing for nothing."""
    model = FPBoost(n_estimators=5, init="marginal", random_state=0).fit(NUMBERS, Y)
    mixture, unit = model.model_.mixture, model.model_.unit
    values = np.random.default_rng(1).normal(size=(20, mixture.n_scores, 4))
    values[:, :, 1], values[:, :, 2] = values[:, :, 0], 0.0
    base = model.model_.starts[0].margin(NUMBERS[:1])[0]
    attribution = Attribution(base, values, base + values.sum(axis=-1))
    for functional in (FUNCTIONALS["survival"](TIMES, unit), FUNCTIONALS["rmst"](TIMES[-1:], unit)):
        distributions = [Distribution(mixture, scores, unit) for scores in (attribution.scores, base[None])]
        gain = functional.value(distributions[0]) - functional.value(distributions[1])
        found = along_path(functional, mixture, attribution, gain)
        np.testing.assert_allclose(found[..., 0], found[..., 1], rtol=1e-9, atol=1e-15)
        assert not found[..., 2].any()
        np.testing.assert_allclose(found.sum(axis=-1), gain, atol=1e-12)


def linear_model(X):
    """A model whose trees count for nothing."""
    model = FPBoost(n_estimators=1, random_state=0).fit(X, Y)
    model.model_ = replace(model.model_, shrinkage=np.zeros(model.model_.mixture.n_scores))
    return model


def test_a_linear_model_contributes_coefficient_times_distance_from_the_mean():
    model = linear_model(NUMBERS)
    start, found = model.model_.starts[0], score_contributions(model, NUMBERS)
    level = found.points.tolist().index("level")
    columns = np.clip((NUMBERS - NUMBERS.mean(axis=0)) / NUMBERS.std(axis=0), -3.0, 3.0)
    straight = ~start.design.standardisation.skewed
    expected = columns * start.coefficient[:, 0]
    near = np.abs(columns).max(axis=1) < 2.9
    assert straight.any()
    np.testing.assert_allclose(found.values[near, level][:, straight], expected[near][:, straight], atol=1e-9)
    assert np.abs(np.delete(found.values, level, axis=1)).max() == 0.0
    log_hazard = contributions(model, NUMBERS, of="log_hazard", times=TIMES[1:]).values
    np.testing.assert_allclose(log_hazard, np.repeat(found.values[:, [level]], 4, axis=1), atol=1e-9)


def test_a_cut_shift_keeps_the_proportions():
    model = linear_model(NUMBERS)
    start = model.model_.starts[0]
    model.model_ = replace(model.model_, starts=(replace(start, largest_shift=0.3),))
    free, cut = start.contributions(NUMBERS)[1], model.model_.starts[0].contributions(NUMBERS)[1]
    level = score_contributions(model, NUMBERS).points.tolist().index("level")
    whole = free[:, level].sum(axis=-1, keepdims=True)
    assert (np.abs(whole) > 0.3).any()
    np.testing.assert_allclose(cut[:, level], free[:, level] * np.minimum(1.0, 0.3 / np.abs(whole)), atol=1e-12)


def test_a_category_is_one_feature():
    model = linear_model(TABLE)
    found = score_contributions(model, TABLE)
    level, site = found.points.tolist().index("level"), found.features.index("site")
    for category in TABLE["site"].cat.categories:
        one = found.values[(TABLE["site"] == category).to_numpy(), level, site]
        assert np.ptp(one) < 1e-12
    assert np.ptp(found.values[:, level, site]) > 1e-3


def test_a_feature_without_effect_contributes_nearly_nothing():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(2_000, 2))
    y = np.ones(2_000, dtype=bool), rng.weibull(1.5, 2_000) * np.exp(-X[:, 0])
    size = np.abs(contributions(FPBoost(random_state=0).fit(X, y), X).values[:, 0]).mean(axis=0)
    assert size[1] < 0.05 * size[0]


def test_causes_are_explained_by_themselves(fit):
    """The hazard of a cause depends on its own scores, and the incidences and survival share the probability."""
    model, X = fit("causes")
    parts = [contributions(model, X, of="cumulative_incidence", times=TIMES, cause=cause).values for cause in (1, 2)]
    survival = contributions(model, X, of="survival", times=TIMES).values
    np.testing.assert_allclose(parts[0] + parts[1] + survival, 0.0, atol=5e-3)
    hazards = [contributions(model, X, of="cumulative_hazard", times=TIMES, cause=cause).values for cause in (1, 2)]
    both = contributions(model, X, of="cumulative_hazard", times=TIMES).values
    np.testing.assert_allclose(hazards[0] + hazards[1], both, atol=1e-6 * np.abs(both).max())


def test_nothing_depends_on_threads_and_blocks(fit, monkeypatch):
    model, X = fit("table")
    whole = contributions(model, X, times=TIMES).values
    monkeypatch.setattr("hazboost.explain.attribution.BLOCK_OF_TIMES", 64)
    monkeypatch.setattr(blocks, "map_threads", lambda work, parts, n: [work(part) for part in reversed(parts)])
    np.testing.assert_allclose(contributions(model, X, times=TIMES).values, whole, rtol=1e-9, atol=1e-12)


def test_the_table(fit):
    model, X = fit("table")
    found = contributions(model, X.iloc[:3], times=[1.0, 2.0])
    table = found.frame()
    assert list(table) == ["subject", "time", "feature", "value"]
    row = table[(table["subject"] == 1) & (table["time"] == 2.0) & (table["feature"] == "site")]
    assert row["value"].item() == found.values[1, 1, 4]
    np.testing.assert_array_equal(found.times, [1.0, 2.0])
    scores = score_contributions(model, X.iloc[:3])
    assert list(scores.frame()) == ["subject", "score", "feature", "value"]
    with pytest.raises(AttributeError, match="use points"):
        _ = scores.times


def test_the_default_time_is_the_horizon_of_predict(fit):
    model, X = fit("table")
    found = contributions(model, X, of="rmst")
    assert found.times.tolist() == [model.model_.horizon]
    np.testing.assert_allclose(found.prediction[:, 0], -model.predict(X), rtol=1e-9)


def test_means_restricted_to_several_times_are_those_to_each(fit):
    model, X = fit("table")
    found = contributions(model, X, of="rmst", times=[0.7, 1.5])
    np.testing.assert_allclose(found.prediction, np.column_stack([model.predict_rmst(X, tau) for tau in (0.7, 1.5)]))
    for at, tau in enumerate((0.7, 1.5)):
        alone = contributions(model, X, of="rmst", times=tau)
        np.testing.assert_allclose(found.values[:, at], alone.values[:, 0], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(found.base[at], alone.base[0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"of": "hazards"}, "of must be one of 'survival', 'cumulative_hazard'"),
        ({"of": ["survival"]}, "'rmst'; got ['survival']."),
        ({"times": []}, "times must be one time or more; got []."),
        ({"times": [-1.0]}, "times must be finite and non-negative"),
        ({"of": "rmst", "times": [0.0, 1.0]}, "times must be positive with of='rmst'; got [0.0, 1.0]."),
        ({"cause": 1}, "cause must not be given with of='survival'"),
        ({"of": "log_hazard", "cause": 3}, "cause must be one of those in the training data, 1, 2; got 3."),
        ({"of": "cumulative_incidence"}, "cause must be given with of='cumulative_incidence'"),
    ],
)
def test_wrong_arguments(fit, arguments, message):
    model, X = fit("causes")
    with pytest.raises(ValueError, match=re.escape(message)):
        contributions(model, X, **arguments)


def test_a_pipeline_is_refused(fit):
    model, X = fit("folds")
    pipeline = make_pipeline(StandardScaler(), model)
    with pytest.raises(TypeError, match=r"model must be a fitted FPBoost; got Pipeline\. Of a pipeline, pass the last"):
        contributions(pipeline, X)


def test_trees_of_no_round_are_explained():
    """Their sum is the start, which XGBoost refuses to say."""
    model = FPBoost(n_estimators=1, init="marginal", random_state=0).fit(NUMBERS, Y)
    engine = model.model_.engine
    start = np.random.default_rng(0).normal(size=(N, model.model_.mixture.n_scores))
    matrix = engine.matrix(NUMBERS, start)
    none = engine.no_trees(matrix)
    for divided in (engine.contributions(none, matrix), engine.interactions(none, matrix).sum(axis=-1)):
        np.testing.assert_allclose(divided.sum(axis=-1), start, rtol=1e-6)
        assert not divided[..., :-1].any()
