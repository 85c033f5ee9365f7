"""The tables of the paper, and those it does not have, as `Table` objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchmarks.harness.tables.table import Entry, Row, Table
from benchmarks.peers.shared.base import Peer
from benchmarks.studies.paper.estimates import LEAKY, METRICS, Cells, Estimate, Metric, pool, select
from benchmarks.studies.paper.models import OWN
from benchmarks.studies.paper.published import COMPARED, DATASETS, LEFT_OUT, published_improvement, published_score

SEEDS = 30
VERSIONS = {"paper": "as in the paper", "leak_free": "leak-free"}
KINDS = ("non-parametric", "semi-parametric", "fully parametric", "all")
LEARNERS = ("linear", "tree", "neural", "all")
_UNTRIMMED = {"ibs_full": "ibs", "auc_full": "auc"}
_INTERVALS = "x100; mean ± half of the 95 % confidence interval (Student's t over the seeds)."
_MEANS = (
    "x100; mean of the data sets' means ± half of the 95 % confidence interval, for which, as in the paper, all cells "
    "of all data sets are one sample. Untrimmed: on a grid of times that is not cut by 10 % at both ends."
)
_REMOVED = (
    "FLCHAIN without `chapter`, SUPPORT2 without `fac_sfdm2` and `fac_dnr`, WHAS without `x0` and split by patient"
)


@dataclass(frozen=True)
class Study:
    """Which cells there should be, and those that there are.

    Attributes
    ----------
    lines : sequence of mappings
        As they were stored.
    models : tuple of Peer
        In the order of rows.
    datasets : tuple of str
        In the order of columns.
    seeds : int
        Planned cells of each model on each data set.
    """

    lines: Sequence[Mapping[str, Any]]
    models: tuple[Peer, ...]
    datasets: tuple[str, ...]
    seeds: int = SEEDS

    def cells(self, version: str) -> Cells:
        """The cells of a version of the tables."""
        return select(self.lines, version, self.seeds)

    def titles(self) -> tuple[str, ...]:
        """Heads of the columns."""
        return tuple(DATASETS.get(name, name) for name in self.datasets)

    def versions(self) -> tuple[str, ...]:
        """Both versions, or the paper's alone where no data set of the study has a leak."""
        return tuple(VERSIONS) if set(self.datasets) & set(LEAKY) else ("paper",)


def all_tables(study: Study) -> list[Table]:
    """Every table: means, metrics and improvements in each version, what the leaks did, and what is missing."""
    tables: list[Table] = []
    for version in study.versions():
        tables.append(mean_table(study, version))
        tables += [metric_table(study, version, metric) for metric in METRICS]
        tables += [improvement_table(study, version, metric) for metric in METRICS]
    if len(study.versions()) > 1:
        tables += [leak_table(study, metric) for metric in METRICS]
    return [*tables, missing_table(study)]


def metric_table(study: Study, version: str, metric: Metric) -> Table:
    """One metric: models by data sets, with the paper's numbers where the data are the paper's."""
    cells = study.cells(version)
    estimates = [[cells.estimate(model.name, name, metric.name) for name in study.datasets] for model in study.models]
    entries = [
        [
            replace(_entry(estimate), published=_published(metric, model, name, version))
            for estimate, name in zip(row, study.datasets, strict=True)
        ]
        for model, row in zip(study.models, estimates, strict=True)
    ]
    return Table(
        f"{version}-{metric.name}",
        f"{metric.title} ({metric.arrow}), {VERSIONS[version]}",
        "Model",
        study.titles(),
        _model_rows(study.models, _ranked(entries, [metric] * len(study.datasets))),
        (_INTERVALS, *_grid_note(metric), *_leak_free_note(version), *_coverage_note(entries)),
    )


def mean_table(study: Study, version: str) -> Table:
    """The means over all data sets, every metric; models without a score on every data set are not ranked."""
    cells = study.cells(version)
    entries = [[_mean_entry(study, cells, model, metric, version) for metric in METRICS] for model in study.models]
    return Table(
        f"{version}-mean",
        f"Means over the data sets, {VERSIONS[version]}",
        "Model",
        tuple(f"{metric.title} ({metric.arrow})" for metric in METRICS),
        _model_rows(study.models, _ranked(entries, METRICS)),
        (
            _MEANS,
            *_leak_free_note(version),
            *_coverage_note(entries),
        ),
    )


