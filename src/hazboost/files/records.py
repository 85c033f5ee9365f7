"""The objects that a model is made of, with the kind of each of their fields.

This is the list of what may be in a file. A new start or engine gets a `Record` and a line in `STARTS` or `ENGINES`; a
new fitted attribute that predictions depend on, a line in `ATTRIBUTES`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hazboost.data.cohort import Cohort, FeatureTable
from hazboost.data.design import Design
from hazboost.data.design.learning import Indicators, Standardisation
from hazboost.data.design.power_transform import PowerTransform
from hazboost.data.features import Schema
from hazboost.data.observations import MAX_CAUSES
from hazboost.engines import CudaEngine, ExactEngine, Features, LocalEngine
from hazboost.engines.divided import DividedEngine, Part
from hazboost.engines.storage import restore_trees, store_trees
from hazboost.files.consistency import check_engine
from hazboost.files.entries import EntryReader, EntryWriter
from hazboost.files.plain import Plain
from hazboost.files.values import (
    Flag,
    Kind,
    Many,
    Maybe,
    Number,
    Numbers,
    OneOf,
    Pairs,
    Record,
    Text,
    Whole,
    read_fields,
)
from hazboost.hazards.activations import PARAMETER_ACTIVATIONS, WEIGHT_ACTIVATIONS, UniformWeight
from hazboost.hazards.heads import HEADS
from hazboost.hazards.mixture import Mixture
from hazboost.prediction.model import Model
from hazboost.prediction.regression import AcceleratedStart, ConstantStart, LinearStart

#: A model has so many features, scores and heads of a family at most.
MOST_FEATURES, MOST_SCORES, MOST_HEADS = 2**31 - 1, 2**20, 2**10
POSITIVE = Number(positive=True)
POSITIONS, MASK = Numbers(np.int64), Numbers(np.bool_)
FINITE, ANY = Numbers(np.float64, finite=True), Numbers(np.float64)


@dataclass(frozen=True)
class Name:
    """Something with a name; the name is what is read."""

    choices: frozenset[str]

    def write(self, value: Any, entries: EntryWriter) -> str:
        """The name."""
        name: str = value.name
        return name

    def read(self, found: Any, entries: EntryReader) -> str:
        """A name that is known."""
        return Text(self.choices).read(found, entries)


@dataclass(frozen=True)
class Category:
    """A category: a plain value that can be looked up in a dictionary."""

    def write(self, value: Any, entries: EntryWriter) -> Any:
        """The value."""
        return Plain().write(value, entries)

    def read(self, found: Any, entries: EntryReader) -> Any:
        """The value."""
        value = Plain().read(found, entries)
        hash(value)  # a list would be no category
        return value


def _make_mixture(
    counts: Mapping[str, int], parameter_activation: str, weight_activation: str, background: float, n_causes: int
) -> Mixture:
    """A mixture, from the names of its activations."""
    if sum(counts.values()) == 0:
        raise ValueError("there are no heads")
    uniform = weight_activation == UniformWeight.name
    weight = UniformWeight(sum(counts.values())) if uniform else WEIGHT_ACTIVATIONS[weight_activation]
    return Mixture(counts, PARAMETER_ACTIVATIONS[parameter_activation], weight, background, n_causes)


def _as_floats(values: npt.NDArray[Any]) -> tuple[float, ...]:
    return tuple(values.tolist())


MIXTURE = Record(
    _make_mixture,
    {
        "counts": Pairs(Text(HEADS), Whole(0, MOST_HEADS)),
        "parameter_activation": Name(frozenset(PARAMETER_ACTIVATIONS)),
        "weight_activation": Name(frozenset({*WEIGHT_ACTIVATIONS, UniformWeight.name})),
        "background": POSITIVE,
        "n_causes": Whole(1, MAX_CAUSES),
    },
)
SCHEMA = Record(
    Schema,
    {
        "names": Maybe(Many(Text(), list)),
        "categories": Pairs(Whole(0, MOST_FEATURES), Many(Category(), list)),
        "sparse": Flag(),
    },
)
STRAIGHTENING = Record(PowerTransform, {"unit": ANY, "power": FINITE})
STANDARDISATION = Record(
    Standardisation,
    {"skewed": MASK, "straightening": STRAIGHTENING, "center": FINITE, "scale": ANY, "farthest": POSITIVE},
)
INDICATORS = Record(Indicators, {"positions": POSITIONS, "number": POSITIONS, "low": FINITE, "high": FINITE})
DESIGN = Record(Design, {"numeric": POSITIONS, "standardisation": STANDARDISATION, "indicators": INDICATORS})
LINEAR_FIELDS: dict[str, Kind] = {
    "mixture": MIXTURE,
    "log_intercept": FINITE,
    "design": DESIGN,
    "coefficient": Numbers(np.float64, 2, finite=True),
    "largest_shift": POSITIVE,
    "at_bound": POSITIONS,
}
STARTS = OneOf(
    {
        ConstantStart: Record(ConstantStart, {"intercept": FINITE}),
        LinearStart: Record(LinearStart, LINEAR_FIELDS),
        AcceleratedStart: Record(AcceleratedStart, {**LINEAR_FIELDS, "kappa": FINITE}),
    }
)
FEATURES = Record(
    Features,
    {
        "n": Whole(1, MOST_FEATURES),
        "names": Maybe(Many(Text())),
        "categorical": Many(Whole(0, MOST_FEATURES), frozenset),
        "directions": Many(Whole(-1, 1)),
        "groups": Maybe(Many(Many(Whole(0, MOST_FEATURES)))),
        "highest": Maybe(Numbers(np.float64, container=_as_floats)),
        "sparse": Flag(),
    },
)
ENGINE_FIELDS: dict[str, Kind] = {
    "settings": Pairs(Text(), Plain()),
    "n_scores": Whole(1, MOST_SCORES),
    "features": FEATURES,
}
WHOLE_ENGINES: dict[type, Record] = {one: Record(one, ENGINE_FIELDS) for one in (LocalEngine, ExactEngine, CudaEngine)}
PART = Record(Part, {"engine": OneOf(WHOLE_ENGINES), "scores": POSITIONS, "features": POSITIONS})
ENGINES = OneOf({**WHOLE_ENGINES, DividedEngine: Record(DividedEngine, {"parts": Many(PART, least=1)})})
#: Fields of a model that files of all versions have.
COMMON_FIELDS: dict[str, Kind] = {
    "engine": ENGINES,
    "mixture": MIXTURE,
    "schema": SCHEMA,
    "unit": POSITIVE,
    "horizon": POSITIVE,
    "longest": POSITIVE,
}
#: Fields of a model besides its trees, which only its engine can read, and its mixture, written as that of one model.
MODEL_FIELDS: dict[str, Kind] = {**COMMON_FIELDS, "starts": Many(STARTS, least=1), "shrinkage": FINITE}
#: Names of the entries with the trees: for each of the models that are averaged, those of the parts of the engine.
TREES = Many(Many(Text(), least=1), least=1)

FEATURE_TABLE = Record(
    FeatureTable,
    {
        "missing": FINITE,
        "quantiles": Numbers(np.float64, 2),
        "sizes": POSITIONS,
        "values": FINITE,
        "counts": POSITIONS,
    },
)
COHORT = Record(
    Cohort,
    {
        "subjects": Whole(1),
        "events": FINITE,
        "follow_up": Number(),
        "features": FEATURE_TABLE,
        "times": FINITE,
        "observed": Numbers(np.float64, 2),
        "expected": Numbers(np.float64, 2, finite=True),
    },
)
#: Fitted attributes whose type matters; all others are plain values.
ATTRIBUTES: dict[str, Kind] = {
    "n_features_in_": Whole(1, MOST_FEATURES),
    "n_estimators_": Whole(0),
    "max_depth_": Whole(0),
    "ridge_": Maybe(Number()),
    "adaptive_ridge_": Maybe(Number()),
    "causes_": POSITIONS,
    "unique_times_": FINITE,
    "event_times_": FINITE,
    "history_": Pairs(Text(), Plain()),
    "cv_results_": Pairs(Text(), Plain()),
    "diagnostics_": Pairs(Text(), Plain()),
    "cohort_": COHORT,
}

#: Fitted attributes that older files do not have, with their values there.
LATER_ATTRIBUTES: dict[str, Any] = {"adaptive_ridge_": None}


def write_model(model: Model, entries: EntryWriter) -> dict[str, Any]:
    """A fitted model as JSON, with entries for its arrays and trees."""
    one = replace(model, mixture=model.mixture.one_model)
    fields = {name: kind.write(getattr(one, name), entries) for name, kind in MODEL_FIELDS.items()}
    trees = [[entries.add_trees(one) for one in store_trees(model.engine, trees)] for trees in model.boosters]
    return {**fields, "trees": trees}


def read_model(found: Any, n_features: int, entries: EntryReader) -> Model:
    """The model for so many features. Only the engine and its trees are known to fit together; the rest is not."""
    fields = read_fields({**MODEL_FIELDS, "trees": TREES}, found, entries)
    engine, mixture = fields["engine"], fields.pop("mixture")
    check_engine(engine, mixture.n_scores, n_features)
    stored = [tuple(entries.take(name) for name in names) for names in fields.pop("trees")]
    boosters = tuple(restore_trees(engine, one) for one in stored)
    return Model(boosters=boosters, mixture=mixture.mean_of(len(boosters)), **fields)
