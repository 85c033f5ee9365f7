"""Descriptions of cases: what is drawn, shrunk and printed. Data are made from a description and its seeds."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields
from typing import Any


class Brief:
    """Prints as a call that leaves out what is at its default."""

    def __repr__(self):
        shown = [f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if not self._is_default(one)]
        return f"{type(self).__name__}({', '.join(shown)})"

    def _is_default(self, one):
        default = one.default if one.default_factory is MISSING else one.default_factory()
        return getattr(self, one.name) == default


@dataclass(frozen=True, repr=False)
class Column(Brief):
    """A feature: how its values are distributed (`tables.VALUES`), and the share of missing ones."""

    kind: str = "normal"
    missing: float = 0.0


@dataclass(frozen=True, repr=False)
class Features(Brief):
    """A table: its columns, its container (`tables.CONTAINERS`), and how many different rows it has."""

    rows: int = 1
    columns: tuple[Column, ...] = (Column(),)
    container: str = "array"
    names: str = "plain"
    distinct: int | None = None
    seed: int = 0


@dataclass(frozen=True, repr=False)
class Outcome(Brief):
    """What was observed (`outcomes.KINDS`), and the form in which it is given (`outcomes.FORMS`)."""

    kind: str = "right"
    form: str = "surv"
    times: str = "spread"
    events: str = "most"
    causes: int = 1
    exponent: int = 0
    event_type: str = "bool"
    seed: int = 0


@dataclass(frozen=True, repr=False)
class Case(Brief):
    """One fit: its data, the parameters of the estimator, and what is checked besides the curves.

    Attributes
    ----------
    weights, groups : str
        Kinds of sample weights and groups (`extras`).
    settings : dict
        Parameters of the estimator.
    watched : bool
        Whether the training data are also the ``eval_set``.
    flaw : str
        Something that must be refused (`flaws.FLAWS`).
    checks : tuple of str
        Promises about predictions (`invariants.CHECKS`).
    relation : str
        What a second fit must have in common with the first (`relations.RELATIONS`).
    """

    features: Features = field(default_factory=Features)
    outcome: Outcome = field(default_factory=Outcome)
    weights: str = "none"
    groups: str = "none"
    settings: dict[str, Any] = field(default_factory=dict)
    watched: bool = False
    flaw: str = ""
    checks: tuple[str, ...] = ()
    relation: str = "none"
