"""What a model remembers of the people on whom it was trained."""

from __future__ import annotations

import numpy as np

from hazboost.data.cohort import Cohort, describe_features
from hazboost.data.nonparametric import aalen_johansen, evaluate_steps, median_follow_up
from hazboost.data.sample import Sample, rows_to_load
from hazboost.data.summary import Summary
from hazboost.data.target import Target
from hazboost.hazards.distribution import Distribution
from hazboost.prediction.model import Model
from hazboost.utils.arrays import Array

#: So many subjects, drawn at random, say what features and curves are like, and so many what the model predicts.
MOST_SUBJECTS, MOST_PREDICTIONS = 20_000, 1_000
#: Curves are kept at so many times.
MOST_TIMES = 100


def describe_cohort(model: Model, data: Summary, sample: Sample, seed: int) -> Cohort:
    """Counts, quantiles and curves of the training data, in the user's unit of time.

    Parameters
    ----------
    model : Model
        The fitted model.
    data : Summary
        What is known of all rows.
    sample : Sample
        The rows, or some of them that were drawn at random.
    seed : int
        Seed for drawing.
    """
    rng = np.random.default_rng(seed)
    sample = sample.draw(rows_to_load(MOST_SUBJECTS, sample.X), rng).in_memory()
    target, n_causes = sample.target, model.mixture.n_causes
    times = curve_times(target, data.longest)
    causes = range(1, n_causes + 1)
    comparable = not (target.interval.any() or target.has_recurrent_events)
    observed = [evaluate_steps(aalen_johansen(target, cause), times, start=0.0) for cause in causes]
    return Cohort(
        subjects=data.n_subjects,
        events=data.events_by_cause(n_causes),
        follow_up=np.nan if target.interval.any() or target.has_several_rows else median_follow_up(target),
        features=describe_features(sample.X, model.schema.categories),
        times=times,
        observed=np.array(observed) if comparable else np.full((n_causes, len(times)), np.nan),
        expected=mean_incidence(model, sample.draw(MOST_PREDICTIONS, rng), times),
    )


def curve_times(target: Target, longest: float) -> Array:
    """Zero, the times of events or as many quantiles of them as are kept, and the longest follow-up."""
    known = np.concatenate([target.lower[target.event], target.upper[target.interval]])
    events = np.quantile(known, np.linspace(0.0, 1.0, MOST_TIMES - 2), method="lower") if len(known) else known
    times: Array = np.unique(np.concatenate([[0.0], events, [longest]]))
    return times


def mean_incidence(model: Model, sample: Sample, times: Array) -> Array:
    """Mean cumulative incidence of each cause that the model predicts for the rows of a sample."""
    distribution = Distribution(model.mixture, model.scores(sample.X), model.unit).on_host()
    mass = sample.target.mass
    incidence = [distribution.cumulative_incidence(times, cause) for cause in range(1, model.mixture.n_causes + 1)]
    return np.array([mass @ one / mass.sum() for one in incidence])
