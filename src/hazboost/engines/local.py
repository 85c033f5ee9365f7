"""Trees grown by XGBoost in this process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import xgboost as xgb

from hazboost.engines.base import Columns
from hazboost.engines.bins import rows_with_bins
from hazboost.engines.collective import is_distributed, together
from hazboost.engines.dialect import constraints, feature_names, feature_types, within_range
from hazboost.engines.external import BatchedFeatures, external_matrix
from hazboost.engines.features import Features
from hazboost.engines.packing import pack, unpack, with_idle_outputs
from hazboost.utils.arrays import Array
from hazboost.utils.devices import reduce_rows, to_host
from hazboost.utils.threads import limit_openmp

#: Trees are grown by one thread for so many rows.
ROWS_FOR_A_THREAD = 20_000
#: Rows that are looked at first where all rows have to weigh something.
ENOUGH_ROWS = 4_096


@dataclass(frozen=True)
class LocalEngine:
    """XGBoost in this process; ``Matrix`` is its ``DMatrix`` and ``Trees`` its ``Booster``.

    Attributes
    ----------
    settings : mapping
        XGBoost's training parameters.
    n_scores : int
        Number of scores, without idle outputs.
    features : Features, optional
        Names, categories and constraints; by default features are numbers without names.
    """

    settings: Mapping[str, Any]
    n_scores: int
    features: Features | None = None

    @property
    def learning_rate(self) -> float:
        """Factor on the contribution of each tree."""
        return float(self.settings["learning_rate"])

    def with_settings(self, **settings: Any) -> Self:
        """The same engine with some of XGBoost's parameters changed."""
        return replace(self, settings={**self.settings, **settings})

    def matrix(
        self, X: Any, start: Array, columns: Columns | None = None, like: xgb.DMatrix | None = None
    ) -> xgb.DMatrix:
        """Data for XGBoost. With ``tree_method="hist"`` training data are binned at once, which saves memory.

        Held-out data, which are given ``like`` the training data, are not: XGBoost puts a value above all bins into the
        last one, whereas the finished model, which sees the value itself, may treat it in another way. It also takes a
        hundred times as long to read a binned row of a sparse matrix. Features in batches are always training data, and
        binned on disk, with the bins of those that they are given ``like``.
        """
        common = {"feature_names": feature_names(self.features), "feature_types": feature_types(self.features)}
        fields = {"base_margin": with_idle_outputs(start), **pack(columns or {}, self.n_scores)}
        threads = self.threads_for(X.shape[0])
        everything = {**common, **fields, "nthread": threads, "enable_categorical": True}
        # XGBoost reads start and columns with all threads that there are, which on few rows only wait for one another.
        with limit_openmp(threads):
            if isinstance(X, BatchedFeatures):
                return external_matrix(X, fields, common, nthread=threads, max_bin=self.settings["max_bin"], ref=like)
            if columns is not None and like is None and self.settings.get("tree_method") == "hist":
                bins = self._bins(X, columns.get("weight"), common, threads)
                return xgb.QuantileDMatrix(X, max_bin=self.settings["max_bin"], ref=bins, **everything)
            return xgb.DMatrix(within_range(X, self.features), **everything)

    def _bins(
        self, X: Any, weight: Array | None, common: Mapping[str, Any], threads: int
    ) -> xgb.QuantileDMatrix | None:
        """Data whose bins to use; None for XGBoost's own, also where it has to find those of several processes."""
        if is_distributed():
            return None
        most, categorical = self.settings["max_bin"], self.features.categorical if self.features else ()
        rows = rows_with_bins(X, weight, most, categorical, threads)
        if rows is None:
            return None
        return xgb.QuantileDMatrix(rows, max_bin=most, nthread=threads, enable_categorical=True, **common)

    def threads_for(self, rows: int) -> int:
        """Threads for so many rows: on few, they wait for one another longer than they work."""
        return int(min(self.settings.get("nthread", 1), max(1, rows // ROWS_FOR_A_THREAD)))

    def to_engine_device(self, X: Any) -> Any:
        """Features are in the memory of the computer."""
        return to_host(X)

    def columns(self, matrix: xgb.DMatrix) -> Columns:
        """The columns of a matrix, in single precision."""
        return unpack(matrix)

    def no_trees(self, matrix: xgb.DMatrix) -> xgb.Booster:
        """A booster without trees. Every matrix brings its own start, so the booster's is zero."""
        start = with_idle_outputs(np.zeros(self.n_scores)).tolist()
        outputs = {"num_target": len(start), "base_score": start, "disable_default_eval_metric": 1}
        threads = {"nthread": self.threads_for(matrix.num_row())}
        settings = {**self.settings, **constraints(self.features), **outputs, **threads}
        return xgb.Booster(settings, cache=[matrix])

    def grow(self, trees: xgb.Booster, matrix: xgb.DMatrix, gradient: Array, hessian: Array) -> xgb.Booster:
        """One more round."""
        made, gradient = self.rounds(trees), self._zero_underweight_scores(gradient, hessian)
        trees.boost(matrix, iteration=made, grad=with_idle_outputs(gradient), hess=with_idle_outputs(hessian))
        return trees

    def _zero_underweight_scores(self, gradient: Array, hessian: Array) -> Array:
        """The gradient, set to zero for scores whose rows together weigh less than a leaf has to.

        From 3.4 on, XGBoost asks this of the two sides of a split only: a tree without any would move everybody.
        """
        least = self.settings.get("min_child_weight", 1.0) / self.settings.get("subsample", 1.0)
        for rows in (slice(ENOUGH_ROWS), slice(None)):  # some rows usually weigh enough
            light = np.flatnonzero(self.total(to_host(reduce_rows(np.sum, hessian[rows]))) < least)
            if not len(light):
                return gradient
        heavy = gradient.copy()
        heavy[:, light] = 0.0
        return heavy

    def scores(self, trees: xgb.Booster, matrix: xgb.DMatrix, rounds: tuple[int, int] | None = None) -> Array:
        """Start plus trees. XGBoost remembers the scores of data that it has seen and adds the new trees only."""
        # XGBoost need not compare the names of the features: all its matrices come from one encoding.
        outputs = trees.predict(matrix, output_margin=True, iteration_range=rounds or (0, 0), validate_features=False)
        scores: Array = outputs.reshape(matrix.num_row(), -1)[:, : self.n_scores]  # without idle outputs
        return scores

    def contributions(self, trees: xgb.Booster, matrix: xgb.DMatrix) -> Array:
        """What each feature adds, by the exact algorithm for trees."""
        if self.rounds(trees) == 0:  # which XGBoost refuses to explain
            divided = np.zeros((matrix.num_row(), self.n_scores, matrix.num_col() + 1))
            divided[..., -1] = self.scores(trees, matrix)
            return divided
        outputs = trees.predict(matrix, pred_contribs=True)
        return np.asarray(outputs[:, : self.n_scores], dtype=np.float64)

    def interactions(self, trees: xgb.Booster, matrix: xgb.DMatrix) -> Array:
        """What each pair of features adds, by the exact algorithm for trees."""
        if self.rounds(trees) == 0:
            width = matrix.num_col() + 1
            divided = np.zeros((matrix.num_row(), self.n_scores, width, width))
            divided[..., -1, -1] = self.scores(trees, matrix)
            return divided
        outputs = trees.predict(matrix, pred_interactions=True)
        return np.asarray(outputs[:, : self.n_scores], dtype=np.float64)

    def total(self, values: Array) -> Array:
        """The sums over all processes that grow these trees together; see `hazboost.engines.collective`."""
        return together(values, xgb.collective.Op.SUM)

    def largest(self, value: float) -> float:
        """The largest value of all these processes."""
        return float(together(np.array([value]), xgb.collective.Op.MAX)[0])

    def rounds(self, trees: xgb.Booster) -> int:
        """Number of rounds that were made."""
        return int(trees.num_boosted_rounds())

    def truncate(self, trees: xgb.Booster, rounds: int) -> xgb.Booster:
        """The first rounds, ready to predict. ``reset`` releases the training data.

        They predict with one thread: blocks of rows are shared by the threads of a prediction, and for a few rows those
        of XGBoost wait for one another longer than they work.
        """
        if rounds == 0 < self.rounds(trees):
            raise ValueError("rounds must be at least 1; XGBoost cannot cut a booster before its first round.")
        kept = trees.reset() if rounds == self.rounds(trees) else trees[:rounds]
        kept.set_param({"nthread": 1})
        return kept