def improvement_table(study: Study, version: str, metric: Metric) -> Table:
    """Improvement of FPBoost over the other models, by model type and estimator, averaged over data sets and models."""
    left_out = LEFT_OUT.get(_UNTRIMMED.get(metric.name, metric.name), ())
    compared = [name for name in COMPARED if name not in left_out]
    defaults = [name.removesuffix("_paper") for name in compared]
    sections = (
        ("fpboost_paper", compared, "in the paper's settings", version == "paper"),
        ("fpboost", compared, "in the paper's settings", False),
        ("fpboost", defaults, "in their libraries' settings", False),
    )
    cells, titles = study.cells(version), {model.name: model.title for model in study.models}
    rows: list[Row] = []
    for own, others, settings, beside in sections:
        rows.append(Row(f"{titles.get(own, own)} over the models {settings}", rule=bool(rows)))
        for kind in KINDS:
            entries = [_improvement(study, cells, metric, own, others, kind, learner) for learner in LEARNERS]
            if beside:
                entries = [
                    replace(entry, published=published_improvement(metric.name, kind, learner))
                    for entry, learner in zip(entries, LEARNERS, strict=True)
                ]
            rows.append(Row(kind.capitalize(), tuple(entries)))
    names = ", ".join(model.title for model in study.models if model.name in left_out)
    return Table(
        f"{version}-improvement-{metric.name}",
        f"Improvement in {metric.title} ({metric.arrow}), {VERSIONS[version]}",
        metric.title,
        tuple(learner.capitalize() for learner in LEARNERS),
        tuple(rows),
        (
            "x100; FPBoost minus the model, averaged over the data sets that both have and then over the models.",
            *([f"{names} is left out of it, as in the paper."] if names else []),
            *_coverage_note([row.entries for row in rows]),
        ),
    )


def leak_table(study: Study, metric: Metric) -> Table:
    """What removing the leaks changed, on the three data sets that have one."""
    datasets = [name for name in study.datasets if name in LEAKY]
    paper, leak_free = study.cells("paper"), study.cells("leak_free")
    columns: list[str] = []
    for name in datasets:
        columns += [DATASETS[name], f"{DATASETS[name]}, leak-free", f"{DATASETS[name]}, change"]
    rows = []
    for model in study.models:
        entries: list[Entry] = []
        for name in datasets:
            before = paper.estimate(model.name, name, metric.name)
            after = leak_free.estimate(model.name, name, metric.name)
            entries += [_entry(before), _entry(after), _difference(before, after)]
        rows.append(entries)
    return Table(
        f"leaks-{metric.name}",
        f"What the leaks were worth: {metric.title} ({metric.arrow})",
        "Model",
        tuple(columns),
        _model_rows(study.models, rows),
        (
            _INTERVALS,
            f"Leak-free: {_REMOVED} (other test rows than in the paper).",
            *_coverage_note(rows),
        ),
    )


def missing_table(study: Study) -> Table:
    """Every model and data set with fewer scores than planned, and the most frequent reason."""
    rows = []
    for variant, title in VERSIONS.items():
        cells = study.cells(variant)
        for model in study.models:
            for name, column in zip(study.datasets, study.titles(), strict=True):
                if variant == "leak_free" and name not in LEAKY:
                    continue
                rows += _missing(cells, model, name, f"{column}, {title}" if name in LEAKY else column)
    return Table(
        "missing",
        "Missing cells",
        "Model",
        ("Data set", "Seeds", "Why"),
        tuple(rows),
        () if rows else (f"None: every model has {study.seeds} seeds on every data set.",),
    )


def _missing(cells: Cells, model: Peer, dataset: str, column: str) -> list[Row]:
    lines = cells.lines.get((model.name, dataset), ())
    count = min(cells.estimate(model.name, dataset, metric.name).count for metric in METRICS)
    if count >= cells.planned:
        return []
    reasons = cells.failures(model.name, dataset)
    if len(lines) < cells.planned:
        reasons = [*reasons, f"not run ({cells.planned - len(lines)})"]
    seeds = f"{count}/{cells.planned}"
    return [Row(model.title, (Entry(text=column), Entry(text=seeds), Entry(text="; ".join(reasons))))]


def _entry(estimate: Estimate) -> Entry:
    coverage = "" if estimate.complete or estimate.mean is None else f"{estimate.count}/{estimate.planned}"
    return Entry(estimate.mean, estimate.half_width, coverage=coverage, note=estimate.reason)


