"""Every kind of survival data on real data sets, against other libraries: ``python -m benchmarks.kinds.real``.

Three studies: `competing`, `changing` and `intercepts`. What has been measured is in ``results/``, one line for
each data set, model and repeat; a second call measures only what is missing, and prints the tables.
"""

from __future__ import annotations

import argparse
import importlib
import json
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

RESULTS = Path(__file__).parent / "results"
STUDIES = {
    "intercepts": (
        ["psychiatric_patients", "multicenter_aids_cohort_study", "diabetes", "mice", "lcd"],
        ["weibull", "loglogistic"],
    ),
    "changing": (
        ["heart", "heartvalve", "Rossi", "epileptic", "csl", "aids", "FRTCS", "oldmort"],
        ["FPBoost", "Cox"],
    ),
    "competing": (["mgus2", "ebmt2"], ["FPBoost", "SurvivalBoost", "Aalen-Johansen"]),
}
REPEATS = {"intercepts": 1, "changing": 6, "competing": 5}


class Cell(NamedTuple):
    """One thing to measure."""

    study: str
    dataset: str
    model: str
    repeat: int


def cells(studies: Sequence[str]) -> Iterator[Cell]:
    """All of the studies, the first repeat of everything before the second."""
    for study in studies:
        datasets, models = STUDIES[study]
        for repeat in range(REPEATS[study]):
            yield from (Cell(study, dataset, model, repeat) for dataset in datasets for model in models)


def read(folder: Path) -> dict[Cell, dict[str, Any]]:
    """What has been measured."""
    lines = [line for path in sorted(folder.glob("*.jsonl")) for line in path.read_text(encoding="utf-8").splitlines()]
    return {Cell(**entry["cell"]): entry for entry in map(json.loads, lines)}


def measure(cell: Cell) -> dict[str, Any]:
    """Scores of a cell, and how long it took. A study is imported when it is its turn, as each needs other packages."""
    study = importlib.import_module(f"benchmarks.kinds.{cell.study}")
    began = time.perf_counter()
    scores = study.measure(cell.dataset, cell.model, cell.repeat)
    return {"cell": cell._asdict(), "seconds": round(time.perf_counter() - began, 1), "scores": rounded(scores)}


def rounded(scores: dict[str, Any]) -> dict[str, Any]:
    """Seven digits, which is more than any score has."""
    return {name: np.vectorize(lambda value: float(f"{value:.7g}"))(values).tolist() for name, values in scores.items()}


def append(folder: Path, entry: dict[str, Any]) -> None:
    """Add a line to the file of its study."""
    with (folder / f"{entry['cell']['study']}.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(entry, allow_nan=False) + "\n")


def gather(lines: dict[Cell, dict[str, Any]], study: str, dataset: str, model: str, score: str) -> Any:
    """One score of a model on the repeats that all models of the study have, in their order."""
    models = STUDIES[study][1]
    repeats = [
        repeat
        for repeat in range(REPEATS[study])
        if all(Cell(study, dataset, other, repeat) in lines for other in models)
    ]
    return np.array([lines[Cell(study, dataset, model, repeat)]["scores"][score] for repeat in repeats])


def report_intercepts(lines: dict[Cell, dict[str, Any]]) -> Iterator[str]:
    """Relative differences of the parameters and absolute ones of the likelihood."""
    yield "| data | family | scale | shape | scale and shape, relative difference | mean log-likelihood, difference |"
    yield "|---|---|---:|---:|---:|---:|"
    for dataset in STUDIES["intercepts"][0]:
        for family in STUDIES["intercepts"][1]:
            entry = lines.get(Cell("intercepts", dataset, family, 0))
            if entry:
                (*ours, likelihood), (*theirs, other) = entry["scores"]["hazboost"], entry["scores"]["lifelines"]
                worst = max(abs(one / two - 1.0) for one, two in zip(ours, theirs, strict=True))
                numbers = f"{ours[0]:.4g} | {ours[1]:.4g} | {worst:.0e} | {likelihood - other:+.0e}"
                yield f"| {dataset} | {family} | {numbers} |"


def report_changing(lines: dict[Cell, dict[str, Any]]) -> Iterator[str]:
    """Means over repeats, and how often FPBoost is better."""
    yield "| data | repeats | C, FPBoost | C, Cox | better | gain, FPBoost | gain, Cox | better | static C, FPBoost |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    for dataset in STUDIES["changing"][0]:
        parts = []
        for score, scale in (("concordance", 100.0), ("gain", 1.0)):
            ours, cox = (gather(lines, "changing", dataset, model, score) for model in ("FPBoost", "Cox"))
            if not len(ours):
                break
            digits = 1 if scale > 1.0 else 3
            parts.append(
                f"{scale * ours.mean():.{digits}f} | {scale * cox.mean():.{digits}f} | {(ours > cox).sum()}/{len(ours)}"
            )
        else:
            static = gather(lines, "changing", dataset, "FPBoost", "static")
            yield f"| {dataset} | {len(static)} | {' | '.join(parts)} | {100.0 * static.mean():.1f} |"


def report_competing(lines: dict[Cell, dict[str, Any]]) -> Iterator[str]:
    """Means over repeats of the scores of each cause, and how often FPBoost is better than SurvivalBoost."""
    from benchmarks.kinds.competing import CAUSES  # noqa: PLC0415 - only this table needs the names

    models = STUDIES["competing"][1]
    for score, title in (("ibs", "one censoring for all"), ("ibs_by_period", "censoring by period")):
        yield f"Integrated Brier score x 100, {title}; distance of the mean incidence in points"
        yield ""
        distance_columns = [f"distance, {model}" for model in models]
        yield f"| {' | '.join(['data', 'cause', *models, 'better', *distance_columns])} |"
        yield "|---|---|" + "---:|" * (2 * len(models) + 1)
        for dataset, causes in CAUSES.items():
            brier = {model: gather(lines, "competing", dataset, model, score) for model in models}
            distance = {model: gather(lines, "competing", dataset, model, "distance") for model in models}
            if not len(brier["FPBoost"]):
                continue
            for number, cause in enumerate(causes):
                scores = " | ".join(f"{100.0 * brier[model][:, number].mean():.2f}" for model in models)
                better = (brier["FPBoost"] < brier["SurvivalBoost"])[:, number].sum()
                distances = " | ".join(f"{100.0 * distance[model][:, number].mean():.1f}" for model in models)
                yield f"| {dataset} | {cause} | {scores} | {better}/{len(brier['FPBoost'])} | {distances} |"
        yield ""


REPORTS = {"intercepts": report_intercepts, "changing": report_changing, "competing": report_competing}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what is missing, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", nargs="+", choices=list(STUDIES), default=list(STUDIES))
    parser.add_argument("--report", action="store_true", help="measure nothing")
    options = parser.parse_args(arguments)
    RESULTS.mkdir(exist_ok=True)
    done = read(RESULTS)
    for cell in () if options.report else cells(options.studies):
        if cell not in done:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # other libraries' remarks on convergence and pandas
                entry = measure(cell)
            append(RESULTS, entry)
            print(json.dumps(entry), flush=True)  # noqa: T201
    lines = read(RESULTS)
    for study in options.studies:
        print("\n".join(["", *REPORTS[study](lines)]))  # noqa: T201


if __name__ == "__main__":
    main()
