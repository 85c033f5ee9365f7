"""Groups of subjects whose outcomes and scores are compared: categories, features of few values, or given labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hazboost.report.evidence import Evidence, levels_of
from hazboost.report.words import number
from hazboost.utils.arrays import Array, Mask

#: A number with so many values at most makes groups.
MOST_VALUES = 4
#: Of a feature with more categories only those with most rows are groups; and so many features make groups.
MOST_GROUPS, MOST_FEATURES = 8, 20


@dataclass(frozen=True)
class Stratum:
    """Judged rows that have something in common.

    Attributes
    ----------
    feature : str
        What they have in common.
    value : str
        Its value.
    rows : array of bool
        Which of the judged rows they are.
    """

    feature: str
    value: str
    rows: Mask


def strata(evidence: Evidence) -> list[Stratum]:
    """All groups of the judged rows; labels that were given come first."""
    found = list(_of_labels(evidence))
    features = [i for i in range(len(evidence.names)) if len(_values(evidence, i)) > 1]
    for position in features[:MOST_FEATURES]:
        column = evidence.judged.encoded[:, position]
        groups = [
            Stratum(evidence.names[position], text, column == value)
            for value, text in _values(evidence, position).items()
        ]
        found += sorted(groups, key=lambda group: -int(group.rows.sum()))[:MOST_GROUPS]
    return found


def _of_labels(evidence: Evidence) -> Iterator[Stratum]:
    if evidence.groups is None:
        return
    numbers, labels = levels_of(evidence.groups[evidence.drawn])
    for code in np.argsort(-np.bincount(numbers), kind="stable")[:MOST_GROUPS].tolist():
        yield Stratum("groups", str(labels[code]), numbers == code)


def _values(evidence: Evidence, position: int) -> dict[float, str]:
    """The values of a feature that make groups, as the user knows them."""
    categories = evidence.categories.get(position)
    if categories is not None:
        return {float(code): str(one) for code, one in enumerate(categories)}
    values: Array = evidence.cohort.features[position].values
    return {float(one): number(float(one)) for one in values} if 1 < len(values) <= MOST_VALUES else {}
