"""Evidence with the scores of the model, and how it is read from what the user gives."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse

from hazboost.data.alignment import check_alignment
from hazboost.data.observations import check_id
from hazboost.data.reading import as_target
from hazboost.explain.reading import check_model, encode
from hazboost.prediction.predictor import Predictor
from hazboost.report.evidence import Evidence, Rows
from hazboost.report.scores import Scores, score_all


@dataclass(frozen=True)
class Judged(Evidence):
    """`Evidence` with the scores of the model and of what it is compared with."""

    @cached_property
    def scores(self) -> list[list[Scores]]:
        """For each cause the scores of the model, of Kaplan-Meier and, where there is one, of a Cox regression."""
        return [score_all(self, cause) for cause in self.causes]


def read_judged(
    model: Any, X: Any, y: Any, X_train: Any = None, y_train: Any = None, groups: Any = None, seed: int = 0
) -> Judged:
    """Check everything that a report is made of."""
    check_model(model)
    if (X_train is None) != (y_train is None):
        raise ValueError("X_train and y_train must be given together; give both, or none of them.")
    test = _read_rows(model, X, y, "")
    if test.target.interval.any() or test.target.has_several_rows:
        raise ValueError(
            "y must have one row for each subject, with an exact or right-censored time, for a report; leave "
            "intervals and subjects with several rows out."
        )
    if not test.target.event.any():
        raise ValueError("y has no event, so that predictions cannot be judged; give outcomes with events.")
    train = None if X_train is None else _read_rows(model, X_train, y_train, "_train")
    return Judged(model, test, train, None if groups is None else _read_groups(groups, len(test)), seed)


def _read_rows(model: Predictor, X: Any, y: Any, suffix: str) -> Rows:
    check_alignment({f"X{suffix}": X, f"y{suffix}": y})
    encoded = encode(model, X)
    target = as_target(y, name=f"y{suffix}", causes_known=len(model.causes_) > 1)
    if encoded.shape[0] != len(target):
        raise ValueError(
            f"X{suffix} has {encoded.shape[0]} rows and y{suffix} has {len(target)}; both need one for each subject."
        )
    if target.n_causes > len(model.causes_):
        raise ValueError(
            f"y{suffix} has events of cause {target.n_causes}, and the model knows causes 1 to {len(model.causes_)} "
            "only; leave these rows out."
        )
    dense = encoded.toarray() if scipy.sparse.issparse(encoded) else encoded
    return Rows(X, np.asarray(dense, dtype=np.float64), target)


def _read_groups(groups: Any, n: int) -> Any:
    labels = check_id(groups, "groups", "label")
    if len(labels) != n:
        raise ValueError(f"groups must have one label for each of the {n} rows of X; got {len(labels)}.")
    return labels
