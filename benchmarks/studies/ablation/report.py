"""The report: what each variant costs beside the default, in every score of both studies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from benchmarks.harness.cells import Work, failures
from benchmarks.harness.storage import Line
from benchmarks.harness.tables.markdown import grid
from benchmarks.peers import peers_of
from benchmarks.studies.accuracy import cells as accuracy
from benchmarks.studies.truth import cells as truth

DEFAULT = "default"
#: A cost is clear from so many standard errors on, over at least so many data sets.
CLEAR, FEWEST = 2.0, 3
Results = Mapping[Any, Line]


@dataclass(frozen=True)
class Part:
    """A study whose cells are run with variants.

    Attributes
    ----------
    work : Work
        How its cells are stored.
    unit : callable
        From a cell to the name of its data set; differences are averaged over the other cells of a set first.
    scores : dict of str to callable
        Title -> from a line to a number that is larger where the variant is worse.
    """

    work: Work[Any]
    unit: Callable[[Any], str]
    scores: Mapping[str, Callable[[Line], float]]


PARTS = {
    "accuracy": Part(
        accuracy.WORK,
        lambda cell: cell.dataset,
        {
            "C-index, x 100": lambda line: -100.0 * line["c_index"],
            "Brier score, x 1,000": lambda line: 1e3 * line["brier"],
            "log score, x 1,000": lambda line: 1e3 * line["log_score"],
            "deviation of D-calibration, x 100": lambda line: 100.0 * line["d_deviation"],
            "off at the median, x 100": lambda line: 100.0 * abs(line["median_excess"]),
        },
    ),
    "truth": Part(
        truth.WORK,
        lambda cell: cell.situation,
        {
            "error to the truth, %": lambda line: 100.0 * np.log(line["rmse"]),
            "mean curve, x 100": lambda line: 100.0 * line["mean_curve"],
            "true share at the median, x 100": lambda line: 100.0 * abs(line["calibration"]),
        },
    ),
}


class Cost(NamedTuple):
    """By how much a variant is worse than the default: mean over data sets, its standard error, number of sets."""

    mean: float
    error: float
    sets: int

    @property
    def is_clear(self) -> bool:
        """Whether the variant is worse beyond chance."""
        return self.sets >= FEWEST and self.mean > CLEAR * self.error

    def __str__(self) -> str:
        if self.sets == 0:
            return ""
        text = f"{self.mean:+.2f} ± {self.error:.2f}" if self.sets > 1 else f"{self.mean:+.2f}"
        return f"**{text}**" if self.is_clear else text


def write_report(folder: Path, variants: Sequence[str]) -> str:
    """Write ``report.md`` beside the results, and return the text."""
    results = {
        name: {cell: line for cell, line in part.work.read(folder / name).items() if cell.model in variants}
        for name, part in PARTS.items()
    }
    if not any(line["error"] is None for of in results.values() for line in of.values()):
        return "No cell has a result.\n"
    text = compose(results, variants)
    (folder / "report.md").write_text(text, encoding="utf-8")
    return text


def compose(results: Mapping[str, Results], variants: Sequence[str]) -> str:
    """The report as Markdown."""
    numbers = {name: len({PARTS[name].unit(cell) for cell in of}) for name, of in results.items()}
    others = [name for name in variants if name != DEFAULT]
    tables = {name: costs_of(PARTS[name], of, others) for name, of in results.items()}
    seconds = {name: seconds_of(PARTS[name], of, others) for name, of in results.items()}
    lines = [
        [
            peers_of("ablation")[variant].title,
            *(str(cost[variant]) for table in tables.values() for cost in table.values()),
            *(f"{ratio[variant]:.2f}" if variant in ratio else "" for ratio in seconds.values()),
            verdict({title: cost[variant] for table in tables.values() for title, cost in table.items()}),
        ]
        for variant in others
    ]
    titles = [title for table in tables.values() for title in table]
    head = ["variant", *titles, *(f"seconds, {name}" for name in seconds), "the default"]
    about = (
        f"By how much FPBoost is worse with one thing changed: means over {numbers['accuracy']} data sets of the "
        f"accuracy study and {numbers['truth']} situations of the truth study, with standard errors over them, of "
        "differences to the default on the same splits. Positive numbers mean that the change does harm; in bold "
        f"are those of more than {CLEAR:g} standard errors. The last column says in which scores they are, so that "
        "a step stays; without any, it may go. Seconds of a fit are relative to the default (geometric mean).\n"
    )
    return "\n".join(
        [
            "# What each step is worth\n",
            about,
            *grid(head, lines),
            "",
            *(f"{name}: {failures(of, variants)}" for name, of in results.items()),
        ]
    )


def verdict(costs: Mapping[str, Cost]) -> str:
    """In which scores a change does harm.

    Examples
    --------
    >>> verdict({"C-index, x 100": Cost(1.0, 0.2, 9), "Brier score": Cost(0.1, 0.2, 9)}), verdict({})
    ('stays: C-index', 'not measured')
    """
    if not any(cost.sets for cost in costs.values()):
        return "not measured"
    clear = [title.split(",")[0] for title, cost in costs.items() if cost.is_clear]
    return f"stays: {', '.join(clear)}" if clear else "may go"


def costs_of(part: Part, results: Results, variants: Sequence[str]) -> dict[str, dict[str, Cost]]:
    """Title of a score -> variant -> what it costs."""
    found = {}
    for title, score in part.scores.items():
        harm = differences(part, results, score)
        found[title] = {name: cost_of(harm[name]) if name in harm else Cost(0.0, 0.0, 0) for name in variants}
    return found


def seconds_of(part: Part, results: Results, variants: Sequence[str]) -> dict[str, float]:
    """Variant -> seconds of a fit relative to the default, for those that have results."""
    logs = differences(part, results, lambda line: float(np.log(line["fit_seconds"])))
    return {name: float(np.exp(logs[name].mean())) for name in variants if name in logs and logs[name].notna().any()}


def differences(part: Part, results: Results, score: Callable[[Line], float]) -> pd.DataFrame:
    """Score minus that of the default on the same split, then means over the splits of a data set; sets by variants."""
    rows = [
        (part.unit(cell), str((cell.data, cell.repeat)), cell.model, score(line))
        for cell, line in results.items()
        if line["error"] is None and _is_complete(line)
    ]
    table = pd.DataFrame(rows, columns=["set", "split", "model", "score"])
    wide = table.pivot_table(index=["set", "split"], columns="model", values="score")
    if DEFAULT not in wide:
        return pd.DataFrame()
    return wide.sub(wide[DEFAULT], axis=0).groupby(level="set").mean()


def cost_of(harm: pd.Series) -> Cost:
    """Mean and standard error over data sets, as far as there are results."""
    known = harm.dropna()
    return Cost(known.mean(), known.sem() if len(known) > 1 else 0.0, len(known)) if len(known) else Cost(0.0, 0.0, 0)


def _is_complete(line: Line) -> bool:
    """Whether no score of the line is missing: concordance is not defined where no pair can be compared."""
    return None not in (line.get("c_index"), line.get("d_calibration_p", 0.0))
