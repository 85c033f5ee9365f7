r"""Models in files of the first version of the format, which had one start and a mean of scores.

.. math:: F = R + s \odot \sum_e a_e T_e

with the start :math:`R`, the sums of the trees :math:`T_e` of several ensembles, their shares :math:`a_e`, and factors
:math:`s` for each score. That is one model whose trees are those of all ensembles, multiplied by their shares. Weights
with a level had a share of it for a single head too, which had no effect.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from hazboost.engines.merging import merge
from hazboost.engines.storage import restore_trees
from hazboost.files.consistency import check_engine, require
from hazboost.files.entries import EntryReader
from hazboost.files.records import COMMON_FIELDS, FINITE, STARTS, TREES
from hazboost.files.values import read_fields
from hazboost.hazards.mixture import Mixture
from hazboost.prediction.model import Model, Start
from hazboost.prediction.regression import ConstantStart, LinearStart
from hazboost.utils.arrays import Indices

#: By this the sum of shares may differ from one.
ROUNDING = 1e-9
FIELDS = {**COMMON_FIELDS, "start": STARTS, "shares": FINITE, "trust": FINITE, "trees": TREES}


def read_first_version(found: Any, n_features: int, entries: EntryReader) -> Model:
    """The model for so many features; what `read_model` does for files of today."""
    fields = read_fields(FIELDS, found, entries)
    trees, shares, trust, start = (fields.pop(name) for name in ("trees", "shares", "trust", "start"))
    engine, mixture = fields.pop("engine"), fields["mixture"]
    kept, n_scores = kept_scores(mixture)
    check_engine(engine, n_scores, n_features)
    require(trust.shape == (n_scores,), "trust")
    require(shares.shape == (len(trees),) and bool((shares > 0.0).all()), "shares")
    require(abs(float(shares.sum()) - 1.0) < ROUNDING, "shares")
    ensembles = [restore_trees(engine, tuple(entries.take(name) for name in names)) for names in trees]
    engine, merged = merge(engine, ensembles, shares, kept)
    return Model(engine, (merged,), (_of_scores(start, kept, n_scores),), shrinkage=trust[kept], **fields)


def kept_scores(mixture: Mixture) -> tuple[Indices, int]:
    """Which of its former scores a mixture still has, and how many there were."""
    if not mixture.weight_activation.has_level or mixture.heads_per_cause > 1:
        return np.arange(mixture.n_scores), mixture.n_scores
    levels = mixture.first_weight_score + 2 * np.arange(mixture.n_causes)  # each was followed by a share
    return np.append(np.arange(mixture.first_weight_score), levels), mixture.n_scores + mixture.n_causes


def _of_scores(start: Start, kept: Indices, n_scores: int) -> Start:
    """A start without scores that are not kept."""
    if isinstance(start, ConstantStart):
        require(start.intercept.shape == (n_scores,), "start")
        return ConstantStart(start.intercept[kept])
    assert isinstance(start, LinearStart)  # no others were in files  # noqa: S101
    require(start.log_intercept.shape == start.at_bound.shape == (n_scores,), "start")
    return replace(start, log_intercept=start.log_intercept[kept], at_bound=start.at_bound[kept])
