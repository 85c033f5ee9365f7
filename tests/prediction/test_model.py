"""A fitted model is the mean of the hazards of one or more models; each kind of head is shown once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hazboost import FPBoost, Surv
from hazboost.explain import partial_dependence
from hazboost.hazards.distribution import Distribution
from hazboost.prediction.model import parameter_columns

N, TIMES = 240, np.array([0.05, 0.4, 1.0, 3.0])
RNG = np.random.default_rng(0)
X = RNG.uniform(-1.0, 1.0, size=(N, 3))
TIME = RNG.weibull(1.5, N) * np.exp(-2.0 * (np.abs(X[:, 0]) > 0.5) - 0.3 * X[:, 1])


def fit(n_causes, **parameters):
    y = Surv.right(RNG.integers(1, n_causes + 1, N) * (RNG.random(N) < 0.8), TIME)
    model = FPBoost(n_folds=5, learning_rate=0.5, random_state=0, **parameters).fit(X, y)
    assert model.model_.mixture.n_models == 5
    return model


@pytest.fixture(scope="module", params=[1, 2])
def model(request):
    return fit(request.param)


def each(model):
    """The models that are averaged, as models of their own."""
    fitted = model.model_
    for start, trees in zip(fitted.starts, fitted.boosters, strict=True):
        yield replace(fitted, mixture=fitted.mixture.one_model, starts=(start,), boosters=(trees,))


def test_hazards_are_means_over_the_models(model):
    alone = [one.distribution(X) for one in each(model)]
    for cause in (None, *model.causes_):
        mean = np.mean([one.hazard(TIMES, cause) for one in alone], axis=0)
        np.testing.assert_allclose(model.predict_hazard_function(X, times=TIMES, cause=cause), mean, rtol=1e-9)
    cumulative = np.mean([one.cumulative_hazard(TIMES) for one in alone], axis=0)
    np.testing.assert_allclose(model.predict_survival_function(X, times=TIMES), np.exp(-cumulative), rtol=1e-9)


def test_each_head_is_shown_once_with_means_over_the_models(model):
    table, one = model.predict_parameters(X), model.model_.mixture.one_model
    assert table["head"].tolist() == one.head_names * N
    assert list(table)[-8:] == ["eta", "eta_sd", "k", "k_sd", "scale", "scale_sd", "w", "w_sd"]
    alone = [parameter_columns(own.distribution(X)) for own in each(model)]
    weight = np.array([own["w"] for own in alone])
    np.testing.assert_allclose(table["w"], weight.mean(axis=0))
    for name in ("eta", "k", "scale", "w"):
        values = np.array([own[name] for own in alone])
        np.testing.assert_allclose(table[f"{name}_sd"], values.std(axis=0), rtol=1e-7)
        if name != "w":
            np.testing.assert_allclose(table[name], np.exp(np.average(np.log(values), axis=0, weights=weight)))


def test_contributions_of_heads_are_those_of_all_models(model):
    shares = model.head_contributions(X[:3], TIMES)
    one = model.model_.mixture.one_model
    parts = [own.distribution(X[:3]) for own in each(model)]
    added = np.mean([part.shares(TIMES) * part.hazard(TIMES)[..., None] for part in parts], axis=0)
    expected = added / added.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(shares["share"], expected.ravel())
    assert shares["head"].tolist() == one.head_names * len(TIMES) * 3


def test_partial_dependence_of_a_parameter(model):
    table = partial_dependence(model, X[:20], 0, "w", grid=[0.3])
    changed = np.column_stack([np.full(20, 0.3), X[:20, 1:]])
    one = model.model_.mixture.one_model
    expected = model.predict_parameters(changed)["w"].to_numpy().reshape(20, -1).mean(axis=0)
    np.testing.assert_allclose(table["value"], expected)
    assert table["head"].tolist() == one.head_names


def test_a_head_that_some_models_have_switched_off_has_the_parameters_of_the_others(make_mixture):
    mixture = make_mixture({"weibull": 1}, "relu", "relu").mean_of(3)
    one = mixture.one_model  # with the scores eta, k and w
    assert one.n_scores == 3
    parts = [np.array([[2.0, 1.0, 0.3], [-1.0, 1.0, 0.3]]), np.array([[0.5, 3.0, 0.3], [2.0, 0.0, 0.3]])]
    parts.append(np.array([[-1.0, 1.0, 0.3], [2.0, 1.0, 0.0]]))
    table = parameter_columns(Distribution(mixture, mixture.join_models(parts)))
    np.testing.assert_allclose(table["w"], [0.2, 0.0])
    np.testing.assert_allclose(table["eta"][0], 1.0)
    np.testing.assert_allclose(table["k"][0], np.sqrt(3.0))
    np.testing.assert_allclose(table["scale"][0], np.sqrt(2.0**-1.0 * 0.5 ** (-1.0 / 3.0)))
    assert np.isnan(table["scale"][1])


def test_the_course_ends_at_the_scores_and_begins_at_the_starts(model):
    fitted = model.model_
    rounds = list(fitted.course(X))
    assert len(rounds) == fitted.n_rounds + 1
    np.testing.assert_array_equal(rounds[0], fitted.mixture.join_models([one.margin(X) for one in fitted.starts]))
    np.testing.assert_allclose(rounds[-1], fitted.scores(X), atol=1e-6)


def test_signed_weights_of_several_models_are_clipped_together():
    """The hazard is that of the mean; a mean below zero counts as none."""
    model = fit(1, heads_activation="identity", init="marginal")
    hazard = model.predict_hazard_function(X, times=TIMES)
    assert (hazard >= 0.0).all()
    table = model.predict_parameters(X)
    assert not table.isna().any(axis=None)
