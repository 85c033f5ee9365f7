"""Predictions and score of a fitted FPBoost."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from hazboost.data.alignment import check_alignment
from hazboost.data.cohort import Cohort
from hazboost.data.features import readable
from hazboost.data.names import match_columns
from hazboost.data.observations import check_id, check_lengths, check_time, refuse_overlaps, refuse_unordered
from hazboost.data.reading import as_target, check_rows
from hazboost.data.target import Target, number_by_appearance
from hazboost.hazards.distribution import Distribution
from hazboost.hazards.mixture import log_time
from hazboost.prediction.curves import Curve, Kind, Path, make_curves
from hazboost.prediction.model import Model, parameter_columns, share_columns
from hazboost.utils.arrays import Array, as_numbers, as_times
from hazboost.utils.describe import describe
from hazboost.utils.devices import is_on_device, match_device, to_host
from hazboost.utils.tables import make_table
from hazboost.utils.threads import count_threads
from hazboost.utils.whole_numbers import is_whole_number


class Predictor(BaseEstimator):  # type: ignore[misc]
    """Base class of `hazboost.FPBoost` with all methods that need a fitted model."""

    # Set by `fit` of the subclass.
    model_: Model
    unique_times_: Array
    causes_: npt.NDArray[Any]
    cohort_: Cohort
    # A parameter of the subclass.
    n_jobs: int | None

    def predict(self, X: Any, cause: int | None = None) -> Array:
        """Risk scores: minus the restricted mean survival time; higher means an earlier event.

        The mean is restricted to the time by which three quarters of the training events had happened or, with
        ``risk_horizon="longest"`` as in the authors' code, to the longest follow-up. The unrestricted mean may be
        infinite and then cannot rank subjects. If hazards cross, the ranking depends on the horizon; the earlier one
        covers the period in which most pairs of subjects are decided.

        Parameters
        ----------
        X : array, DataFrame or sparse matrix of shape (n, features)
        cause : int, optional
            With competing risks, the risk is the mean time lost to this cause until the same horizon, the integral of
            its cumulative incidence. By default the risk is that of an event of any cause.

        Returns
        -------
        array of shape (n,)
        """
        distribution = self._distribution(X)
        # Survival time lost to a cause already increases with the risk; mean survival time decreases.
        if cause is None:
            return as_given(X, -distribution.restricted_mean(self.model_.horizon))
        return distribution.on_host().lost_time(self.model_.horizon, self._check_cause(cause))

    def predict_survival_function(
        self,
        X: Any,
        return_array: bool = False,
        *,
        times: npt.ArrayLike | None = None,
        alive_at: npt.ArrayLike | None = None,
    ) -> Any:
        """Survival functions ``S(t)``, the probability of being event-free at t.

        Parameters
        ----------
        X : array, DataFrame or sparse matrix of shape (n, features)
        return_array : bool, default=False
            Return an array of values at ``times`` or, without ``times``, at ``unique_times_``.
        times : array-like, optional
            Non-negative times; implies ``return_array``.
        alive_at : float or array-like of shape (n,), optional
            Times s at which the subjects are known to be event-free. The prediction is then conditional,
            ``S(t) / S(s)`` after s and 1 before; time is still counted from zero.

        Returns
        -------
        array of n `Curve`, or array of shape (n, times)
            A curve can be called with a time or an array of times, within or beyond the follow-up in training.
        """
        return as_given(X, self._predict_curves("survival", self._distribution(X, alive_at), return_array, times))

    def predict_cumulative_hazard_function(
        self,
        X: Any,
        return_array: bool = False,
        *,
        times: npt.ArrayLike | None = None,
        alive_at: npt.ArrayLike | None = None,
    ) -> Any:
        """Cumulative hazard functions ``H(t) = -log S(t)``.

        Parameters and returns are those of `predict_survival_function`.
        """
        distribution = self._distribution(X, alive_at)
        return as_given(X, self._predict_curves("cumulative_hazard", distribution, return_array, times))

    def predict_hazard_function(
        self, X: Any, return_array: bool = False, *, times: npt.ArrayLike | None = None, cause: int | None = None
    ) -> Any:
        """Hazard functions ``h(t)``, the rate of events at t among subjects event-free until t.

        Parameters and returns are those of `predict_survival_function`. With ``cause`` it is the cause-specific hazard;
        by default the hazard of any event. A hazard that is infinite at zero is evaluated at about 1e-300 instead.
        """
        which = None if cause is None else self._check_cause(cause)
        return as_given(X, self._predict_curves("hazard", self._distribution(X), return_array, times, which))

    def predict_cumulative_incidence_function(
        self,
        X: Any,
        return_array: bool = False,
        *,
        times: npt.ArrayLike | None = None,
        cause: int | None = None,
        alive_at: npt.ArrayLike | None = None,
    ) -> Any:
        r"""Cumulative incidence functions, the probability of an event of a cause by t.

        .. math:: CIF_c(t) = \int_0^t h_c(s) S(s) ds, \qquad \sum_c CIF_c(t) = 1 - S(t)

        Parameters
        ----------
        X : array, DataFrame or sparse matrix of shape (n, features)
        return_array : bool, default=False
            Return an array of values at ``times`` or, without ``times``, at ``unique_times_``.
        times : array-like, optional
            Non-negative times; implies ``return_array``.
        cause : int, optional
            Cause of interest. By default all causes, on the second axis; a single cause has no such axis.
        alive_at : float or array-like of shape (n,), optional
            Condition on being event-free at these times, as in `predict_survival_function`.

        Returns
        -------
        array of n `Curve`, or array of shape (n, times)
            With several causes and without ``cause``, of shape (n, causes) or (n, causes, times).
        """
        distribution = self._distribution(X, alive_at)
        chosen = self.causes_ if cause is None else [self._check_cause(cause)]
        parts = [
            self._predict_curves("cumulative_incidence", distribution, return_array, times, int(one)) for one in chosen
        ]
        # Without competing risks the result has the shape of a survival function.
        return parts[0] if len(parts) == 1 else np.stack(parts, axis=1)

    def predict_survival_along(
        self,
        X: Any,
        start: npt.ArrayLike,
        stop: npt.ArrayLike,
        id: npt.ArrayLike | None = None,  # noqa: A002
        *,
        times: npt.ArrayLike | None = None,
    ) -> Any:
        r"""Survival functions of subjects with time-varying covariates.

        .. math:: S(t) = \exp\left(-\sum_i \left[H_i(\min(t, \text{stop}_i)) - H_i(\text{start}_i)\right]_+\right)

        with the cumulative hazards :math:`H_i` of the rows. S is 1 until the first start of a subject. The rows of a
        subject must have no gaps; the last row is continued beyond its stop.

        Parameters
        ----------
        X : array, DataFrame or sparse matrix of shape (n, features)
            Covariates, one row for each period in which they are constant.
        start, stop : array-like of shape (n,)
            Period of each row.
        id : array-like of shape (n,), optional
            Subject of each row; by default all rows belong to one subject.
        times : array-like, optional
            Non-negative times at which to return values.

        Returns
        -------
        array of `Curve`, or array of shape (subjects, times)
            One for each subject, in order of appearance.
        """
        check_alignment({"X": X, "start": start, "stop": stop, "id": id})
        distribution = self._distribution(X).on_host()
        paths = _read_paths(distribution, start, stop, id)
        if times is not None:
            grid = _check_times(times)
            return np.concatenate([path.survival(grid) for path in paths])
        # An object array, as scikit-survival returns for curves.
        curves = np.empty(len(paths), dtype=object)
        for number, path in enumerate(paths):
            curves[number] = Curve("survival", path, self.unique_times_)
        return curves

    def predict_quantile(
        self, X: Any, q: float | npt.ArrayLike = 0.5, *, alive_at: npt.ArrayLike | None = None
    ) -> Array:
        """Times by which the event has happened with probability ``q``.

        Parameters
        ----------
        X : array, DataFrame or sparse matrix of shape (n, features)
        q : float or array-like, default=0.5
            Probabilities from 0 to 1.
        alive_at : float or array-like of shape (n,), optional
            Times at which the subjects are known to be event-free. Quantiles are then conditional, and still counted
            from zero.

        Returns
        -------
        array of shape (n,), or (n, len(q)) if ``q`` is an array
            Infinite if the probability is not reached.
        """
        levels = as_numbers(q, "q")
        if levels.ndim > 1 or not ((levels >= 0.0) & (levels <= 1.0)).all():
            raise ValueError(
                f"q must be a probability, or a list of probabilities, between 0 and 1; got {describe(q)}."
            )
        times = self._distribution(X, alive_at).on_host().quantile(np.atleast_1d(levels))
        return times if levels.ndim else times[:, 0]

    def predict_median(self, X: Any, *, alive_at: npt.ArrayLike | None = None) -> Array:
        """Median event times, of shape (n,); see `predict_quantile`."""
        return self.predict_quantile(X, 0.5, alive_at=alive_at)

    def predict_mean(self, X: Any, *, alive_at: npt.ArrayLike | None = None) -> Array:
        """Mean event times, of shape (n,); infinite if the tail of the distribution is too heavy to have a mean.

        So they are where some never have the event, as with heads of the family ``bounded`` only.

        With ``alive_at`` the mean is conditional on being event-free then; minus ``alive_at`` it is the mean residual
        life.
        """
        return self._distribution(X, alive_at).on_host().mean()

    def predict_rmst(self, X: Any, tau: float | None = None, *, alive_at: npt.ArrayLike | None = None) -> Array:
        """Restricted mean survival times, by default restricted to the longest follow-up in training.

        Parameters
        ----------
        X : array, DataFrame or sparse matrix of shape (n, features)
        tau : float, optional
            Positive time to which survival times are restricted.
        alive_at : float or array-like of shape (n,), optional
            Condition on being event-free at these times; the mean is still counted from zero.

        Returns
        -------
        array of shape (n,)
        """
        if tau is not None and not (isinstance(tau, numbers.Real) and 0.0 < tau < np.inf):
            raise ValueError(f"tau must be a positive, finite time; got {describe(tau)}.")
        distribution = self._distribution(X, alive_at)
        return as_given(X, distribution.restricted_mean(self.model_.longest if tau is None else float(tau)))

    def predict_parameters(self, X: Any) -> Any:
        """Parameters and weight of every head of every subject.

        Parameters
        ----------
        X : array, DataFrame or sparse matrix of shape (n, features)

        Returns
        -------
        DataFrame with the columns subject, head, one for each parameter (eta, k, ...), scale and w
            With several causes, also cause. One row for each subject (numbered from 0) and head, in the user's unit of
            time: ``S(t) = exp(-sum_j w_j H_j(t; eta_j, k_j, ...))``, unless negative weights make the hazard negative
            at some times, where it is clipped at 0. A parameter that a family does not have is NaN. Without pandas, a
            structured array with the same names.

            Where the model is the mean of the hazards of several models, a head is shown once: ``w`` is the mean of its
            weights, and parameters are geometric means, in which a model counts by its weight. Columns that end with
            ``_sd`` have the standard deviations over the models.

        Notes
        -----
        ``eta`` has a unit of its own, time to the power -k, and is often tiny. ``scale`` says the same as a time: of a
        head alone, with weight 1, it is the time by which S has fallen to 1/e = 0.37 for Weibull
        (``eta ** (-1 / k)``), exponential (``1 / eta``) and Gompertz heads, and the median for log-logistic and
        log-normal heads (``eta ** (-1 / k)``); for bounded heads it is the time by which half of their risk has come
        (``eta ** (-1 / k)``); for exponentiated Weibull heads it is the scale of the Weibull
        distribution whose power they are. A head that is switched off has none (NaN).
        """
        return make_table(parameter_columns(self._distribution(X).on_host()))

    def head_contributions(self, X: Any, times: npt.ArrayLike) -> Any:
        """Share of each head in the hazard over time.

        Parameters
        ----------
        X : array, DataFrame or sparse matrix of shape (n, features)
        times : array-like
            Non-negative times.

        Returns
        -------
        DataFrame with the columns subject, time, head, share
            ``share = w_j h_j(t) / sum_i |w_i| h_i(t)``. The shares of a subject sum to 1, unless weights are negative
            or all its heads have weight zero. With several causes, also cause. Without pandas, a structured array with
            the same names.
        """
        grid = _check_times(times)
        return make_table(share_columns(self._distribution(X).on_host(), grid))

    def score(self, X: Any, y: Any, cause: int | None = None, sample_weight: Any = None) -> float:
        """Concordance index of `predict` with the observed outcomes; 1 is perfect and 0.5 is chance.

        Parameters
        ----------
        X : array, DataFrame or sparse matrix of shape (n, features)
        y : structured array, DataFrame, or pair of arrays
            As in `fit`, without interval censoring.
        cause : int, optional
            With competing risks, the concordance for events of this cause; subjects with an earlier event of another
            cause count as never having it. By default events of all causes count alike.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows; a pair of subjects counts as the product of its two weights.
        """
        check_alignment({"X": X, "y": y, "sample_weight": sample_weight})
        return self._concordance(to_host(self.predict(X, cause)), y, cause, sample_weight)

    def _concordance(self, predicted: Array, y: Any, cause: int | None, sample_weight: Any) -> float:
        """Concordance index of what `predict` has returned."""
        from hazboost.metrics.concordance import concordance_index

        target = as_target(y, sample_weight, causes_known=len(self.causes_) > 1)
        check_rows(len(predicted), target)
        return concordance_index(target, log_risk(predicted, cause), cause=cause)

    def _survival_at_own_times(self, X: Any, target: Target) -> Array:
        """Survival of each subject at the time of its event or of its censoring, given that it was alive at entry."""
        distribution = self._distribution(X).on_host()
        check_one_outcome_each(target, len(distribution))
        return distribution.given_alive_at(target.entry).survival(target.lower[:, None])[:, 0]

    def _predict_curves(
        self,
        kind: Kind,
        distribution: Distribution,
        return_array: bool,
        times: npt.ArrayLike | None,
        *arguments: int | None,
    ) -> Any:
        """Curves, or an array of values if times or an array are asked for."""
        if times is None and not return_array:
            # The default times are those of the training data, as in scikit-survival.
            return make_curves(kind, distribution.on_host(), self.unique_times_, *arguments)
        grid = self.unique_times_ if times is None else _check_times(times)
        # Cumulative incidences are integrals that are refined where needed, which a GPU is not made for.
        where = distribution.on_host() if kind == "cumulative_incidence" else distribution
        return getattr(where, kind)(grid, *arguments)

    def _distribution(self, X: Any, alive_at: npt.ArrayLike | None = None) -> Distribution:
        """Check the features, and predict the distributions, conditional on ``alive_at`` if given."""
        check_is_fitted(self, "model_")
        check_alignment({"X": X, "alive_at": alive_at})
        X = readable(X)
        # Checks the number and names of the columns only: categories and missing values are handled by the schema.
        match_columns(self, X, type(self).__name__)
        distribution = self.model_.distribution(X, count_threads(self.n_jobs))
        if alive_at is None:
            return distribution
        # A single time applies to all subjects.
        times = as_numbers(alive_at, "alive_at")
        if times.shape not in ((), (len(distribution),)) or not (np.isfinite(times) & (times >= 0.0)).all():
            raise ValueError(
                f"alive_at must be a finite, non-negative time, or one for each of the {len(distribution)} subjects; "
                f"got {describe(alive_at)}."
            )
        return distribution.given_alive_at(match_device(np.broadcast_to(times, len(distribution)), distribution.scores))

    def _check_cause(self, cause: Any) -> int:
        """Check that the model was trained with events of this cause."""
        check_is_fitted(self, "model_")
        if not is_whole_number(cause, 1) or cause not in self.causes_:
            known = ", ".join(map(str, self.causes_))
            raise ValueError(f"cause must be one of those in the training data, {known}; got {describe(cause)}.")
        return int(cause)


def _read_paths(distribution: Distribution, start: Any, stop: Any, identity: Any) -> list[Path]:
    """Check the rows of ``predict_survival_along``, and gather those of each subject in order of time."""
    begin, end = check_time(start, "start", "start"), check_time(stop, "stop", "stop")
    names = np.zeros(len(begin), dtype=np.intp) if identity is None else check_id(identity, "id")
    check_lengths({"X": np.arange(len(distribution)), "start": begin, "stop": end, "id": names}, "start, stop and X")
    refuse_unordered(begin, end, begin >= end, "start", "start must be before stop")
    refuse_overlaps(names, begin, end, "start")
    # Subjects keep their order of appearance; np.unique would sort them by id.
    subject = number_by_appearance(names)
    order = np.lexsort((begin, subject))
    # A gap would have to count as time without hazard, which is rarely meant.
    gap = np.flatnonzero((subject[order][1:] == subject[order][:-1]) & (begin[order][1:] > end[order][:-1]))
    if len(gap):
        one, other = order[gap[0]], order[gap[0] + 1]
        raise ValueError(
            f"start: there must be no gap; one row ends at {end[one]} (row {one}) and the next starts at "
            f"{begin[other]} (row {other}){'' if identity is None else f' of id {names[one]}'}. Add a row for the "
            "time in between."
        )
    # One group of row numbers per subject.
    rows = np.split(order, np.flatnonzero(np.diff(subject[order])) + 1)
    return [Path(distribution[one], begin[one], end[one]) for one in rows]


def _check_times(times: npt.ArrayLike) -> Array:
    """Check the times of a prediction, and return them as a one-dimensional array."""
    grid = np.atleast_1d(as_times(times))
    if grid.ndim != 1:
        raise ValueError(f"times must be a list of numbers; got an array of shape {grid.shape}.")
    return grid


def check_one_outcome_each(target: Target, rows: int) -> None:
    """Refuse outcomes of more or fewer subjects than ``X`` has rows."""
    if len(target) != rows:
        raise ValueError(f"y must have a row for each of the {rows} rows of X; got {len(target)}.")


def log_risk(predicted: Array, cause: int | None) -> Array:
    """Logarithms of what `Predictor.predict` has returned, in the same order; higher means an earlier event.

    Risks are times, survived or lost to the cause. Whether two logarithms are tied depends on the ratio of the times:
    neither on their unit nor on the longest follow-up.
    """
    time = log_time(np.abs(predicted))
    return -time if cause is None else time


def as_given(X: Any, predicted: Array) -> Array:
    """Predictions on the GPU if the features came from there, else in the memory of the computer."""
    wanted: Array = predicted if is_on_device(X) else to_host(predicted)
    return wanted
