"""Weibull heads approximate every hazard
======================================

A demonstration of the universal approximation theorem.

The hazard of a Weibull head with scale 1 and integer shape is a monomial, ``h_k(t) = k t^(k-1)``. Sums of monomials
with weights of either sign are polynomials, which approximate every continuous function on [0, T] to any accuracy
(Weierstrass). So Weibull heads with identity weights approximate every continuous hazard. This script fits them

1. to two known hazards, a bathtub and an oscillation, and measures the largest error over [0, T];
2. by maximum likelihood to a million event times simulated from the bathtub.

Run it with ``python examples/universal_approximation.py --output DIR``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from numpy.polynomial import Legendre, Polynomial

from hazboost import FPBoost
from hazboost.data.target import Target
from hazboost.hazards.activations import PARAMETER_ACTIVATIONS, WEIGHT_ACTIVATIONS
from hazboost.hazards.distribution import Distribution
from hazboost.hazards.mixture import Mixture

#: End T, in years, of the interval on which hazards are approximated.
HORIZON = 10.0
HEADS = [2, 4, 8, 16]

INK, FAINT = "#24292f", "#8c959f"
COLOURS = ["#f08c2e", "#d64550", "#8259c9", "#2f6fdf"]
STYLE = {
    "savefig.dpi": 80,
    "savefig.bbox": "tight",
    "font.size": 12,
    "axes.titlesize": 13,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.edgecolor": FAINT,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#eaeef2",
    "axes.axisbelow": True,
    "legend.frameon": False,
    "legend.fontsize": 11,
    "lines.linewidth": 2.0,
}


def bathtub(t):
    """A bathtub hazard: early failures, a low plateau, and wear-out at the end."""
    x = np.asarray(t) / HORIZON
    return 0.20 * np.exp(-9.0 * x) + 0.03 + 0.22 * x**6


def oscillation(t):
    """Two periods of a wave, such as a seasonal risk."""
    return 0.10 + 0.08 * np.sin(4.0 * np.pi * np.asarray(t) / HORIZON)


TARGETS = {"bathtub": bathtub, "oscillation": oscillation}


def weibull_mixture(n_heads):
    """Weibull heads whose weights may be negative (identity activation)."""
    return Mixture({"weibull": n_heads}, PARAMETER_ACTIVATIONS["exp"], WEIGHT_ACTIVATIONS["identity"])


def distribution_of(weights):
    """One subject with heads of scale 1 and shapes 1, 2, 3, ..., with ``HORIZON`` as the unit of time."""
    n_heads = len(weights)
    shapes = np.arange(1, n_heads + 1)
    # With exp activation the scores of scale and shape are their logarithms: scale 1 has score 0.
    scores = np.concatenate([np.zeros(n_heads), np.log(shapes), weights])
    return Distribution(weibull_mixture(n_heads), scores[None, :], HORIZON)


def approximate(hazard, n_heads):
    """Fit the weights of the heads to a known hazard by least squares at Chebyshev nodes.

    Chebyshev nodes are dense near the ends of the interval, which keeps the error of a polynomial small there.
    """
    n_nodes = 4 * n_heads + 50
    nodes = 0.5 - 0.5 * np.cos((np.arange(n_nodes) + 0.5) * np.pi / n_nodes)
    shapes = np.arange(1, n_heads + 1)
    heads = shapes * nodes[:, None] ** (shapes - 1)
    size = np.linalg.norm(heads, axis=0)  # columns of equal norm reduce the condition number
    # The unit of time is HORIZON, so hazards per year are multiplied by it.
    weights = np.linalg.lstsq(heads / size, HORIZON * hazard(HORIZON * nodes), rcond=1e-15)[0] / size
    return distribution_of(weights)


def relative_sup_error(hazard, distribution):
    """Largest absolute difference of the hazards on [0, T], relative to the maximum of the true hazard."""
    times = np.linspace(0.0, HORIZON, 4001)
    return np.abs(distribution.hazard(times)[0] - hazard(times)).max() / hazard(times).max()


def simulate(hazard, n, rng, resolution=1000):
    """Event times with this hazard, censored at T, by inversion: ``H(t)`` is standard exponential.

    Times are rounded to a thousandth of T, and equal times are merged to one row with their number as weight.
    """
    grid = np.linspace(0.0, HORIZON, 20 * resolution + 1)
    steps = 0.5 * (hazard(grid[1:]) + hazard(grid[:-1])) * np.diff(grid)
    # Beyond the end of the grid np.interp returns HORIZON, which is the censoring time.
    level = rng.exponential(size=n)
    time = np.interp(level, np.r_[0.0, np.cumsum(steps)], grid)
    event = time < HORIZON
    middle = (np.arange(resolution) + 0.5) / resolution
    counts = np.histogram(time[event] / HORIZON, bins=resolution, range=(0.0, 1.0))[0]
    lower = np.r_[middle, 1.0]
    return Target.of(lower, np.r_[middle, np.inf], np.r_[counts, n - event.sum()].astype(float))


def fit_by_likelihood(target, n_heads):
    """Maximise the likelihood over the weights of the heads.

    For given shapes and scales the hazard is linear in the weights, so the negative log-likelihood is convex, and
    Newton's method with step halving finds its minimum. Monomials are nearly collinear, so the search is over the
    coefficients of Legendre polynomials, from which the weights follow by a linear map.
    """
    legendre = [Legendre.basis(degree, domain=[0, 1]).convert(kind=Polynomial) for degree in range(n_heads)]
    hazards = np.column_stack([p(target.lower) for p in legendre])
    cumulatives = np.column_stack([p.integ()(target.lower) for p in legendre])
    events, total = target.weight * target.event, target.weight.sum()

    # Infinite where the hazard of an event is not positive; step halving then stays in the interior.
    def loss(c):
        h = np.where(target.event, hazards @ c, 1.0)
        return np.inf if h.min() <= 0.0 else (target.weight @ cumulatives @ c - events @ np.log(h)) / total

    # Start with the maximum likelihood estimate of a constant hazard: events per person-time.
    c = np.r_[events.sum() / (target.weight @ target.lower), np.zeros(n_heads - 1)]
    for _ in range(50):
        relative = hazards / np.where(target.event, hazards @ c, 1.0)[:, None]
        gradient = target.weight @ cumulatives - events @ relative
        step = np.linalg.solve((relative * events[:, None]).T @ relative, gradient)
        # The Newton decrement, about twice the distance of the loss from its minimum.
        if gradient @ step < 1e-12 * total:
            break
        while not loss(c - step) < loss(c):
            step /= 2.0
        c = c - step
    monomials = [np.pad(p.coef, (0, n_heads - len(p.coef))) for p in legendre]
    return distribution_of(c @ monomials / np.arange(1, n_heads + 1))  # a head of shape k has the hazard k t^(k-1)


def fit_fpboost(target):
    """Fit FPBoost, with two heads of positive weight, to the same data; without features its start is the whole fit."""
    # Trees cannot split a constant feature, so the single round adds nothing to the marginal fit.
    model = FPBoost(1, 1, n_estimators=1, init="marginal", subsample=1.0, random_state=0)
    nothing = np.zeros((len(target), 1))
    model.fit(nothing, (target.event, HORIZON * target.lower), sample_weight=target.weight)
    return model.predict_hazard_function(nothing[:1])[0]


def draw_hazards(axes, title, hazard, fits):
    """Draw the true hazard and its approximations."""
    times = np.linspace(0.0, HORIZON, 600)
    axes.plot(times, hazard(times), color="#d0d7de", linewidth=8.0, solid_capstyle="round", label="true hazard")
    for (n_heads, fit), colour in zip(fits.items(), COLOURS, strict=False):
        axes.plot(times, fit.hazard(times)[0], color=colour, label=f"{n_heads} heads")
    axes.set(xlim=(0.0, HORIZON), ylim=(0.0, 1.45 * hazard(times).max()), xlabel="years", ylabel="hazard per year")
    axes.set_title(title)


def draw_errors(axes):
    """Draw the largest error against the number of heads."""
    numbers = np.arange(1, 21)
    for (name, hazard), marker, colour in zip(TARGETS.items(), "os", [COLOURS[3], COLOURS[0]], strict=True):
        errors = [relative_sup_error(hazard, approximate(hazard, n_heads)) for n_heads in numbers]
        axes.semilogy(numbers, errors, marker=marker, markersize=5, color=colour, label=name)
    axes.axhline(0.01, color=FAINT, linestyle="--", linewidth=1.2)
    axes.annotate("1 %", (20.2, 0.01), va="bottom", ha="right", color=INK)
    axes.set(xlabel="number of Weibull heads", ylabel="largest error / maximum", xticks=[1, 5, 10, 15, 20])
    axes.set_title("The error falls with the heads")
    axes.legend(loc="lower left")


def draw_likelihood(axes, fits, fpboost):
    """Draw the maximum likelihood fits to simulated data."""
    draw_hazards(axes, "Learned from a million event times", bathtub, fits)
    # Without time 0, where the hazard of a Weibull head may be infinite.
    times = np.linspace(0.0, HORIZON, 600)[1:]
    axes.plot(times, fpboost(times), color=INK, linestyle=(0, (1, 1)), label="FPBoost, 1 Weibull\n+ 1 LogLogistic")


def draw(approximations, likelihood_fits, fpboost):
    """Draw one figure with four panels."""
    figure, axes = plt.subplots(2, 2, figsize=(10.5, 7.8), layout="constrained")
    draw_hazards(axes[0, 0], "A bathtub", bathtub, approximations["bathtub"])
    draw_hazards(axes[0, 1], "An oscillation", oscillation, approximations["oscillation"])
    draw_errors(axes[1, 0])
    draw_likelihood(axes[1, 1], likelihood_fits, fpboost)
    for panel in (axes[0, 0], axes[0, 1], axes[1, 1]):
        panel.legend(loc="upper center", ncols=2)
    figure.get_layout_engine().set(wspace=0.06, hspace=0.06)
    return figure


def print_errors(approximations, likelihood_fits):
    """Print the largest errors of all approximations."""
    print("largest error over [0, T], in % of the hazard's maximum")
    print(f"{'number of Weibull heads':<34}" + "".join(f"{j:>9}" for j in HEADS))
    rows = {name: (TARGETS[name], fits) for name, fits in approximations.items()}
    rows["bathtub, from a million times"] = bathtub, likelihood_fits
    for name, (hazard, fits) in rows.items():
        errors = [100.0 * relative_sup_error(hazard, fit) for fit in fits.values()]
        print(f"{name:<34}" + "".join(f"{error:>9.2g}" for error in errors))


def main(arguments=None):
    """Fit, print the errors and write the figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path("demo"), help="folder for the figure")
    options = parser.parse_args(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    approximations = {name: {j: approximate(hazard, j) for j in HEADS} for name, hazard in TARGETS.items()}
    target = simulate(bathtub, 1_000_000, np.random.default_rng(0))
    likelihood_fits = {j: fit_by_likelihood(target, j) for j in HEADS[:3]}
    print_errors(approximations, likelihood_fits)
    with mpl.rc_context(STYLE):
        figure = draw(approximations, likelihood_fits, fit_fpboost(target))
        path = options.output / "universal_approximation.png"
        figure.savefig(path, pil_kwargs={"optimize": True})
        plt.close(figure)
    print(f"\n{path}")


if __name__ == "__main__":
    main()
