"""The tables of the comparisons on real data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from benchmarks.harness.storage import Line
from benchmarks.harness.tables.markdown import grid
from benchmarks.studies.kinds.cells import Cell, comparisons, plan
from benchmarks.studies.kinds.competing import CAUSES

Lines = Mapping[Cell, Line]


def gather(lines: Lines, study: str, dataset: str, models: tuple[str, ...], score: str) -> dict[str, Any]:
    """One score of some models on the repeats that all of them have; model -> array, repeats first."""
    repeats = [
        repeat
        for repeat in range(comparisons()[study].repeats)
        if all("scores" in lines.get(Cell(study, dataset, model, repeat), {}) for model in models)
    ]
    return {
        model: np.array([lines[Cell(study, dataset, model, repeat)]["scores"][score] for repeat in repeats])
        for model in models
    }


def report_intercepts(lines: Lines) -> Iterator[str]:
    """Relative differences of the parameters and absolute ones of the likelihood."""
    rows = []
    for cell in plan(["intercepts"]):
        line = lines.get(cell, {})
        if "scores" in line:
            (*ours, likelihood), (*theirs, other) = line["scores"]["hazboost"], line["scores"]["lifelines"]
            worst = max(abs(one / two - 1.0) for one, two in zip(ours, theirs, strict=True))
            numbers = [f"{ours[0]:.4g}", f"{ours[1]:.4g}", f"{worst:.0e}", f"{likelihood - other:+.0e}"]
            rows.append([cell.dataset, cell.model, *numbers])
    head = ["scale", "shape", "scale and shape, relative difference", "mean log-likelihood, difference"]
    yield from grid(["data", "family", *head], rows, words=2)


def report_changing(lines: Lines) -> Iterator[str]:
    """Means over repeats, and how often FPBoost is better."""
    rows = []
    for dataset in comparisons()["changing"].datasets:
        found = {
            score: gather(lines, "changing", dataset, ("FPBoost", "Cox"), score)
            for score in ("concordance", "gain", "static")
        }
        static = found["static"]["FPBoost"]
        if not len(static):
            continue
        row = [dataset, str(len(static))]
        for score, scale, digits in (("concordance", 100.0, 1), ("gain", 1.0, 3)):
            ours, cox = found[score]["FPBoost"], found[score]["Cox"]
            row += [f"{scale * each.mean():.{digits}f}" for each in (ours, cox)] + [f"{(ours > cox).sum()}/{len(ours)}"]
        rows.append([*row, f"{100.0 * static.mean():.1f}"])
    head = ["C, FPBoost", "C, Cox", "better", "gain, FPBoost", "gain, Cox", "better", "static C, FPBoost"]
    yield from grid(["data", "repeats", *head], rows)


def report_competing(lines: Lines) -> Iterator[str]:
    """Means over repeats of the scores of each cause, and how often FPBoost is better than SurvivalBoost."""
    models = comparisons()["competing"].models
    head = ["data", "cause", *models, "better", *(f"distance, {model}" for model in models)]
    for score, title in (("ibs", "one censoring for all"), ("ibs_by_period", "censoring by period")):
        rows = []
        for dataset, causes in CAUSES.items():
            brier = gather(lines, "competing", dataset, models, score)
            distance = gather(lines, "competing", dataset, models, "distance")
            if not len(brier["FPBoost"]):
                continue
            better = (brier["FPBoost"] < brier["SurvivalBoost"]).sum(axis=0)
            for number, cause in enumerate(causes):
                scores = [f"{100.0 * brier[model][:, number].mean():.2f}" for model in models]
                distances = [f"{100.0 * distance[model][:, number].mean():.1f}" for model in models]
                rows.append([dataset, cause, *scores, f"{better[number]}/{len(brier['FPBoost'])}", *distances])
        yield from (f"Integrated Brier score x 100, {title}; distance of the mean incidence in points", "")
        yield from (*grid(head, rows, words=2), "")


REPORTS = {"intercepts": report_intercepts, "changing": report_changing, "competing": report_competing}