def _mean_entry(study: Study, cells: Cells, model: Peer, metric: Metric, version: str) -> Entry:
    estimates = [cells.estimate(model.name, name, metric.name) for name in study.datasets]
    entry = _entry(pool(estimates))
    there = sum(estimate.mean is not None for estimate in estimates)
    if 0 < there < len(estimates):
        entry = replace(entry, coverage=f"{there}/{len(estimates)} sets")
    return replace(entry, published=published_score(metric.name, model.name, "mean") if version == "paper" else None)


def _difference(before: Estimate, after: Estimate) -> Entry:
    if before.mean is None or after.mean is None:
        return Entry(note="one of the two is missing", signed=True)
    return Entry(after.mean - before.mean, signed=True)


def _improvement(
    study: Study, cells: Cells, metric: Metric, own: str, others: Iterable[str], kind: str, learner: str
) -> Entry:
    """Mean over models of the mean over data sets; the coverage counts pairs of model and data set."""
    chosen = [model for model in study.models if model.name in others and _is_of(model, kind, learner)]
    gains = [gain for model in chosen if (gain := _gains(study, cells, metric, own, model.name))]
    planned, there = len(chosen) * len(study.datasets), sum(len(gain) for gain in gains)
    if not gains:
        return Entry(signed=True, note="no scores of both" if chosen else "no such model")
    coverage = "" if there == planned else f"{there}/{planned} pairs"
    return Entry(float(np.mean([np.mean(gain) for gain in gains])), coverage=coverage, signed=True)


def _gains(study: Study, cells: Cells, metric: Metric, own: str, other: str) -> list[float]:
    pairs = [
        (cells.estimate(own, name, metric.name).mean, cells.estimate(other, name, metric.name).mean)
        for name in study.datasets
    ]
    return [ours - theirs for ours, theirs in pairs if ours is not None and theirs is not None]


def _is_of(model: Peer, kind: str, learner: str) -> bool:
    return kind in ("all", model.kind) and learner in ("all", model.learner)


def _published(metric: Metric, model: Peer, dataset: str, version: str) -> Any:
    """The paper's number where the data are the paper's: not beside a score without the leak."""
    if version == "leak_free" and dataset in LEAKY:
        return None
    return published_score(metric.name, model.name, dataset)


def _ranked(entries: Sequence[Sequence[Entry]], metrics: Sequence[Metric]) -> list[list[Entry]]:
    """The entries with the best and the second best of each column marked, by their unrounded values.

    Means over fewer data sets than the others' are not compared with them.
    """
    ranked = [list(row) for row in entries]
    for column, metric in enumerate(metrics):
        values = sorted(
            {_comparable(row[column]) for row in entries} - {None},
            reverse=metric.higher_is_better,
            key=lambda value: value if value is not None else 0.0,
        )
        for row in ranked:
            value = _comparable(row[column])
            if value in values[:2]:
                row[column] = replace(row[column], rank=values.index(value) + 1)
    return ranked


def _comparable(entry: Entry) -> float | None:
    return None if entry.coverage.endswith("sets") else entry.value


def _model_rows(models: Sequence[Peer], entries: Sequence[Sequence[Entry]]) -> tuple[Row, ...]:
    """One row for each model, a rule above the first FPBoost."""
    own = [model.name in OWN for model in models]
    first = own.index(True) if True in own else -1
    return tuple(
        Row(model.title, tuple(row), rule=index == first > 0)
        for index, (model, row) in enumerate(zip(models, entries, strict=True))
    )


def _grid_note(metric: Metric) -> tuple[str, ...]:
    if metric.name in _UNTRIMMED:
        return ("On a grid of times that is not cut; the paper cuts 10 % at both ends, and has no such number.",)
    return ()


def _leak_free_note(version: str) -> tuple[str, ...]:
    if version == "paper":
        return ()
    return (f"{_REMOVED}; the others, which have no leak, as in the paper.",)


def _coverage_note(entries: Iterable[Iterable[Entry]]) -> tuple[str, ...]:
    """What the marks mean, where there are any."""
    flat = [entry for row in entries for entry in row]
    if any(entry.coverage or (entry.value is None and entry.note != "no such model") for entry in flat):
        return (
            "In brackets: how many of the planned are there, where some are missing. —: none; see *Missing cells*.",
        )
    return ()
