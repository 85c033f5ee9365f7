"""Every constant of the automatic fit, in one place.

The numbers were chosen by mean rank over many data sets, never for a single one. ``docs/defaults.md`` says what they
are for, and ``docs/defaults-evidence.md`` has the evidence for each; the names in brackets below are its headings.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Pace:
    """How fast an automatic fit learns.

    Attributes
    ----------
    rate : float
        Learning rate.
    rows, columns : float
        Share of the rows that are sampled for each round, and the least share of the columns for each tree.
    caution : float
        Factor by which steps of all scores except the level (without one, except the scales) are shorter.
    """

    rate: float
    rows: float
    columns: float
    caution: float


@dataclass(frozen=True)
class Policy:
    """What `FPBoost` decides by itself, and how.

    Attributes
    ----------
    ridges : tuple of float
        Strengths of the ridge that are compared, from strong to weak. Even the strongest still ranks subjects.
        [Linear start]
    adaptive_steps : tuple of float
        Strengths of the adaptive ridges that are tried one after the other, relative to the ridge. [Adaptive ridge]
    least_effect : float
        There the effect of a feature counts as at least this share of the mean of all, in squares: what looked like
        none may still be one. [Adaptive ridge]
    skewness : float
        Features that are more skewed get a power transform in the linear start; 2 is the skewness of an exponential
        distribution. [Power transform]
    farthest : float
        Standardised features are cut at so many standard deviations in the linear start. [Linear start]
    subjects_for_linear, subjects_for_column : int
        The linear start is fitted to at most so many subjects, or to so many for each column if that is more: plenty
        for its coefficients. [Many subjects]
    subjects_for_heads : int
        Heads are compared by regressions of at most so many subjects. [Heads]
    intercept_reach, largest_shift : float
        How far a log-parameter may move from its fit without covariates, and the largest shift of a log-hazard by
        covariates. [Linear start]
    largest_difference : float
        A held-out subject counts as at most so much better or worse than its reference when models are compared.
        [Limit on single subjects]
    folds : tuple of int
        The fewest and the most folds. [Folds]
    events_for_folds, folds_by_decade : float
        Up to so many events there are the most folds, and with each factor of ten so many fewer, rounded. [Folds]
    most_parts : int
        A division of the subjects has at most so many parts; with more folds, subjects are divided again. [Folds]
    subjects_held_out : int
        Each fold holds out its share of the subjects, and at most the square root of this over their number.
        [Many subjects]
    pace : Pace
        How fast to learn. [Pace]
    bins : tuple of int
        Bins of a feature for the trees: the first, twice as many from so many rows on as the second says, and so on up
        to the third. [Many subjects]
    fewest_columns, events_for_column : int, float
        At least so many columns are sampled for each tree, and one for so many events: of two features, a tree that
        sees one of them can never learn how they act together. [Pace]
    patience : pair of float
        The fewest and the most rounds without improvement after which a fold stops, for a learning rate of one; in
        between the logarithm to the base of two of the events over ``patience_events``. [Many subjects]
    patience_events : float
        See ``patience``.
    max_rounds : float
        Largest number of rounds, for a learning rate of one; shorter steps get proportionally more.
    most_bursts : int
        The largest number of bounded heads that are added by likelihood. [Heads]
    ridge_for_heads : float
        The ridge of regressions by which heads are compared. [Heads]
    least_gap, most_added : float, int
        Where survival curves of such a regression are off by so many standard errors of Kaplan-Meier, heads are added
        given its linear predictor, at most so many of all causes together. [Heads]
    least_gain, least_mean_gain, least_advantage : float
        What each of them must add to the log-likelihood, and all of them in the mean; they are kept if they add so much
        to that of all held-out subjects. [Heads]
    shrinkage_events : float
        Event count at which the contribution of trees is halved before it is calibrated. [Shrinkage]
    shift_strength, shrinkage_strength : float
        What half of the square of a shift, and of a relative change of the shrinkage, costs in log-likelihood.
        [Calibration]
    events_without_doubt : float
        Trees on top of a regression must gain the logarithm of the events over this number. [Calibration]
    depths : tuple of int
        Depth of the trees, and deeper ones that are tried while each is clearly better than the one before. [Depth]
    events_for_leaf, events_to_skip : float
        Deeper trees are tried with at least so many events for each leaf that they can have; with so many events in
        all, the first depth is not. [Depth]
    clear_gain : float
        Standard errors of a gain in held-out likelihood from which on deeper trees, or features that act on time, are
        clearly better. [Depth] [Effect on time]
    horizon : float
        Risks are compared until this share of the events has happened. [Horizon]
    background_events : float
        A subject without any active head has the constant hazard of so many events in all of the training follow-up:
        Jeffreys' estimate of a rate after no event.
    steps_left_out : frozenset of str
        Names of steps of `hazboost.training.pipeline` that are left out, for ablations.
    """

    ridges: tuple[float, ...] = (10_000.0, 3_000.0, 1_000.0, 300.0, 100.0, 30.0, 10.0, 3.0, 1.0, 0.3)
    adaptive_steps: tuple[float, ...] = (3.0, 1.0, 0.3, 0.1)
    least_effect: float = 0.1
    skewness: float = 2.0
    farthest: float = 4.0
    subjects_for_linear: int = 20_000
    subjects_for_column: int = 50
    subjects_for_heads: int = 5_000
    intercept_reach: float = 40.0
    largest_shift: float = 20.0
    largest_difference: float = 3.0
    folds: tuple[int, int] = (3, 10)
    events_for_folds: float = 200.0
    folds_by_decade: float = 7.0
    most_parts: int = 5
    subjects_held_out: int = 25_000
    pace: Pace = Pace(rate=0.2, rows=0.5, columns=0.5, caution=4.0)
    bins: tuple[int, int, int] = (64, 20_000, 256)
    fewest_columns: int = 5
    events_for_column: float = 50.0
    patience: tuple[float, float] = (2.0, 8.0)
    patience_events: float = 500.0
    max_rounds: float = 1_000.0
    most_bursts: int = 3
    ridge_for_heads: float = 30.0
    least_gap: float = 1.0
    most_added: int = 6
    least_gain: float = 1.0
    least_mean_gain: float = 2.0
    least_advantage: float = 3.0
    shrinkage_events: float = 100.0
    shift_strength: float = 20.0
    shrinkage_strength: float = 4.0
    events_without_doubt: float = 200.0
    depths: tuple[int, ...] = (2, 4, 6, 8)
    events_for_leaf: float = 60.0
    events_to_skip: float = 20_000.0
    clear_gain: float = 2.0
    horizon: float = 0.75
    background_events: float = 0.5
    steps_left_out: frozenset[str] = frozenset()

    def folds_for(self, events: float) -> int:
        """Number of folds."""
        fewest, most = self.folds
        decades = np.log10(max(events, 1.0) / self.events_for_folds)
        return int(np.clip(np.rint(most - self.folds_by_decade * decades), fewest, most))

    def parts_for(self, folds: int, subjects: int) -> int:
        """Into how many parts subjects are divided, of which each fold holds out one."""
        return max(min(folds, self.most_parts), int(np.sqrt(subjects / self.subjects_held_out)))

    def patience_for(self, events: float) -> float:
        """Rounds without improvement after which a fold stops, for a learning rate of one."""
        return float(np.clip(np.log2(max(events, 1.0) / self.patience_events), *self.patience))

    def bins_for(self, rows: int) -> int:
        """Bins of a feature."""
        fewest, enough, most = self.bins
        return int(min(most, fewest * 2 ** max(0, int(np.ceil(np.log2(max(rows, 1) / enough))))))

    def depths_for(self, events: float) -> tuple[int, ...]:
        """Depths to try in turn: those that so many events can fill."""
        first, *deeper = self.depths
        possible = [first, *(depth for depth in deeper if events >= self.events_for_leaf * 2**depth)]
        return tuple(possible if events < self.events_to_skip else possible[1:])

    def columns_for(self, width: int, events: float) -> float:
        """Share of the columns to sample for each tree."""
        fewest = max(self.fewest_columns, events / self.events_for_column)
        return max(self.pace.columns, min(1.0, fewest / width))


#: The one that `FPBoost` uses.
POLICY = Policy()
