"""The report: errors of all models by situation and number of rows, FPBoost beside XGBoost, and seconds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.harness.cells import failures
from benchmarks.harness.storage import Line
from benchmarks.harness.tables.markdown import grid
from benchmarks.studies.learning.cells import WORK, Cell
from benchmarks.studies.learning.models import BY_HAND, OWN, RIVALS, models
from benchmarks.studies.learning.situations import SITUATIONS

#: The best of all settings by hand, in hindsight.
HAND = "hand"
#: Title of each part -> its measure, where it has one.
ERRORS = {
    "Error of the survival function": "rmse",
    "Error of the mean curve": "mean_curve",
    "Error of the incidence of the first cause": "incidence_rmse",
    "Error of its mean curve": "incidence_mean_curve",
}
SECONDS = {"Seconds of a fit": "fit_seconds", "Seconds of 5,000 predictions": "predict_seconds"}

Results = Mapping[Cell, Line]


def write_report(folder: Path, chosen: Sequence[str], situations: Sequence[str], threads: int) -> str:
    """Write ``report.md``, ``learning.svg`` and ``seconds.svg`` beside the results, and return the text.

    Parameters
    ----------
    folder : Path
        Where the results are.
    chosen, situations : sequence of str
        Models and situations to show, where there are results.
    threads : int
        Threads of the fits to show.
    """
    from benchmarks.studies.learning.figures import draw_learning, draw_seconds  # noqa: PLC0415 - need matplotlib

    results = {
        cell: line
        for cell, line in WORK.read(folder).items()
        if cell.model in chosen and cell.situation in situations and cell.threads == threads
    }
    measures = measures_of(results)
    if measures.empty:
        return "No cell has a result.\n"
    errors = table(measures, "rmse")
    draw_learning(errors, folder / "learning.svg")
    draw_seconds(errors, table(measures, "fit_seconds"), folder / "seconds.svg")
    text = "\n".join([*compose(results, measures), failures(results, chosen)])
    (folder / "report.md").write_text(text, encoding="utf-8")
    return text


def compose(results: Results, measures: pd.DataFrame) -> Iterator[str]:
    """The parts of the report."""
    yield "# Errors by the number of rows\n"
    yield (
        "Errors are those of probabilities, x 100: the root of the mean square over 5,000 new subjects and nineteen "
        "times, and the largest difference of mean curves, as means over repeats. *By hand* is FPBoost with the best "
        "of nine settings, chosen in hindsight. *Ratio* is the error of FPBoost over that of the better XGBoost. "
        "*Fall* is the error over that with the next smaller number of rows, for each factor of ten.\n"
    )
    yield "![Errors by the number of rows](learning.svg)\n"
    yield "![Errors by the seconds of a fit](seconds.svg)\n"
    for title, measure in ERRORS.items():
        values = table(measures, measure)
        if not values.empty:
            yield f"## {title}\n"
            yield error_table(values)
    for title, measure in SECONDS.items():
        yield f"## {title}\n"
        yield plain_table(table(measures, measure), lambda value: f"{value:,.2f}")
    yield "## What was chosen\n"
    yield choice_table(results)


def measures_of(results: Results) -> pd.DataFrame:
    """Means over repeats: situation, rows and model by measures, with the best settings by hand as one model."""
    keys, names = ["situation", "rows", "model"], [*ERRORS.values(), *SECONDS.values()]
    lines = [
        {key: line[key] for key in keys} | {name: line.get(name) for name in names}
        for line in results.values()
        if line["error"] is None
    ]
    means = pd.DataFrame(lines, columns=[*keys, *names]).astype(dict.fromkeys(names, float)).groupby(keys).mean()
    if means.empty:
        return means
    by_hand = means.index.get_level_values("model").str.startswith(BY_HAND)
    best = means[by_hand].sort_values("rmse").groupby(level=keys[:2]).head(1)
    return pd.concat([means[~by_hand], best.rename(lambda _: HAND, level="model")])


def table(measures: pd.DataFrame, measure: str) -> pd.DataFrame:
    """One measure, situation and rows by models, in the order of the registries; lines without any value left out."""
    wide = measures.dropna(subset=measure).pivot_table(measure, ["situation", "rows"], "model")
    known = [name for name in titles() if name in wide]
    position = {name: place for place, name in enumerate(SITUATIONS)}
    return wide.reindex(index=sorted(wide.index, key=lambda key: (position[key[0]], key[1])), columns=known)


def titles() -> dict[str, str]:
    """Titles of the models, with the settings by hand as one model, after FPBoost."""
    own, *others = (name for name in models() if not name.startswith(BY_HAND))
    peers = models()
    return {own: peers[own].title, HAND: "by hand", **{name: peers[name].title for name in others}}


def against_rivals(errors: pd.DataFrame) -> pd.Series:
    """Error of FPBoost over that of the better XGBoost; NaN where one of them is missing."""
    return errors.get(OWN, np.nan) / errors.reindex(columns=RIVALS).min(axis=1)


def falls(errors: pd.Series) -> pd.Series:
    """Error over that of the same situation with fewer rows, for each factor of ten of the rows."""
    by_situation = errors.dropna().groupby(level="situation")
    rows = errors.index.get_level_values("rows").to_series(errors.index)
    decades = np.log10(rows) - np.log10(rows[errors.notna()].groupby(level="situation").shift())
    return np.exp((np.log(errors) - np.log(by_situation.shift())) / decades)


def error_table(errors: pd.DataFrame) -> str:
    """Errors of all models, the smallest in bold, with ratios and falls."""
    ratio, fall = against_rivals(errors), falls(errors[OWN]) if OWN in errors else {}
    lines = [
        [
            *_key(key),
            *(_number(100.0 * value, best=value == values.min()) for value in values),
            _number(ratio[key]),
            _number(fall.get(key, np.nan)),
        ]
        for key, values in errors.iterrows()
    ]
    return "\n".join(grid([*_head(errors), "ratio", "fall"], lines)) + "\n"


def plain_table(values: pd.DataFrame, written: Any) -> str:
    """Numbers of all models."""
    lines = [[*_key(key), *("" if np.isnan(one) else written(one) for one in row)] for key, row in values.iterrows()]
    return "\n".join(grid(_head(values), lines)) + "\n"


def choice_table(results: Results) -> str:
    """What each model chose by itself in the first repeat."""
    first: dict[tuple[str, int], dict[str, Any]] = {}
    for cell, line in sorted(results.items(), key=lambda item: -item[0].repeat):
        if line["error"] is None and line["chosen"] and not cell.model.startswith(BY_HAND):
            first.setdefault((cell.situation, cell.rows), {})[cell.model] = _words(line["chosen"])
    known = [name for name in titles() if any(name in chosen for chosen in first.values())]
    position = list(SITUATIONS)
    order = sorted(first, key=lambda key: (position.index(key[0]), key[1]))
    lines = [[*_key(key), *(first[key].get(name, "") for name in known)] for key in order]
    head = ["situation", "rows", *(titles()[name] for name in known)]
    return "\n".join(grid(head, lines, words=len(head))) + "\n"


def _words(chosen: Mapping[str, Any]) -> str:
    """What was chosen, in words.

    Examples
    --------
    >>> _words({"depth": 4, "heads": {"weibull": 1}})
    'depth 4, weibull 1'
    """
    parts = [
        ", ".join(f"{head} {count}" for head, count in value.items()) if isinstance(value, dict) else f"{name} {value}"
        for name, value in chosen.items()
    ]
    return ", ".join(parts)


def _head(values: pd.DataFrame) -> list[str]:
    return ["situation", "rows", *(titles()[name] for name in values)]


def _key(key: Any) -> tuple[str, str]:
    situation, rows = key
    return SITUATIONS[situation].title, f"{rows:,}"


def _number(value: float, *, best: bool = False) -> str:
    """A number with two decimals; nothing where there is none."""
    if np.isnan(value):
        return ""
    return f"**{value:.2f}**" if best else f"{value:.2f}"
