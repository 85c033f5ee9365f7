"""Every start: a positive hazard for every model, and the likelihood or curve it promises."""

import numpy as np
import pytest
from scipy import optimize

from hazboost.data.nonparametric import kaplan_meier
from hazboost.data.target import Target
from hazboost.hazards.activations import PARAMETER_ACTIVATIONS, WEIGHT_ACTIVATIONS
from hazboost.hazards.distribution import Distribution
from hazboost.hazards.heads import HEADS
from hazboost.hazards.mixture import log_hazards, sum_hazards
from hazboost.training.marginal import _bounds, _rates, marginal_start, penalise_shapes
from hazboost.training.starts import SMALLEST_DRAW, STARTS, fit_to_curve, kaplan_meier_start, random_start
from tests.rows import loss_of_rows

COMBINATIONS = [
    *({name: 1} for name in HEADS),
    {"weibull": 3},
    {"weibull": 1, "loglogistic": 1},
    dict.fromkeys(HEADS, 1),
]
combinations = pytest.mark.parametrize(
    "counts", COMBINATIONS, ids=lambda counts: "+".join(f"{n}{name}" for name, n in counts.items())
)
starts = pytest.mark.parametrize("start", STARTS)
parameter_activations = pytest.mark.parametrize("parameter", PARAMETER_ACTIVATIONS)
weight_activations = pytest.mark.parametrize("weight", [*WEIGHT_ACTIVATIONS, "uniform"])
TIMES = np.array([1e-12, 1e-6, 1e-3, 0.01, 0.1, 0.5, 1.0])


def simulate(n, k=1.5, seed=0):
    """Weibull events, uniform censoring, times scaled to (0, 1]."""
    rng = np.random.default_rng(seed)
    event_time, censoring = rng.weibull(k, n) * 0.5, rng.uniform(0.0, 1.2, n)
    time = np.minimum(event_time, censoring)
    return Target.of(time, np.where(event_time <= censoring, time, np.inf), np.ones(n)).scaled(time.max())


def mean_loss(mixture, start, target):
    loss = loss_of_rows(mixture, np.tile(start, (len(target), 1)), target).value
    return np.average(loss, weights=target.weight)


def assert_usable(mixture, start):
    assert start.shape == (mixture.n_scores,)
    assert np.isfinite(start).all()
    parameters = mixture.parameters(start[:, None])
    evaluations = mixture.evaluate(parameters, np.log(TIMES)[None])
    total = sum_hazards(parameters.weight[:, :, None], log_hazards(evaluations))
    assert parameters.alive is None or parameters.alive.all()
    assert (parameters.weight > 0.0).all()
    assert np.isfinite(total.log_total).all()
    assert (total.balance > 0.0).all()


@starts
@combinations
@parameter_activations
@weight_activations
def test_every_start_gives_a_positive_hazard(make_mixture, start, counts, parameter, weight):
    mixture = make_mixture(counts, parameter, weight)
    assert_usable(mixture, STARTS[start](mixture, simulate(60), np.random.default_rng(1)))


@starts
@weight_activations
def test_every_start_gives_a_positive_hazard_to_many_heads(make_mixture, start, weight):
    mixture = make_mixture({"weibull": 64, "loglogistic": 64}, "relu", weight)
    assert_usable(mixture, STARTS[start](mixture, simulate(30), np.random.default_rng(2)))


def awkward_targets():
    one_event = Target.of(np.array([0.2, 0.7, 1.0]), np.array([np.inf, 0.7, np.inf]), np.ones(3))
    tied = Target.of(np.ones(5), np.ones(5), np.ones(5))
    early = Target.of(np.array([1e-8, 1e-7, 1.0]), np.array([1e-8, 1e-7, 1.0]), np.ones(3))
    return {"one event": one_event, "all at one time": tied, "events at once": early}


@starts
@pytest.mark.parametrize("name", HEADS)
@pytest.mark.parametrize("target", awkward_targets().values(), ids=awkward_targets())
def test_starts_survive_awkward_data(make_mixture, start, name, target):
    mixture = make_mixture({name: 1}, "relu", "relu")
    with np.errstate(all="raise", under="ignore"):
        assert_usable(mixture, STARTS[start](mixture, target, np.random.default_rng(3)))


@pytest.mark.parametrize("seed", [0, 1, 42])
def test_random_start_is_the_authors_stream(make_mixture, seed):
    mixture = make_mixture({"weibull": 2, "loglogistic": 1}, "relu", "relu")
    rng = np.random.default_rng(seed)
    eta, k, w = rng.random(3) + 0.5, rng.random(3) * 2.0, rng.random(3)
    start = random_start(mixture, simulate(5), np.random.default_rng(seed))
    np.testing.assert_allclose(start, [*eta[:2], *k[:2], eta[2], k[2], *w], rtol=1e-14)


def test_random_start_draws_the_same_parameters_for_every_activation(make_mixture):
    values = []
    for parameter in PARAMETER_ACTIVATIONS:
        mixture = make_mixture({"weibull": 1, "gompertz": 2}, parameter, "relu")
        start = random_start(mixture, simulate(5), np.random.default_rng(4))
        values.append(Distribution(mixture, start[None]).cumulative_hazard(TIMES))
    for value in values[1:]:
        np.testing.assert_allclose(value, values[0], rtol=1e-9)


@parameter_activations
@weight_activations
def test_random_start_is_alive_even_if_it_draws_zeros(make_mixture, parameter, weight):
    class Zeros:
        def random(self, size):
            return np.zeros(size)

    mixture = make_mixture({"weibull": 1, "loglogistic": 2}, parameter, weight)
    start = random_start(mixture, simulate(5), Zeros())
    assert_usable(mixture, start)
    k = np.exp(mixture.parameters(start[:, None]).activated[0][1].log_value)
    np.testing.assert_allclose(k, SMALLEST_DRAW)


