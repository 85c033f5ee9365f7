"""What is predicted for the judged rows: by the model, by Cox regressions, and for everybody the same."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hazboost.data.nonparametric import Steps, aalen_johansen, evaluate_steps, kaplan_meier, probabilities_since_entry
from hazboost.report.cox import Cox
from hazboost.report.evidence import Evidence
from hazboost.utils.arrays import Array

#: Survival is not taken to be smaller where it divides.
SMALLEST = 1e-12
#: Times at which cumulative incidences of Cox regressions are added up.
STEPS = 200


@dataclass(frozen=True)
class Forecast:
    """Predictions of one model for the judged rows, of any event or of one cause.

    Attributes
    ----------
    title : str
        Name of the model.
    risk : array of shape (n,)
        Higher means an earlier event.
    probability : array of shape (n, times)
        Survival at the times of the evidence; of a cause, its cumulative incidence; given that nothing had happened
        at entry.
    at_moment : array of shape (n,)
        The same at one time, not conditional on entry.
    expected : array of shape (n,)
        Expected number of events until the own time of each row: its cumulative hazard since entry.
    log_level : array of shape (n,)
        Logarithm of the cumulative hazard until one time; by how much it varies is how much the model dares to say.
    """

    title: str
    risk: Array
    probability: Array
    at_moment: Array
    expected: Array
    log_level: Array


def make_forecasts(evidence: Evidence, cause: int | None) -> list[Forecast]:
    """Those of the model, of Kaplan-Meier (Aalen-Johansen) and, where there is one, of Cox."""
    forecasts = [_of_model(evidence, cause), _of_everybody(evidence, cause)]
    if isinstance(evidence.cox, dict):
        forecasts.append(_of_cox(evidence, evidence.cox, cause))
    return forecasts


def _of_model(evidence: Evidence, cause: int | None) -> Forecast:
    target, moment = evidence.judged.target, np.array([evidence.moment])
    whole, late = evidence.distribution, evidence.after_entry
    if cause is None:
        risk, probability, at_moment = evidence.risk, late.survival(evidence.grid), whole.survival(moment)
    else:
        risk = whole.lost_time(evidence.model.model_.horizon, cause)
        probability = late.cumulative_incidence(evidence.grid, cause)
        at_moment = whole.cumulative_incidence(moment, cause)
    log_level = np.log(np.maximum(whole.of_cause(cause).cumulative_hazard(moment)[:, 0], SMALLEST))
    expected = late.of_cause(cause).cumulative_hazard(target.lower[:, None])[:, 0]
    return Forecast("FPBoost", risk, probability, at_moment[:, 0], expected, log_level)


def _of_everybody(evidence: Evidence, cause: int | None) -> Forecast:
    """The estimate of the training data, the same for all rows."""
    survival, incidence = _observed(evidence, cause)
    target, n = evidence.judged.target, len(evidence.judged)
    entry = np.maximum(target.entry, 0.0)
    probability = probabilities_since_entry(survival, incidence, evidence.grid, entry)
    at_moment = probabilities_since_entry(survival, incidence, np.array([evidence.moment]), np.zeros(n))[:, 0]
    if cause is not None:
        return Forecast("Aalen-Johansen", np.zeros(n), probability, at_moment, np.full(n, np.nan), np.zeros(n))
    left = [np.maximum(evaluate_steps(survival, times, start=1.0), SMALLEST) for times in (entry, target.lower)]
    return Forecast("Kaplan-Meier", np.zeros(n), probability, at_moment, np.log(left[0] / left[1]), np.zeros(n))


def _observed(evidence: Evidence, cause: int | None) -> tuple[Steps, Steps | None]:
    """Survival, and the incidence of a cause, observed in training: of its rows, or as the model remembers them."""
    cohort = evidence.cohort
    rows = evidence.judged if np.isnan(cohort.observed).any() else None
    if evidence.train is not None and not (
        evidence.train.target.interval.any() or evidence.train.target.has_recurrent_events
    ):
        rows = evidence.train
    if rows is not None:
        return kaplan_meier(rows.target), None if cause is None else aalen_johansen(rows.target, cause)
    survival = cohort.times, 1.0 - cohort.observed.sum(axis=0)
    return survival, None if cause is None else (cohort.times, cohort.observed[cause - 1])


def _of_cox(evidence: Evidence, fitted: dict[int, Cox], cause: int | None) -> Forecast:
    """Cumulative incidences are sums over the event times of all causes."""
    judged, target = evidence.judged, evidence.judged.target
    ratios = {one: np.exp(cox.log_ratio(judged.encoded)) for one, cox in fitted.items()}
    own = list(fitted) if cause is None else [cause]

    def hazard(causes: list[int], times: Array) -> Array:
        """Cumulative hazards, at common times or, of shape (n, 1), at the own time of each row."""
        parts = [ratios[one][:, None] * fitted[one].cumulative_hazard(times) for one in causes]
        total: Array = np.sum(parts, axis=0)
        return total

    entry = np.maximum(target.entry, 0.0)[:, None]
    expected = (hazard(own, target.lower[:, None]) - hazard(own, entry))[:, 0]
    moment, every = np.array([evidence.moment]), list(fitted)
    log_level = np.log(np.maximum(hazard(own, moment)[:, 0], SMALLEST))
    if cause is None:
        since = np.minimum(hazard(every, entry) - hazard(every, evidence.grid), 0.0)
        return Forecast("Cox", log_level, np.exp(since), np.exp(-hazard(every, moment))[:, 0], expected, log_level)
    incidence = _incidence(fitted, ratios, cause)
    alive = np.exp(-hazard(every, entry))
    at_entry = _at(incidence, entry)
    gained = (_at(incidence, np.broadcast_to(evidence.grid, (len(judged), len(evidence.grid)))) - at_entry) / alive
    at_moment = _at(incidence, np.broadcast_to(moment, (len(judged), 1)))[:, 0]
    return Forecast("Cox", at_moment, np.clip(gained, 0.0, 1.0), at_moment, expected, log_level)


def _incidence(fitted: dict[int, Cox], ratios: dict[int, Array], cause: int) -> tuple[Array, Array]:
    """Times from zero on, and the incidence of a cause at each of them, of shape (n, times)."""
    times = np.unique(np.concatenate([cox.baseline[0] for cox in fitted.values()]))
    if len(times) > STEPS:
        times = np.unique(np.quantile(times, np.linspace(0.0, 1.0, STEPS), method="lower"))
    total = np.sum([ratios[one][:, None] * cox.cumulative_hazard(times) for one, cox in fitted.items()], axis=0)
    rise = np.diff(total, axis=1, prepend=0.0)
    own = np.diff(ratios[cause][:, None] * fitted[cause].cumulative_hazard(times), axis=1, prepend=0.0)
    share = np.divide(own, rise, out=np.zeros_like(rise), where=rise > 0.0)
    # What is lost between two times is divided by cause, so that all incidences and survival add up to one.
    lost = np.exp(rise - total) * -np.expm1(-rise)
    reached = np.cumsum(lost * share, axis=1)
    return np.concatenate([[0.0], times]), np.concatenate([np.zeros_like(reached[:, :1]), reached], axis=1)


def _at(curves: tuple[Array, Array], times: Array) -> Array:
    """Values of step functions, one for each row, at times of each row."""
    position = np.searchsorted(curves[0], times, side="right") - 1
    values: Array = np.take_along_axis(curves[1], position, axis=1)
    return values
