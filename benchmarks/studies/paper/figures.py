"""Figures of the study: curves of the data, intervals of the scores, ranks of the models.

Each is drawn twice, for light and for dark pages. They need matplotlib, which is imported when one is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness.ranks import Ranking, draw_rankings, rank_models
from benchmarks.peers.shared.base import Peer
from benchmarks.studies.paper.compose import VERSIONS, Study
from benchmarks.studies.paper.estimates import LEAKY, METRICS, Estimate, Metric
from benchmarks.studies.paper.models import OWN
from benchmarks.studies.paper.published import DATASETS, published_score
from hazboost.data.nonparametric import censoring_distribution, kaplan_meier
from hazboost.data.reading import as_target
from hazboost.utils.arrays import Array

#: Points of a curve that can be told apart at the size of a panel.
_POINTS = 400


@dataclass(frozen=True)
class Look:
    """Colours of a figure on a page."""

    name: str
    paper: str
    ink: str
    faint: str
    grid: str
    survival: str
    censoring: str
    own: str

    def settings(self) -> Any:
        """Settings of matplotlib; the salt makes the same figure the same file, text that stays text a small one."""
        return {
            "figure.facecolor": self.paper, "savefig.facecolor": self.paper, "axes.facecolor": self.paper,
            "text.color": self.ink, "axes.labelcolor": self.ink, "axes.titlecolor": self.ink,
            "xtick.color": self.ink, "ytick.color": self.ink, "axes.edgecolor": self.faint,
            "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "axes.axisbelow": True,
            "grid.color": self.grid, "axes.titlelocation": "left", "axes.titleweight": "bold", "axes.titlesize": 11,
            "font.size": 10, "legend.frameon": False, "svg.hashsalt": "hazboost", "svg.fonttype": "none",
        }  # fmt: skip


LIGHT = Look("light", "#ffffff", "#24292f", "#8c959f", "#eaeef2", "#0072b2", "#d55e00", "#d55e00")
DARK = Look("dark", "#0d1117", "#e6edf3", "#7d8590", "#21262d", "#58a6e0", "#f0883e", "#f0883e")


def save(draw: Callable[[Look], Any], folder: Path, name: str) -> tuple[str, str]:
    """Draw for both kinds of pages, and return the names of the two files."""
    import matplotlib as mpl  # noqa: PLC0415

    folder.mkdir(parents=True, exist_ok=True)
    names = []
    for look in (LIGHT, DARK):
        names.append(f"{name}{'' if look is LIGHT else '-dark'}.svg")
        with mpl.rc_context(look.settings()):
            draw(look).savefig(folder / names[-1], metadata={"Date": None})
    return names[0], names[1]


def draw_curves(outcomes: Mapping[str, Any], look: Look) -> Any:
    """Draw Kaplan and Meier's estimates of survival and of not being censored, a panel for each data set.

    Parameters
    ----------
    outcomes : mapping
        Title of each data set -> its `Dataset`, or None where the data could not be had.
    look : Look
        Colours.
    """
    columns = min(4, len(outcomes))
    figure, panels = _panels(len(outcomes), columns, (2.7 * columns, 2.3), sharey=True)
    for axes, (title, dataset) in zip(panels, outcomes.items(), strict=True):
        axes.set(title=title, ylim=(0.0, 1.03))
        if dataset is None:
            axes.text(0.5, 0.5, "data not here", transform=axes.transAxes, ha="center", color=look.faint)
            axes.set_xticks([])
            continue
        target = as_target(dataset.y)
        for estimate, colour, label in (
            (kaplan_meier, look.survival, "without event"),
            (censoring_distribution, look.censoring, "not censored"),
        ):
            axes.step(*_thinned(*estimate(target), target.longest), where="post", color=colour, label=label)
        axes.set_xlim(0.0, target.longest)
        axes.set_xlabel("time" if dataset.time_unit == "not given" else dataset.time_unit)
    for axes in panels[::columns]:
        axes.set_ylabel("probability")
    handles: Any = next((axes.get_legend_handles_labels() for axes in panels if axes.lines), ([], []))
    figure.legend(*handles, loc="outside upper left", ncols=2)
    return figure


def draw_intervals(study: Study, version: str, metric: Metric, look: Look) -> Any:
    """Draw the mean and 95 % interval of every model, a panel for each data set, the paper's number as a diamond."""
    cells = study.cells(version)
    columns = min(4, len(study.datasets))
    height = 0.9 + 0.21 * len(study.models)
    figure, panels = _panels(len(study.datasets), columns, (1.5 + 2.5 * columns, height), sharey=True)
    for axes, name, title in zip(panels, study.datasets, study.titles(), strict=True):
        estimates = [cells.estimate(model.name, name, metric.name) for model in study.models]
        beside = version == "paper" or name not in LEAKY
        _draw_panel(axes, study.models, estimates, metric, name if beside else "", look)
        axes.set_title(title if beside else f"{title}, leak-free")
    for axes in panels[::columns]:
        axes.set_yticks(range(len(study.models)), [model.title for model in study.models])
        for label, model in zip(axes.get_yticklabels(), study.models, strict=True):
            if model.name in OWN:
                label.set(color=look.own, weight="bold")
    panels[0].set_ylim(len(study.models) - 0.4, -0.6)
    figure.supxlabel(f"{metric.title} x100 ({'higher' if metric.higher_is_better else 'lower'} is better)", fontsize=10)
    figure.legend(handles=_interval_legend(look), loc="outside upper left", ncols=3)
    return figure