@combinations
@weight_activations
def test_marginal_start_is_a_maximum_of_the_likelihood_within_its_bounds(make_mixture, counts, weight):
    mixture, target = make_mixture(counts, "exp", weight), simulate(300)
    start = marginal_start(mixture, target, np.random.default_rng(5))
    gradient = loss_of_rows(mixture, np.tile(start, (300, 1)), target).gradient
    gradient = gradient.mean(axis=0) + penalise_shapes(mixture, start)[1] / 300
    lower, upper = np.array(_bounds(mixture, _rates(mixture, target))).T
    assert ((start >= lower) & (start <= upper)).all()
    pushes_out = (np.isclose(start, lower) & (gradient > 0.0)) | (np.isclose(start, upper) & (gradient < 0.0))
    np.testing.assert_allclose(np.where(pushes_out, 0.0, gradient), 0.0, atol=2e-3)


@combinations
@weight_activations
def test_marginal_start_has_the_best_likelihood(make_mixture, counts, weight):
    mixture, target = make_mixture(counts, "relu", weight), simulate(120)
    losses = {
        name: mean_loss(mixture, start(mixture, target, np.random.default_rng(6)), target)
        for name, start in STARTS.items()
    }
    assert losses["marginal"] == min(losses.values())


def test_marginal_weibull_is_the_maximum_likelihood_fit(make_mixture):
    target = simulate(200)
    mixture = make_mixture({"weibull": 1}, "exp", "uniform")
    log_eta, log_k = marginal_start(mixture, target, np.random.default_rng(7))
    time, event = target.lower, target.event

    def score(k):
        power = time**k
        return 1.0 / k + np.log(time[event]).mean() - (power * np.log(time)).sum() / power.sum()

    k = optimize.brentq(score, 0.05, 20.0)
    assert np.exp(log_k) == pytest.approx(k, rel=1e-3)
    assert np.exp(log_eta) == pytest.approx(event.sum() / (time**k).sum(), rel=1e-3)


def test_marginal_log_logistic_is_the_maximum_likelihood_fit(make_mixture):
    target = simulate(200)
    mixture = make_mixture({"loglogistic": 1}, "exp", "uniform")
    start = marginal_start(mixture, target, np.random.default_rng(8))
    time, event = target.lower, target.event

    def loss(logs):
        eta, k = np.exp(logs)
        odds = eta * time**k
        density = eta * k * time ** (k - 1.0) / (1.0 + odds) ** 2
        return -np.where(event, np.log(density), -np.log1p(odds)).mean()

    fit = optimize.minimize(loss, [0.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-12})
    np.testing.assert_allclose(np.exp(start), np.exp(fit.x), rtol=1e-3)


def test_marginal_exponential_is_events_over_time(make_mixture):
    target = simulate(100)
    mixture = make_mixture({"exponential": 1}, "exp", "uniform")
    (log_eta,) = marginal_start(mixture, target, np.random.default_rng(9))
    assert np.exp(log_eta) == pytest.approx(target.event.sum() / target.lower.sum(), rel=1e-4)


@pytest.mark.parametrize("name", HEADS)
def test_curve_of_the_family_itself_is_recovered(name):
    head = HEADS[name]
    truth = np.array([0.4, 0.3, 0.2])[: len(head.parameters)]
    time = np.linspace(0.01, 1.0, 60)
    survival = np.exp(-head.evaluate(np.log(time), *truth).cumulative)
    np.testing.assert_allclose(fit_to_curve(head, time, survival), truth, atol=1e-5)


@pytest.mark.parametrize("name", ["weibull", "loglogistic", "gompertz", "lognormal"])
@pytest.mark.parametrize("weight", ["uniform", "softmax", "relu", "identity"])
def test_kaplan_meier_start_follows_the_curve(make_mixture, name, weight):
    target = simulate(500)
    mixture = make_mixture({name: 8}, "relu", weight)
    start = kaplan_meier_start(mixture, target, np.random.default_rng(10))
    time, survival = kaplan_meier(target)
    assert np.abs(Distribution(mixture, start[None]).survival(time)[0] - survival).mean() < 0.05


def test_kaplan_meier_start_spreads_the_heads_by_a_tenth(make_mixture):
    target = simulate(300)
    mixture = make_mixture({"weibull": 64}, "relu", "softmax")
    start = kaplan_meier_start(mixture, target, np.random.default_rng(11))
    eta, k = np.exp(fit_to_curve(HEADS["weibull"], *kaplan_meier(target)))
    for values, centre in ((start[:64], eta), (start[64:128], k)):
        assert values.mean() == pytest.approx(centre, rel=0.05)
        assert values.std() == pytest.approx(centre / 10.0, rel=0.3)


@pytest.mark.parametrize("start", ["km", "marginal"])
@pytest.mark.parametrize("counts", [{"weibull": 1}, {"weibull": 2, "loglogistic": 1}], ids=["single", "several"])
def test_weight_of_two_is_a_duplicated_row(make_mixture, start, counts):
    target = simulate(80)
    twice = np.arange(80) % 3 == 0
    weighted = Target.of(target.lower, target.upper, np.where(twice, 2.0, 1.0))
    rows = np.repeat(np.arange(80), np.where(twice, 2, 1))
    mixture = make_mixture(counts, "exp", "uniform")
    from_weights = STARTS[start](mixture, weighted, np.random.default_rng(12))
    from_rows = STARTS[start](mixture, target[rows], np.random.default_rng(12))
    unweighted = STARTS[start](mixture, target, np.random.default_rng(12))
    np.testing.assert_allclose(from_weights, from_rows, atol=1e-3)
    assert np.abs(from_weights - unweighted).max() > 0.01
