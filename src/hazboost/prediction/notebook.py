"""HTML summary of a fitted model for notebooks: a table of key figures and the loss curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Protocol

from hazboost.prediction.model import Model

#: Size of the plot in pixels.
WIDTH, HEIGHT = 220, 60


class FittedEstimator(Protocol):
    """What the summary reads of a fitted `hazboost.FPBoost`.

    A protocol, so that this module does not import the estimator, which is a layer above it and shows the summary.
    """

    @property
    def model_(self) -> Model:
        """The fitted model."""

    @property
    def history_(self) -> Mapping[str, Sequence[float]]:
        """Losses by name, each with one value before the first round and one after every round."""

    @property
    def n_estimators_(self) -> int:
        """Number of rounds that were kept."""

    @property
    def max_depth_(self) -> int:
        """Depth of the trees."""

    @property
    def n_features_in_(self) -> int:
        """Number of features."""


def key_figures(estimator: FittedEstimator) -> dict[str, str]:
    """Key figures of the fit, by name."""
    history, mixture = estimator.history_, estimator.model_.mixture
    kept = estimator.n_estimators_
    trees = estimator.model_.n_trees
    families = ", ".join(f"{count} {name}" for name, count in mixture.counts.items() if count)
    summary = {
        "heads": families,
        "rounds": f"{kept} of {len(history['train_loss']) - 1} made, {trees} trees of depth {estimator.max_depth_}",
        "features": str(estimator.n_features_in_),
        "follow-up": f"{estimator.model_.longest:g}",
        "training loss": f"{history['train_loss'][0]:.4f} → {history['train_loss'][kept]:.4f}",
    }
    # There is no validation history without a validation set.
    for name in ("loss", "concordance"):
        values = history.get(f"validation_{name}")
        if values:
            summary[f"validation {name}"] = f"{values[0]:.4f} → {values[kept]:.4f}"
    return summary


def summary_card(estimator: FittedEstimator) -> str:
    """The summary as an HTML table, next to the loss curves."""
    # Styles are inline, because many notebook viewers remove style sheets.
    rows = "".join(
        f'<tr><th style="text-align:left;padding:1px 14px 1px 0;font-weight:600">{escape(name)}</th>'
        f'<td style="text-align:left">{escape(value)}</td></tr>'
        for name, value in key_figures(estimator).items()
    )
    return (
        '<div style="display:flex;gap:28px;align-items:center;font:13px sans-serif;margin:8px 2px">'
        f'<table style="border-collapse:collapse;font:inherit">{rows}</table>{loss_curves(estimator)}</div>'
    )


def loss_curves(estimator: FittedEstimator) -> str:
    """Training and validation loss over the rounds as a small SVG; a dashed line marks the last round kept."""
    curves = [
        (name, estimator.history_[name]) for name in ("train_loss", "validation_loss") if name in estimator.history_
    ]
    values = [value for _, losses in curves for value in losses]
    low, high = min(values), max(values)
    # A constant loss has no range, and a history of one value no rounds; both would divide by zero.
    span, last = (high - low) or 1.0, max(len(curves[0][1]) - 1, 1)
    colours = {"train_loss": "#1f77b4", "validation_loss": "#ff7f0e"}

    # An SVG made by hand needs no matplotlib. Its vertical axis points downwards; 2 pixels are left for the line width.
    def line(name: str, losses: Sequence[float]) -> str:
        points = " ".join(
            f"{i / last * WIDTH:.1f},{(high - loss) / span * HEIGHT + 2:.1f}" for i, loss in enumerate(losses)
        )
        return f'<polyline fill="none" stroke="{colours[name]}" stroke-width="1.5" points="{points}"/>'

    kept = estimator.n_estimators_ / last * WIDTH
    lines = "".join(line(name, losses) for name, losses in curves)
    labels = " &nbsp; ".join(
        f'<span style="color:{colours[name]}">{name.replace("_", " ")}</span>' for name, _ in curves
    )
    return (
        f'<div><svg width="{WIDTH}" height="{HEIGHT + 4}" role="img" aria-label="loss over rounds">'
        f'<line x1="{kept:.1f}" x2="{kept:.1f}" y1="0" y2="{HEIGHT + 4}" stroke="#999" stroke-dasharray="3 3"/>'
        f"{lines}</svg><div>{labels}</div></div>"
    )