def _interval_legend(look: Look) -> list[Any]:
    from matplotlib.lines import Line2D  # noqa: PLC0415

    point: dict[str, Any] = {"linestyle": "none", "markersize": 5}
    return [
        Line2D([], [], marker="o", color=look.ink, label="mean and 95 % interval over the seeds", **point),
        Line2D([], [], marker="D", color=look.faint, markerfacecolor="none", label="published", **point),
        Line2D([], [], marker="<", color=look.faint, label="outside the panel", **point),
    ]


def _draw_panel(
    axes: Any, models: Sequence[Peer], estimates: Sequence[Estimate], metric: Metric, dataset: str, look: Look
) -> None:
    """One data set; scores far behind the better half are marked at the edge, so that they do not squash the rest."""
    printed = [published_score(metric.name, model.name, dataset) for model in models]
    low, high = _limits(estimates, metric)
    for place, (model, estimate, paper) in enumerate(zip(models, estimates, printed, strict=True)):
        colour = look.own if model.name in OWN else look.ink
        if paper is not None:
            _mark(axes, paper.mean, place, (low, high), marker="D", color=look.faint, markerfacecolor="none")
        if estimate.mean is None:
            axes.text(
                0.02, place, "none", transform=axes.get_yaxis_transform(), va="center", color=look.faint, fontsize=8
            )
            continue
        _mark(axes, estimate.mean, place, (low, high), marker="o", color=colour)
        if estimate.half_width is not None:
            ends = np.clip([estimate.mean - estimate.half_width, estimate.mean + estimate.half_width], low, high)
            axes.plot(ends, [place, place], color=colour, linewidth=1.5)
    axes.set_xlim(low, high)
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="y", length=0, pad=7)


def _mark(axes: Any, value: float, place: int, limits: tuple[float, float], **style: Any) -> None:
    """A mark at its value, or an arrow at the edge beyond which it lies."""
    low, high = limits
    if not low <= value <= high:
        style["marker"], value = ("<", low) if value < low else (">", high)
    axes.plot([value], [place], linestyle="none", markersize=4.5, clip_on=False, **style)


def _limits(estimates: Sequence[Estimate], metric: Metric) -> tuple[float, float]:
    """Room for the best end of an interval, and behind the median for half as much again as before it."""
    sign = 1.0 if metric.higher_is_better else -1.0
    ends = [(sign * each.mean, each.half_width or 0.0) for each in estimates if each.mean is not None]
    if not ends:
        return 0.0, 100.0
    middle = float(np.median([mean for mean, _ in ends]))
    ahead = max(max(mean + width for mean, width in ends) - middle, 0.25)
    behind = min(middle - min(mean - width for mean, width in ends), 1.5 * ahead)
    low, high = sorted((sign * (middle - behind - 0.1 * ahead), sign * (middle + 1.1 * ahead)))
    return low, high


def draw_ranks(study: Study, version: str, look: Look) -> Any:
    """Draw critical-difference diagrams of the paper's four metrics, over the models with a score on every data set.

    Kaplan and Meier's estimate is not among them: it gives no ranking of subjects.
    """
    panels: dict[str, Ranking | None] = {}
    for metric in METRICS[:4]:
        ranking = ranking_of(study, version, metric)
        missing = f"{metric.title}: fewer than two models have a score on every data set"
        panels[f"{metric.title}, {VERSIONS[version]}" if ranking else missing] = ranking
    own = {model.title for model in study.models if model.name in OWN}
    return draw_rankings(panels, width=8.5, highlight=own, accent=look.own, ink=look.ink)


def ranking_of(study: Study, version: str, metric: Metric) -> Ranking | None:
    """Mean ranks, by title, of the models that have a score on every data set; None where these are fewer than two."""
    cells = study.cells(version)
    means = {
        model.title: [cells.estimate(model.name, name, metric.name).mean for name in study.datasets]
        for model in study.models
        if model.learner != "none"
    }
    complete = {title: [mean for mean in row if mean is not None] for title, row in means.items() if None not in row}
    return rank_models(complete, higher_is_better=metric.higher_is_better) if len(complete) > 1 else None


def load_outcomes(datasets: Sequence[str]) -> dict[str, Any]:
    """Title -> data set, or None where it cannot be had on this machine."""
    from hazboost.datasets import load_dataset  # noqa: PLC0415

    found: dict[str, Any] = {}
    for name in datasets:
        try:
            found[DATASETS.get(name, name)] = load_dataset(name)
        except (FileNotFoundError, ImportError):
            found[DATASETS.get(name, name)] = None
    return found


def _panels(count: int, columns: int, size: tuple[float, float], *, sharey: bool) -> tuple[Any, list[Any]]:
    """Panels in rows; `size` is the width of the figure and the height of one row."""
    from matplotlib.figure import Figure  # noqa: PLC0415

    rows = -(-count // columns)
    figure = Figure(figsize=(size[0], 0.6 + rows * size[1]), layout="constrained")
    panels = list(figure.subplots(rows, columns, sharey=sharey, squeeze=False).flat)
    for unused in panels[count:]:
        unused.axis("off")
    return figure, panels[:count]


def _thinned(time: Array, probability: Array, longest: float) -> tuple[Array, Array]:
    """The steps from 1 at time zero to the longest follow-up, no more of them than can be seen."""
    kept = np.unique(np.linspace(0, len(time) - 1, min(len(time), _POINTS)).astype(int))
    ending = probability[-1] if len(probability) else 1.0
    return (
        np.concatenate([[0.0], time[kept], [longest]]),
        np.concatenate([[1.0], probability[kept], [ending]]),
    )
