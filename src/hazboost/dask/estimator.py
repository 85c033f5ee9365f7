"""FPBoost for Dask collections."""

from __future__ import annotations

from typing import Any, Self

import dask
import numpy as np
import numpy.typing as npt
from distributed import Client, get_client
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from hazboost import estimator
from hazboost.dask.partitions import is_collection, split_features, split_like
from hazboost.dask.prediction import Lazy, one_or_by_row
from hazboost.dask.raw import first_outcomes, gather, put_on_workers
from hazboost.dask.rows import Rows, learn_features, read_rows
from hazboost.dask.training import train_on_workers
from hazboost.data.features import Schema, refuse_empty_columns
from hazboost.data.names import learn_columns, match_columns
from hazboost.data.observations import find_columns
from hazboost.data.reading import check_causes, check_informative, warn_of_codes_of_r
from hazboost.data.target import join_targets
from hazboost.hazards.distribution import Distribution
from hazboost.prediction.model import parameter_columns, share_columns
from hazboost.training.advice import advise_on_ties
from hazboost.training.cohort import describe_cohort
from hazboost.utils.arrays import as_times
from hazboost.utils.random_states import as_seed
from hazboost.utils.tables import make_table


class FPBoost(estimator.FPBoost):
    """FPBoost on a Dask cluster, with the parameters, attributes and predictions of `hazboost.FPBoost`.

    The rows stay on the workers. The client gets a summary and a few numbers of each subject, divides the subjects into
    folds, and fits regressions to some that each fold keeps, drawn at random: at most 20,000, or 50 for each feature if
    that is more. Then all workers grow the trees of one fold after the other, each on its own rows, with XGBoost's
    collective communication. Of the subjects that the folds hold out, at most 50,000 choose the rounds and calibrate
    the trees; they are sent to the client and to every worker. Up to 20,000 subjects, all rows are sent to the client
    and fitted there.

    The cluster is that of the current `distributed.Client`. Predictions for Dask collections are lazy; those for data
    in memory are made at once, as by `hazboost.FPBoost`.

    Parameters
    ----------
    **parameters
        Those of `hazboost.FPBoost`. ``n_jobs`` counts the threads of the client; workers use all of their own.
        ``tree_method="exact"`` cannot be distributed.

    See Also
    --------
    hazboost.FPBoost : The same for data in memory, with a description of all parameters and attributes.

    Notes
    -----
    **The same model.** The model is that of `hazboost.FPBoost` on the same rows, up to rounding errors, if the bins of
    the features are the same: if no feature has more values than ``max_bin``. Bins of other features are approximate
    quantiles, which depend a little on how rows are distributed over workers, and so do the rows that
    ``subsample`` draws. A chosen number of rounds is also the same only up to 50,000 held-out subjects. The order of
    the rows is that of the partitions.

    **Lost workers.** If a worker is lost during training, Dask computes its partitions again, and training restarts
    on the workers that are left, with a warning; after three times an error is raised. No row is ever left out.

    **Copies of rows** are not looked for among so many.

    ``unique_times_``, ``event_times_`` and the warnings on rounded times are those of drawn rows; ``diagnostics_`` are
    too with a given number of rounds, and those of held-out subjects with a chosen one.

    Examples
    --------
    >>> from hazboost.dask import FPBoost
    >>> FPBoost(n_estimators=100).get_params()["n_estimators"]
    100
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None, eval_set: Any = None, groups: Any = None) -> Self:
        """Train the model on all workers.

        Parameters
        ----------
        X : dask DataFrame or dask array of shape (n, features)
            Features, as in `hazboost.FPBoost.fit`. Categories may differ between partitions.
        y : dask DataFrame, pair of dask Series or arrays, or dask array with the fields of `hazboost.Surv`
            Outcomes, with the partitions of ``X``: columns ``event`` and ``time``, or those of `hazboost.Surv`. All
            rows of an ``id`` must lie in one partition.
        sample_weight : dask Series or array of shape (n,), optional
            Weights of the rows, with the partitions of ``X``.
        eval_set : pair (X, y), or list of one such pair, optional
            Data to watch during training, and for early stopping. They are sent to the client and to every worker.
        groups : dask Series or array of shape (n,), optional
            Labels of rows that belong together, with the partitions of ``X``.

        Returns
        -------
        FPBoost
            The estimator itself. If anything is wrong with the input, it is left as it was.
        """
        self._validate_params()
        self._check_combinations()
        parts = split_features(X)
        others = {"y": y, "sample_weight": sample_weight, "groups": groups}
        given = {name: one for name, one in others.items() if one is not None or name == "y"}
        client = current_client()
        named = BaseEstimator()
        learn_columns(named, X)
        raw = put_on_workers(client, parts, {name: split_like(X, len(parts), one, name) for name, one in given.items()})
        schema, counts = learn_features(client, raw)
        find_columns(first_outcomes(client, raw, counts), "y")  # what names say is said here, and not on the workers
        rows = read_rows(client, raw, schema, counts)
        if rows.n_subjects <= self._policy.subjects_for_linear:
            local = estimator.FPBoost(**self._settings())
            self._take(local.fit(**gather(client, raw, counts), eval_set=_in_memory(eval_set)))
            return self
        del raw  # the workers need not keep what they have encoded
        self._fit_rows(named, schema, rows, _in_memory(eval_set))
        return self

    def _fit_rows(self, named: BaseEstimator, schema: Schema, rows: Rows, eval_set: Any) -> None:
        """Train on rows that were read, and learn the result."""
        telling = rows.telling
        check_informative(telling, rows=rows.n_rows)
        if self.n_causes is None:
            warn_of_codes_of_r(telling, "y")
        self._check_distributed()
        n_causes, seed = check_causes(telling, self.n_causes), as_seed(self.random_state)
        train, validation, observed = rows, self._read_eval_set(named, schema, eval_set, n_causes), []
        if validation is None and self.patience is not None:
            train, aside = rows.split(self.validation_fraction, seed)
            validation = rows.take(aside)
            observed = [validation.target]
        summary = train.summary()
        refuse_empty_columns(summary.highest, schema)
        most = max(self._policy.subjects_for_linear, self._policy.subjects_for_column * summary.width)
        drawn = train.draw(most, np.random.default_rng(seed))
        self._check_training(drawn, validation)
        advise_on_ties(drawn.target)
        plan = self._plan(schema, summary, n_causes, seed)
        trained = train_on_workers(plan, train, summary, drawn, validation)
        cohort = describe_cohort(trained.model, summary, drawn, seed)
        self._learn(named, trained, join_targets([drawn.target, *observed]), cohort)

    def _check_distributed(self) -> None:
        """Refuse what XGBoost cannot do with rows on several machines."""
        if self.tree_method == "exact":
            raise ValueError(
                "tree_method='exact' needs all rows in one process; use tree_method='hist', with a max_bin above the "
                "number of values of each feature to consider all splits."
            )

    def to_local(self) -> estimator.FPBoost:
        """The fitted model as a `hazboost.FPBoost`, which needs no Dask."""
        local = estimator.FPBoost(**self._settings())
        for name, value in self._learned().items():
            setattr(local, name, value)
        return local

    def _take(self, local: estimator.FPBoost) -> None:
        """Take what was learned in memory, and forget what an earlier fit had learned."""
        for name in self._learned():
            delattr(self, name)
        for name, value in local._learned().items():
            setattr(self, name, value)

    def predict(self, X: Any, cause: int | None = None) -> Any:
        """Risk scores as in `hazboost.FPBoost.predict`, of a Dask collection as a lazy Series or array."""
        if not is_collection(X):
            return super().predict(X, cause)
        return self._lazy("predict", X, cause=self._known_cause(cause)).series()

    def predict_survival_function(
        self, X: Any, return_array: bool = False, *, times: npt.ArrayLike | None = None, alive_at: Any = None
    ) -> Any:
        """Survival functions as in `hazboost.FPBoost.predict_survival_function`, as a lazy array."""
        return self._curves("predict_survival_function", X, return_array, times, alive_at=alive_at)

    def predict_cumulative_hazard_function(
        self, X: Any, return_array: bool = False, *, times: npt.ArrayLike | None = None, alive_at: Any = None
    ) -> Any:
        """Cumulative hazards as in `hazboost.FPBoost.predict_cumulative_hazard_function`, as a lazy array."""
        return self._curves("predict_cumulative_hazard_function", X, return_array, times, alive_at=alive_at)

    def predict_hazard_function(
        self, X: Any, return_array: bool = False, *, times: npt.ArrayLike | None = None, cause: int | None = None
    ) -> Any:
        """Hazards as in `hazboost.FPBoost.predict_hazard_function`, as a lazy array."""
        return self._curves("predict_hazard_function", X, return_array, times, cause=cause)

    def predict_cumulative_incidence_function(
        self,
        X: Any,
        return_array: bool = False,
        *,
        times: npt.ArrayLike | None = None,
        cause: int | None = None,
        alive_at: Any = None,
    ) -> Any:
        """Incidences as in `hazboost.FPBoost.predict_cumulative_incidence_function`, as a lazy array."""
        name = "predict_cumulative_incidence_function"
        if not is_collection(X):
            return super().predict_cumulative_incidence_function(
                X, return_array, times=times, cause=cause, alive_at=alive_at
            )
        check_is_fitted(self, "model_")
        all_causes = (len(self.causes_),) if cause is None and len(self.causes_) > 1 else ()
        return self._curves(name, X, return_array, times, all_causes, cause=cause, alive_at=alive_at)

    def predict_survival_along(
        self,
        X: Any,
        start: Any,
        stop: Any,
        id: Any = None,  # noqa: A002
        *,
        times: npt.ArrayLike | None = None,
    ) -> Any:
        """Survival along covariates as in `hazboost.FPBoost.predict_survival_along`, as a lazy array.

        ``start``, ``stop`` and ``id`` are Dask collections with the partitions of ``X``, and all rows of an ``id`` must
        lie in one partition. The array has one row for each subject, so that its length is known only when it is
        computed.
        """
        if not is_collection(X):
            return super().predict_survival_along(X, start, stop, id, times=times)
        if id is None and X.npartitions > 1:
            raise ValueError("id must be given if X has several partitions: without it all rows are one subject.")
        by_row = {name: one for name, one in (("start", start), ("stop", stop), ("id", id)) if one is not None}
        lazy = self._lazy("predict_survival_along", X, by_row, times=times)
        if times is None:
            return lazy.array((), object, aligned=False)
        return lazy.array((np.atleast_1d(as_times(times)).size,), aligned=False)

    def predict_quantile(self, X: Any, q: float | npt.ArrayLike = 0.5, *, alive_at: Any = None) -> Any:
        """Quantiles as in `hazboost.FPBoost.predict_quantile`, as a lazy Series or array."""
        if not is_collection(X):
            return super().predict_quantile(X, q, alive_at=alive_at)
        by_row, same = one_or_by_row(alive_at)
        lazy = self._lazy("predict_quantile", X, by_row, q=q, **same)
        return lazy.array((len(np.asarray(q)),)) if np.ndim(q) else lazy.series()

    def predict_mean(self, X: Any, *, alive_at: Any = None) -> Any:
        """Mean event times as in `hazboost.FPBoost.predict_mean`, as a lazy Series or array."""
        if not is_collection(X):
            return super().predict_mean(X, alive_at=alive_at)
        by_row, same = one_or_by_row(alive_at)
        return self._lazy("predict_mean", X, by_row, **same).series()

    def predict_rmst(self, X: Any, tau: float | None = None, *, alive_at: Any = None) -> Any:
        """Restricted mean survival times as in `hazboost.FPBoost.predict_rmst`, as a lazy Series or array."""
        if not is_collection(X):
            return super().predict_rmst(X, tau, alive_at=alive_at)
        by_row, same = one_or_by_row(alive_at)
        return self._lazy("predict_rmst", X, by_row, tau=tau, **same).series()

    def predict_parameters(self, X: Any) -> Any:
        """Parameters of heads as in `hazboost.FPBoost.predict_parameters`, as a lazy DataFrame.

        Subjects are numbered through all partitions; rows have labels of their own in each.
        """
        if not is_collection(X):
            return super().predict_parameters(X)
        lazy = self._lazy("predict_parameters", X)
        return lazy.table(make_table(parameter_columns(self._anybody())).iloc[:0])

    def head_contributions(self, X: Any, times: npt.ArrayLike) -> Any:
        """Shares of heads as in `hazboost.FPBoost.head_contributions`, as a lazy DataFrame."""
        if not is_collection(X):
            return super().head_contributions(X, times)
        lazy, grid = self._lazy("head_contributions", X, times=times), np.atleast_1d(as_times(times))
        return lazy.table(make_table(share_columns(self._anybody(), grid)).iloc[:0])

    def score(self, X: Any, y: Any, cause: int | None = None, sample_weight: Any = None) -> float:
        """Concordance index as in `hazboost.FPBoost.score`; risks and outcomes are sent to the client."""
        if not is_collection(X):
            return super().score(X, y, cause, sample_weight)
        predicted, y, sample_weight = dask.compute(self.predict(X, cause), y, sample_weight)
        return self._concordance(np.asarray(predicted), y, cause, sample_weight)

    def _curves(
        self,
        method: str,
        X: Any,
        return_array: bool,
        times: npt.ArrayLike | None,
        all_causes: tuple[int, ...] = (),
        **options: Any,
    ) -> Any:
        """Functions of time, or their values if times or an array are asked for."""
        if not is_collection(X):
            return getattr(super(), method)(X, return_array, times=times, **options)
        alive_at = options.pop("alive_at", None)  # which hazards do not have
        by_row, same = ({}, {}) if alive_at is None else one_or_by_row(alive_at)
        if "cause" in options:
            same["cause"] = self._known_cause(options["cause"])
        lazy = self._lazy(method, X, by_row, return_array=return_array, times=times, **same)
        if times is None and not return_array:
            return lazy.array(all_causes, object)
        grid = self.unique_times_ if times is None else np.atleast_1d(as_times(times))
        return lazy.array((*all_causes, len(grid)))

    def _lazy(self, method: str, X: Any, by_row: dict[str, Any] | None = None, **options: Any) -> Lazy:
        """A prediction for a Dask collection whose columns are those of training."""
        check_is_fitted(self, "model_")
        match_columns(self, X, type(self).__name__)
        return Lazy(self.to_local(), method, X, by_row or {}, options)

    def _known_cause(self, cause: int | None) -> int | None:
        return None if cause is None else self._check_cause(cause)

    def _anybody(self) -> Distribution:
        """The distribution of some subject, for the columns of tables."""
        mixture = self.model_.mixture
        return Distribution(mixture, np.ones((1, mixture.n_scores)), self.model_.unit)


def current_client() -> Client:
    """The client of this context."""
    try:
        return get_client()
    except ValueError as error:
        raise RuntimeError(
            "hazboost.dask.FPBoost needs a Dask client, and there is none; create one with distributed.Client() first."
        ) from error


def _in_memory(eval_set: Any) -> Any:
    """Validation data in memory."""
    return eval_set if eval_set is None else dask.compute(eval_set)[0]
