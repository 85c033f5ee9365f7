r"""From cells to means with 95 % confidence intervals.

The paper prints intervals without saying how they were made; Student's t is used here,

.. math:: \bar{x} \pm t_{0.975,\,n-1}\, s / \sqrt{n}

over the *n* seeds, which for thirty of them is 4 % wider than the normal interval, and honest for fewer. The seeds
share one test part: the interval says how much a score depends on the training and validation rows, not how it would
be for other test rows.
"""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import t as student

from hazboost.utils.arrays import Array

#: Data sets that have cells of a variant without the leak; in leak-free tables all others keep their cells.
LEAKY = ("flchain", "support2", "whas")
NOT_RUN = "not run"


@dataclass(frozen=True)
class Metric:
    """A score of a cell, and which way is better."""

    name: str
    title: str
    higher_is_better: bool

    @property
    def arrow(self) -> str:
        """Which way is better, as an arrow."""
        return "↑" if self.higher_is_better else "↓"


METRICS = (
    Metric("c_index", "C-Index", higher_is_better=True),
    Metric("ibs", "IBS", higher_is_better=False),
    Metric("c_td", "C-TD", higher_is_better=True),
    Metric("auc", "AUC", higher_is_better=True),
    Metric("ibs_full", "IBS, untrimmed", higher_is_better=False),
    Metric("auc_full", "AUC, untrimmed", higher_is_better=True),
)


@dataclass(frozen=True)
class Estimate:
    """Mean (x100) over `count` of `planned` cells, with half of its interval where there are two or more.

    `variance` is that of the cells, with `count` in the denominator. Without any cell the mean is None, and `reason`
    says why.
    """

    mean: float | None
    half_width: float | None
    variance: float
    count: int
    planned: int
    reason: str = ""

    @property
    def complete(self) -> bool:
        """Whether every planned cell has a score."""
        return self.count >= self.planned


@dataclass(frozen=True)
class Cells:
    """The lines of one version of the study, by model and data set."""

    lines: Mapping[tuple[str, str], Sequence[Mapping[str, Any]]]
    planned: int

    def estimate(self, model: str, dataset: str, metric: str) -> Estimate:
        """Mean of the cells that ended without an error; an error is never a score."""
        lines = self.lines.get((model, dataset), ())
        scores = [100.0 * line[metric] for line in lines if line["error"] is None and _is_score(line.get(metric))]
        reasons = self.failures(model, dataset)
        return summarise(np.asarray(scores), self.planned, reasons[0] if reasons else NOT_RUN)

    def failures(self, model: str, dataset: str) -> list[str]:
        """The last lines of the errors, the most frequent first, each with its count."""
        lines = self.lines.get((model, dataset), ())
        errors = Counter(_last_line(line["error"]) for line in lines if line["error"])
        return [f"{error} ({count})" for error, count in errors.most_common()]


def select(lines: Iterable[Mapping[str, Any]], version: str, planned: int) -> Cells:
    """The cells of a version: ``"paper"``, or ``"leak_free"``, in which data sets without a leak keep their cells."""
    chosen: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for line in lines:
        if line["variant"] == variant_of(line["dataset"], version):
            chosen.setdefault((line["model"], line["dataset"]), []).append(line)
    return Cells(chosen, planned)


def variant_of(dataset: str, version: str) -> str:
    """Which variant of a data set a version of the tables shows.

    Examples
    --------
    >>> variant_of("whas", "leak_free"), variant_of("gbsg2", "leak_free")
    ('leak_free', 'paper')
    """
    return version if dataset in LEAKY else "paper"


def summarise(scores: Array, planned: int, reason: str = "") -> Estimate:
    """Mean and t interval of the scores of one model on one data set."""
    count = len(scores)
    if count == 0:
        return Estimate(None, None, 0.0, 0, planned, reason or NOT_RUN)
    variance = float(np.var(scores))
    return Estimate(float(np.mean(scores)), _half_width(variance, count), variance, count, planned)


def pool(estimates: Sequence[Estimate]) -> Estimate:
    r"""Mean over data sets with an interval, as the paper's table of means has it.

    Every data set weighs the same. The interval takes all :math:`N` cells of all data sets for one sample, whose
    variance is that within the data sets plus that between them,

    .. math:: v = \frac{1}{D} \sum_d \left(v_d + (\bar{x}_d - \bar{x})^2\right)

    This gives the published intervals back from the published scores. It mostly tells how different the data sets are.
    """
    there = [(estimate.mean, estimate) for estimate in estimates if estimate.mean is not None]
    planned = sum(estimate.planned for estimate in estimates)
    if not there:
        return Estimate(None, None, 0.0, 0, planned, "no data set")
    means = np.array([mean for mean, _ in there])
    count = sum(estimate.count for _, estimate in there)
    variance = float(np.mean([estimate.variance for _, estimate in there]) + np.var(means))
    return Estimate(float(means.mean()), _half_width(variance, count), variance, count, planned)


def _last_line(error: str) -> str:
    lines = error.strip().splitlines()
    return textwrap.shorten(lines[-1], 160, placeholder=" ...") if lines else "error without a message"


def _is_score(value: Any) -> bool:
    return value is not None and math.isfinite(value)


def _half_width(variance: float, count: int) -> float | None:
    """Half of Student's interval; `variance` has `count`, not ``count - 1``, in its denominator."""
    if count < 2:
        return None
    return float(student.ppf(0.975, count - 1) * math.sqrt(variance / (count - 1)))
