"""The summary of a fitted model."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from hazboost.summary.estimator import FittedEstimator
from hazboost.summary.facts import gather
from hazboost.summary.page import as_html, as_text
from hazboost.summary.words import number, sections


@dataclass(frozen=True, repr=False)
class Summary:
    """What a fitted model is, and how well it fits.

    ``print(summary)`` shows it as text, and a notebook as HTML.

    Attributes
    ----------
    facts : mapping
        Everything that is told, and more; see `to_dict`.
    """

    facts: Mapping[str, Any]

    def __str__(self) -> str:
        return as_text(self._title, sections(self.facts))

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_html(self) -> str:
        """HTML without scripts or style sheets, for light and dark pages."""
        return as_html(self._title, sections(self.facts), self.facts["curves"])

    def to_dict(self) -> dict[str, Any]:
        """The facts, as JSON can hold them.

        ``data``, ``heads`` (of the usual subject, who has the median of every number and the most frequent of all
        categories), ``start``, ``trees``, ``fit``, ``features`` (each with its quantiles or categories), ``effects``
        (the mean time without event until ``horizon`` of the usual subject as one feature changes, the strongest
        first; None with more than 500 features), ``curves`` (cumulative incidence over time, observed and predicted)
        and ``versions``. What is not known is None.
        """
        return deepcopy(dict(self.facts))

    def lines(self) -> dict[str, str]:
        """The lines of the text by name, without versions."""
        told = (section for section in sections(self.facts) if section.title != "Versions")
        return {f"{one.title}: {name}": value for one in told for name, value in one.lines.items()}

    @property
    def _title(self) -> str:
        data = self.facts["data"]
        causes = len(data["events"])
        of = f" of {causes} causes" if causes > 1 else ""
        return f"FPBoost, trained on {data['subjects']:,} subjects with {number(round(sum(data['events'])))} events{of}"


def summarize(estimator: FittedEstimator) -> Summary:
    """Summarise a fitted estimator."""
    return Summary(gather(estimator))
