"""Every constant of the automatic fit, in one place.

The numbers were chosen by mean rank over many data sets, never for a single one. ``docs/defaults.md`` says what they
are for, and ``docs/defaults-evidence.md`` has the evidence for each; the names in brackets below are its headings.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Pace:
    """How fast an automatic fit learns: the more subjects, the less a long step overfits.

    Attributes
    ----------
    rate : float
        Learning rate.
    rows, columns : float
        Shares of the rows that are sampled for each round, and of the columns for each tree.
    caution : float
        Factor by which steps of all scores except the level (without one, except the scales) are shorter.
    patience : float
        Rounds without improvement after which a fold stops, for a learning rate of one; shorter steps get
        proportionally more.
    """

    rate: float
    rows: float
    columns: float
    caution: float
    patience: float


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
    subjects_for_choices : int
        With many subjects, depth and ridge are chosen on at most so many of them, drawn at random. [Many subjects]
    subjects_for_linear, subjects_for_ridge, subjects_for_column : int
        The linear start is fitted, and its ridge is chosen, on at most so many subjects, or on so many for each column
        if that is more: plenty for its coefficients. [Many subjects]
    intercept_reach, largest_shift : float
        How far a log-parameter may move from its fit without covariates, and the largest shift of a log-hazard by
        covariates. [Linear start]
    largest_difference : float
        A held-out subject counts as at most so much better or worse than its reference when models are compared.
        [Limit on single subjects]
    subjects_for_folds : int
        Above this number of subjects one hold-out takes the place of cross-validation.
    hold_out, most_held_out : float, int
        Share of the subjects in that hold-out, and the largest number of them. [Many subjects]
    small_hold_out : float
        Trees are grown again on all rows if the share of the subjects that were held out is larger.
    with_folds, with_hold_out : Pace
        How fast to learn with that many subjects, and with more. [Pace]
    fewest_columns : int
        At least so many columns are sampled for each tree: of two features, a tree that sees one of them can never
        learn how they act together. [Pace]
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
    events_for_half_trust : float
        Event count at which the contribution of trees is halved. [Shrinkage]
    trust_doublings, trust_strength : tuple of int, float
        How often that number is doubled, or halved, to see whether held-out subjects are better for it; and what the
        square of that costs, in log-likelihood. [Shrinkage]
    usual_weights, weights_strength : tuple of float, float
        Weights of a regression alone, with trees, and of trees alone, from which held-out subjects depart; and what the
        square of a departure costs, in log-likelihood. [Blend]
    folds_alone : int
        Number of folds whose trees begin without covariates as well. [Blend]
    calibration_strength, most_enlarged : float
        What half of the square of a number of the calibration costs, in log-likelihood; and how much more trees may
        count by it. [Calibration]
    depths : tuple of int
        Depth of the trees, and deeper ones that are tried while each is clearly better than the one before. [Depth]
    events_for_leaf : float
        Deeper trees are tried with at least so many events for each leaf that they can have. [Depth]
    clear_gain : float
        Standard errors of a gain in held-out likelihood from which on deeper trees, or features that act on time, are
        clearly better. [Depth] [Effect on time]
    events_for_doubt : float
        There are no trees on top of a regression if they lose more than one standard error of held-out likelihood with
        so many events, or half of one with twice as many. [Doubt]
    horizon : float
        Risks are compared until this share of the events has happened. [Horizon]
    background_events : float
        A subject without any active head has the constant hazard of so many events in all of the training follow-up:
        Jeffreys' estimate of a rate after no event.
    """

    ridges: tuple[float, ...] = (10_000.0, 3_000.0, 1_000.0, 300.0, 100.0, 30.0, 10.0, 3.0, 1.0, 0.3)
    adaptive_steps: tuple[float, ...] = (3.0, 1.0, 0.3, 0.1)
    least_effect: float = 0.1
    skewness: float = 2.0
    farthest: float = 4.0
    subjects_for_choices: int = 20_000
    subjects_for_linear: int = 20_000
    subjects_for_ridge: int = 5_000
    subjects_for_column: int = 50
    intercept_reach: float = 40.0
    largest_shift: float = 20.0
    largest_difference: float = 3.0
    subjects_for_folds: int = 5_000
    hold_out: float = 0.2
    most_held_out: int = 5_000
    small_hold_out: float = 0.1
    with_folds: Pace = Pace(rate=0.2, rows=0.5, columns=0.5, caution=4.0, patience=2.0)
    with_hold_out: Pace = Pace(rate=0.3, rows=1.0, columns=1.0, caution=4.0, patience=5.0)
    fewest_columns: int = 5
    max_rounds: float = 100.0
    most_bursts: int = 3
    ridge_for_heads: float = 30.0
    least_gap: float = 1.0
    most_added: int = 6
    least_gain: float = 1.0
    least_mean_gain: float = 2.0
    least_advantage: float = 3.0
    events_for_half_trust: float = 100.0
    trust_doublings: tuple[int, ...] = (-2, -1, 0, 1, 2, 3, 4)
    trust_strength: float = 0.5
    usual_weights: tuple[float, float, float] = (0.25, 0.625, 0.125)
    weights_strength: float = 10.0
    folds_alone: int = 2
    calibration_strength: float = 20.0
    most_enlarged: float = 1.0
    depths: tuple[int, ...] = (2, 4, 8)
    events_for_leaf: float = 60.0
    clear_gain: float = 2.0
    events_for_doubt: float = 200.0
    horizon: float = 0.75
    background_events: float = 0.5

    def hold_out_of(self, subjects: int) -> float | None:
        """Share of the subjects to hold out once; None where there are so few that cross-validation is affordable."""
        if subjects <= self.subjects_for_folds:
            return None
        return min(self.hold_out, self.most_held_out / subjects)

    def pace_for(self, subjects: int) -> Pace:
        """How fast to learn."""
        return self.with_folds if self.hold_out_of(subjects) is None else self.with_hold_out

    def depths_for(self, events: float) -> tuple[int, ...]:
        """Depths to try in turn: the first, and those that so many events can fill."""
        first, *deeper = self.depths
        return (first, *(depth for depth in deeper if events >= self.events_for_leaf * 2**depth))

    def columns_of(self, pace: Pace, width: int) -> float:
        """Share of the columns to sample for each tree."""
        return max(pace.columns, min(1.0, self.fewest_columns / width))


#: The one that `FPBoost` uses.
POLICY = Policy()
