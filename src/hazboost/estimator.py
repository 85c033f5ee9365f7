"""FPBoost, the scikit-learn estimator: parameters, their checks and ``fit``; what a fitted model does is inherited."""

from __future__ import annotations

import inspect
import numbers
import os
import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions

from hazboost.boosting.objective import Objective
from hazboost.boosting.steps import STEPS
from hazboost.data.alignment import check_alignment
from hazboost.data.batches import Batches, read_batches
from hazboost.data.cohort import Cohort
from hazboost.data.constraints import Constraints, read_constraints
from hazboost.data.features import Schema, learn_schema, readable, refuse_empty_columns, upper_limits
from hazboost.data.names import learn_columns, match_columns
from hazboost.data.observations import MAX_CAUSES
from hazboost.data.reading import (
    as_groups,
    as_target,
    check_causes,
    check_informative,
    check_rows,
    refuse_left_censored_only,
)
from hazboost.data.sample import Sample
from hazboost.data.summary import Summary
from hazboost.data.target import Target
from hazboost.engines import CudaEngine, Engine, ExactEngine, Features, LocalEngine, check_cuda, monotone_engine
from hazboost.engines.collective import require_single_process
from hazboost.hazards.activations import PARAMETER_ACTIVATIONS, WEIGHT_ACTIVATIONS, UniformWeight
from hazboost.hazards.heads import HEADS
from hazboost.hazards.mixture import Mixture
from hazboost.publishing import Publisher
from hazboost.training.advice import advise_on_size, advise_on_ties, check_can_stop
from hazboost.training.cohort import describe_cohort
from hazboost.training.constraints import check_constraints
from hazboost.training.fit import Trained, train_model
from hazboost.training.plan import HORIZONS, Given, Plan, Search, Stopping, TimeScale, time_unit
from hazboost.training.policy import POLICY, Pace, Policy
from hazboost.training.starts import STARTS
from hazboost.utils.arrays import Array
from hazboost.utils.describe import describe
from hazboost.utils.devices import to_device, to_host
from hazboost.utils.random_states import as_seed
from hazboost.utils.threads import count_threads
from hazboost.utils.whole_numbers import is_whole_number

#: Learning rate of the authors' code.
RATE_OF_AUTHORS = 0.1
#: What the authors' code does; the numbers are its defaults.
PAPER = {
    "weibull_heads": 2,
    "loglogistic_heads": 2,
    "solver": "gradient",
    "n_estimators": 100,
    "n_folds": 5,
    "max_depth": 1,
    "learning_rate": RATE_OF_AUTHORS,
    "alpha": 0.0,
    "l1_ratio": 0.5,
    "heads_activation": "relu",
    "parameter_activation": "relu",
    "init": "random",
    "gradient_scaling": "max",
    "tree_method": "exact",
    "min_child_weight": 1.0,
    "reg_lambda": 0.0,
    "heads": None,
    "uniform_heads": False,
    "patience": None,
    "stopping_metric": "concordance",
    "validation_fraction": 0.2,
    "risk_horizon": "longest",
    "subsample": 1.0,
    "colsample_bytree": 1.0,
    "max_bin": 256,
    "monotone_constraints": None,
    "interaction_constraints": None,
    "n_causes": None,
}
MAX_HEADS = 64


class FPBoost(Publisher):
    r"""Fully parametric gradient boosting for survival analysis.

    The hazard of a subject is a weighted sum of parametric hazards, the *heads*,

    .. math:: h(t \mid x) = \sum_j w_j(x) \, h_j(t \mid \eta_j(x), k_j(x)),

    whose scales :math:`\eta_j`, shapes :math:`k_j` and weights :math:`w_j` are predicted by boosted trees that maximise
    the full likelihood. There is no proportional-hazards assumption and no time grid. Right, left and interval
    censoring, delayed entry, time-varying covariates, recurrent events and competing risks all enter this one
    likelihood; `hazboost.Surv` builds ``y`` for each of them.

    Parameters
    ----------
    weibull_heads, loglogistic_heads : int, default=1
        Number of heads of each family, 0 to 64.
    heads : dict, "auto" or None, default="auto"
        Number of heads of further families, by name: ``exponential``, ``gompertz``, ``lognormal``,
        ``exponentiated_weibull``, ``bounded``. ``None``: no further heads. A bounded head is a burst of risk that comes
        and goes: several of them approximate any hazard without negative weights, and with no other family the share
        ``exp(-sum(w))`` of subjects never has the event (a cure fraction).

        ``"auto"`` lets the data decide, and ``heads_`` says how many there are:

        - Up to three bounded heads are added, each if it raises the likelihood without covariates by more than its
          parameters are worth (the Bayesian information criterion); none where recorded times are coarse.
        - With ``init="linear"``, of one Weibull and one LogLogistic head without a bounded one, the second is left out
          if by the same criterion a regression does not need it and its mean curve is not off without it; where it
          is off, held-out subjects decide.
        - With ``init="linear"``, up to six LogLogistic or bounded heads are added given the linear predictor, where its
          curves are off and held-out subjects are clearly better with them.

        Nothing is chosen with ``solver="gradient"``, an ``init`` that is not fitted by maximum likelihood, or another
        ``heads_activation`` than the default.
    solver : {"newton", "gradient"}, default="newton"
        ``newton``: second order. A leaf is the gradient over a curvature that is at least as large, so that steps are
        bounded; steps of all scores except the level (without one, except the scales) are four times shorter, because
        the others overfit first. ``gradient``: Algorithm 1 of the paper, first order; use it with ``reg_lambda=0``.
    n_estimators : int or "auto", default="auto"
        Number of boosting rounds. Each round adds one tree for each parameter of each head and for each score of the
        weights. ``"auto"`` chooses the number by cross-validated likelihood, and the hazard of the model is the mean of
        those of the models of all folds. After E events, the contribution of the trees is first shrunk by
        ``E / (E + 100)``; held-out subjects then choose a shift and a shrinkage for each score (calibration). On top of
        a linear start there are no trees, and ``n_estimators_`` is 0, where held-out subjects gain too little by them.
        A given number of rounds is made on all rows, and neither shrunk nor calibrated.
    max_depth : int or "auto", default="auto"
        Depth of the trees. ``"auto"`` is 2; then 4, 6 and 8 are tried in turn while there are 60 events for each leaf
        and the gain in held-out likelihood exceeds two standard errors. From 20,000 events on, 2 is not tried. With a
        given number of rounds it is 2.
    learning_rate : float or "auto", default="auto"
        Factor on the contribution of each tree. ``"auto"`` is 0.2, and 0.1 with ``solver="gradient"``.
    alpha : float, default=0
        Strength of the elastic net on the raw scores F, averaged over subjects and scores:
        ``alpha * mean(l1_ratio * |F| + (1 - l1_ratio) * F**2)``, as in the authors' code. (The paper writes norms.)
    l1_ratio : float, default=0.5
        Weight of the absolute values in the elastic net.
    uniform_heads : bool, default=False
        Give every head the weight ``1 / heads`` instead of learning weights.
    heads_activation : {"scaled_softmax", "softmax", "relu", "exp", "sigmoid", "tanh", "identity"}
        From raw scores to weights. ``scaled_softmax``: ``exp(level) * softmax(scores)``, where the level is a score of
        its own that multiplies the hazard by the same factor at all times, and the other scores divide it among the
        heads. ``relu`` is the authors' default. With ``tanh`` and ``identity`` weights may be negative; the hazard is
        then clipped at zero before it is integrated.
    parameter_activation : {"exp", "softplus", "relu"}, default="exp"
        From raw scores to scales and shapes. ``relu`` is the paper's; a head one of whose parameters reaches zero is
        switched off for good.
    init : {"linear", "marginal", "km", "random"}, default="linear"
        Scores before the first tree.

        - ``linear``: a parametric regression, in which a ridge-penalised linear predictor for each cause shifts its
          log-hazard (for weights without a level, the log-scales of its heads) or, where that is clearly better for
          held-out subjects, makes time run faster or slower (accelerated failure time). Skewed features enter after a
          power transform, and the strength of the ridge is chosen by cross-validated likelihood.
        - ``marginal``: maximum likelihood without covariates.
        - ``km``: each family fitted to the Kaplan-Meier curve, with its heads spread around the fit by a tenth and
          equal weights (the paper's text).
        - ``random``: ``eta ~ U(0.5, 1.5)``, ``k ~ U(0, 2)``, scores of the weights ``~ U(0, 1)`` (the authors' code;
          with the normal distributions of the paper's text, ReLU would switch off half of the heads before the first
          round).
    n_folds : int or "auto", default="auto"
        Number of folds of the cross-validation that chooses ridge, rounds and depth, stratified by event; the model is
        the mean of one for each of them. Up to five, each subject is held out once; with more, subjects are divided
        again, differently. ``"auto"`` is 10 up to 235 events, 5 with about 1,000 and 3 from about 1,700 on, and at most
        as many as there are subjects or groups. With many subjects each fold holds out a smaller part.
    gradient_scaling : {"subject", "max"}, default="subject"
        For ``solver="gradient"``. ``subject``: trees are fitted to the gradient of each subject's own loss, which is
        the paper's text with the learning rate multiplied by the number of subjects. ``max``: all gradients of a round
        are divided by the largest of them, as in the authors' code; learning rates up to 1 make sense only with this.
    patience : int, optional
        Stop when the validation metric has not improved for this many rounds, and keep the best round. By default
        all rounds are made.
    stopping_metric : {"concordance", "likelihood"}, default="concordance"
        Validation metric of early stopping: the C-index (paper) or the likelihood.
    validation_fraction : float, default=0.2
        Share of the training data set aside for early stopping, stratified by event, if ``fit`` gets no ``eval_set``.
    risk_horizon : {"events", "longest"}, default="events"
        `predict`, and the C-index of early stopping, compare mean survival times restricted to this time: ``events``,
        when three quarters of the events have happened; ``longest``, the longest follow-up (the authors' code).
    subsample, colsample_bytree : float or "auto", default="auto"
        Share of the rows sampled for each round, and of the columns for each tree. ``"auto"`` is one half; of the
        columns at least five, and at least one for 50 events.
    min_child_weight : float, default=1
        Smallest number of subjects in a leaf (the sum of their weights, relative to the mean weight); with
        ``solver="newton"``, smallest curvature.
    reg_lambda : float, default=1
        Ridge penalty on the leaves.
    max_bin : int or "auto", default="auto"
        Number of bins of a feature, with ``tree_method`` "hist" and "approx". ``"auto"`` is 64 up to 20,000 subjects,
        128 up to 40,000, and 256 above.
    tree_method : {"hist", "exact", "approx"}, default="hist"
        How XGBoost finds splits. "exact" considers all, as in the paper, but does not support categorical features.
    monotone_constraints : dict or sequence, optional
        For each feature 1, 0 or -1: the risk may only rise with it (1), only fall (-1), or do both. A dict has names of
        columns, or positions; a number is a position also where names of columns are numbers. The constraint holds for
        the whole model and for every cause: the hazard at any time rises, and with it the cumulative hazard and the
        risk score of `predict`; survival, quantiles and means fall. With competing causes, the cumulative incidence of
        one of them need not rise, because those of the others do. Scores that change the course of the hazard over
        time, shapes and shares of heads, do not depend on constrained features, so that these act as in a model of
        proportional hazards (for weights without a level, through the scales of the heads). A missing value has no
        place in the order. Categories, negative weights, heads that can be switched off and, for weights without a
        level, bounded heads are refused.
    interaction_constraints : sequence of sequences, optional
        Groups of features that may interact. Every raw score is a sum of functions, each of the features of one group;
        a feature in no group has a function of its own. With several scores the hazard, in which they meet, need not be
        such a sum or product.
    n_causes : int, optional
        Number of causes; by default the largest code in ``y``. Give it where a part of the data, such as a fold of a
        cross-validation, may hold no event of some cause. A cause without an event has the hazard of half an event in
        all the follow-up, the same for every subject.
    n_jobs : int, optional
        Number of threads. ``None`` means all processors, but at most ``OMP_NUM_THREADS`` where that is set; ``-1``
        means all. Folds are worked on at the same time and share the threads, but small ones come one after the other.
        What is chosen does not depend on the number.
    device : str, default="cpu"
        ``"cpu"``, or ``"cuda"`` (``"cuda:1"``; ``"gpu"`` means the same) for a GPU, which needs CuPy. Features, scores
        and gradients then stay on the GPU, and features may be arrays of CuPy; predictions are as well, if the
        features are.
    random_state : int, RandomState instance or None, default=None
        Seed of the random start, of folds and splits, and of the sampling of rows and columns.
    verbose : int, default=0
        1 draws progress bars of the cross-validation and of the rounds.

    Attributes
    ----------
    heads_ : dict
        Number of heads of each family, for each cause.
    n_estimators_ : int
        Rounds in the fitted model; where hazards of folds are averaged, in the longest of their models.
    max_depth_ : int
        Depth of the trees.
    ridge_ : float or None
        Strength of the ridge of the linear start; None without one.
    adaptive_ridge_ : float or None
        Strength of the adaptive ridge of the linear start, which shrinks features the less, the more they matter; None
        where held-out subjects were not better for it.
    linear_effect_ : {"hazard", "time"} or None
        What the linear start acts on: the hazard, which it multiplies at all times (proportional hazards), or time,
        which runs faster or slower (accelerated failure time); None without one.
    cv_results_ : dict
        What was found by cross-validation, if there was one:

        - ``ridges`` and ``ridge_loss``: the held-out mean loss of each ridge, from strong to weak, until two in turn
          are no better than the best.
        - ``adaptive_ridges`` and ``adaptive_loss``: that of each adaptive ridge, tried one after the other.
        - ``round_loss``: that of each number of rounds, from zero on, with a shrinkage of ``E / (E + 100)`` after E
          events.
        - ``shift`` and ``shrinkage``: what calibration by held-out subjects adds to each raw score, and what it
          multiplies the trees of that score by; all of ``shrinkage`` is 0 where trees are left out.

        Ridges and rounds are chosen by a mean of all that were tried, each of which counts by its held-out likelihood,
        so that where losses are nearly equal the smallest of them need not be the chosen one.
    history_ : dict
        ``train_loss``; with a validation set ``validation_loss``, and ``validation_concordance`` if that is the
        ``stopping_metric`` of a given number of rounds. The first entry of each list is the start, followed by one for
        each round. The loss is the mean negative log-likelihood per subject, in the user's unit of time, plus the
        elastic net. ``train_loss`` is the loss that boosting minimises, before shrinkage and calibration; where hazards
        of folds are averaged, it is the mean of their losses. ``validation_loss`` is that of the fitted model.
    diagnostics_ : dict
        How well the model describes the subjects of the training data; a warning is given if it does so poorly. Where
        the number of rounds was chosen with folds, each subject is described by the models that have not seen it, and
        counts until its cumulative hazard is 10.

        - ``subjects_compared``: of many subjects at most 5,000 are compared, drawn at random; all numbers are about
          them.
        - ``observed_events`` and ``expected_events``: both weighted; they agree for a model of maximum likelihood. An
          event in an interval counts as the model expects it there.
        - ``survival_error``: the largest distance of the survival that the model expects of the people under
          observation, ``expected_survival``, from ``kaplan_meier``, found at ``survival_error_time``; the
          ``standard_error`` is that of Kaplan-Meier, and distances are compared in units of three of them or of 0.05,
          whichever is larger. These five are NaN for intervals, recurrent events, and fewer than ten subjects at risk.
        - ``at_bounds``: the parameters of the start that are at a bound, of heads with a share of more than 5 % in the
          expected events.
    cohort_ : Cohort
        What is remembered of the training data, to say later whether a subject is like those of the training: numbers
        of subjects and events, quantiles, missing values and categories of each feature, median follow-up, and the
        observed and expected cumulative incidence over time. Rows are not kept, but the smallest and the largest value
        of each feature are.
    unique_times_, event_times_ : array
        Distinct observed times, and those with an event; an interval counts at its end.
    causes_ : array of int
        The causes of events, 1 to K; each has its own set of heads.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of str
        Names of the features, if ``X`` had names.
    model_ : Model
        Trees and heads.

    See Also
    --------
    FPBoost.paper : The algorithm as published.

    Notes
    -----
    **Time** is divided by the median event time internally (by the longest follow-up with ``solver="gradient"`` and
    with the starts of the paper); everything public is in the unit of ``y``. An event at time
    zero is moved to half the smallest positive time, because most hazards are 0 or infinite at zero; S(0) = 1 always.

    **Missing values** (NaN) follow the default direction that XGBoost learns for each split; entries of a sparse matrix
    that are not stored count as missing. Categories unknown to training are missing, too, with a warning; a column all
    of whose values are of another type than its categories is refused. A subject all of whose heads are switched off
    has the constant hazard of half an event in all of the training follow-up.

    **Rounded times**, with which many events share few distinct times, bias the predicted survival; a warning says so.
    `hazboost.Surv.rounded` makes intervals of them, which do not.

    **Copies of rows**, as in a bootstrap sample or an oversampled class, are recognised and stay in one fold: divided
    between folds, a model that has memorised them would seem to be the best. Subjects that are alike by chance, where
    features and times have few values, are no copies. With ``groups``, only these decide.

    **Weights** count relative to their mean: multiplying all of them by a number changes nothing, and the constants
    that count subjects or events (``reg_lambda``, ``min_child_weight``, the shrinkage of the trees) count rows of mean
    weight. A row with a weight of two is therefore not quite two rows.

    **Several rows of one subject** (``Surv.counting`` with ``id``) count as one subject: together they weigh one in a
    leaf, are penalised once, and stay on one side of every split into folds or validation data. Splitting a subject
    into rows with the same features does not change the model: such rows are joined before training (by `fit_batches`
    with few subjects only, as many stay on disk). scikit-learn's own cross-validation does not know subjects: pass it
    ``groups`` and a splitter such as ``GroupKFold``. It forwards ``groups`` to ``fit`` only with metadata routing and
    ``set_fit_request(groups=True)``.

    **Competing causes** each have their own set of heads, and so multiply the number of trees. **Early stopping** on
    the C-index needs one time for each subject; use the likelihood for intervals and several rows.

    References
    ----------
    .. [1] A. Archetti, E. Lomurno, D. Piccinotti, M. Matteucci. "FPBoost: Fully Parametric Gradient Boosting for
       Survival Analysis." ICML 2025.

    Examples
    --------
    >>> import numpy as np
    >>> from hazboost import FPBoost
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> time = rng.weibull(1.5, size=300) * np.exp(-X[:, 0])
    >>> censoring = rng.exponential(2.0, size=300)
    >>> y = time <= censoring, np.minimum(time, censoring)
    >>> model = FPBoost(random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.75)
    True
    >>> survival = model.predict_survival_function(X[:1])[0]
    >>> survival(0.0)
    1.0
    """

    #: The constants of the automatic fit; a subclass may have others.
    _policy: ClassVar[Policy] = POLICY
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "weibull_heads": [Interval(numbers.Integral, 0, MAX_HEADS, closed="both")],
        "loglogistic_heads": [Interval(numbers.Integral, 0, MAX_HEADS, closed="both")],
        "heads": [dict, StrOptions({"auto"}), None],
        "solver": [StrOptions({"newton", "gradient"})],
        "n_estimators": [Interval(numbers.Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "n_folds": [Interval(numbers.Integral, 2, None, closed="left"), StrOptions({"auto"})],
        "max_depth": [Interval(numbers.Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "learning_rate": [Interval(numbers.Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "alpha": [Interval(numbers.Real, 0, None, closed="left")],
        "l1_ratio": [Interval(numbers.Real, 0, 1, closed="both")],
        "uniform_heads": ["boolean"],
        "heads_activation": [StrOptions(set(WEIGHT_ACTIVATIONS))],
        "parameter_activation": [StrOptions(set(PARAMETER_ACTIVATIONS))],
        "init": [StrOptions({*STARTS, "linear"})],
        "gradient_scaling": [StrOptions({"subject", "max"})],
        "patience": [Interval(numbers.Integral, 1, None, closed="left"), None],
        "stopping_metric": [StrOptions({"concordance", "likelihood"})],
        "risk_horizon": [StrOptions(set(HORIZONS))],
        "validation_fraction": [Interval(numbers.Real, 0, 1, closed="neither")],
        "subsample": [Interval(numbers.Real, 0, 1, closed="right"), StrOptions({"auto"})],
        "colsample_bytree": [Interval(numbers.Real, 0, 1, closed="right"), StrOptions({"auto"})],
        "min_child_weight": [Interval(numbers.Real, 0, None, closed="left")],
        "reg_lambda": [Interval(numbers.Real, 0, None, closed="left")],
        "max_bin": [Interval(numbers.Integral, 2, None, closed="left"), StrOptions({"auto"})],
        "tree_method": [StrOptions({"hist", "exact", "approx"})],
        "monotone_constraints": [dict, "array-like", None],
        "interaction_constraints": [list, tuple, None],
        "n_causes": [Interval(numbers.Integral, 1, MAX_CAUSES, closed="both"), None],
        "n_jobs": [numbers.Integral, None],
        "device": [str],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        weibull_heads: int = 1,
        loglogistic_heads: int = 1,
        n_estimators: int | Literal["auto"] = "auto",
        max_depth: int | Literal["auto"] = "auto",
        learning_rate: float | Literal["auto"] = "auto",
        alpha: float = 0.0,
        l1_ratio: float = 0.5,
        uniform_heads: bool = False,
        heads_activation: Literal[
            "scaled_softmax", "softmax", "relu", "exp", "sigmoid", "tanh", "identity"
        ] = "scaled_softmax",
        *,
        heads: Mapping[str, int] | Literal["auto"] | None = "auto",
        solver: Literal["newton", "gradient"] = "newton",
        parameter_activation: Literal["exp", "softplus", "relu"] = "exp",
        init: Literal["linear", "marginal", "km", "random"] = "linear",
        n_folds: int | Literal["auto"] = "auto",
        gradient_scaling: Literal["subject", "max"] = "subject",
        patience: int | None = None,
        stopping_metric: Literal["concordance", "likelihood"] = "concordance",
        validation_fraction: float = 0.2,
        risk_horizon: Literal["events", "longest"] = "events",
        subsample: float | Literal["auto"] = "auto",
        colsample_bytree: float | Literal["auto"] = "auto",
        min_child_weight: float = 1.0,
        reg_lambda: float = 1.0,
        max_bin: int | Literal["auto"] = "auto",
        tree_method: Literal["hist", "exact", "approx"] = "hist",
        monotone_constraints: Mapping[str, int] | npt.ArrayLike | None = None,
        interaction_constraints: list[list[Any]] | None = None,
        n_causes: int | None = None,
        n_jobs: int | None = None,
        device: str = "cpu",
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.weibull_heads = weibull_heads
        self.loglogistic_heads = loglogistic_heads
        self.heads = heads
        self.solver = solver
        self.n_folds = n_folds
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.learning_rate = learning_rate
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.uniform_heads = uniform_heads
        self.heads_activation = heads_activation
        self.parameter_activation = parameter_activation
        self.init = init
        self.gradient_scaling = gradient_scaling
        self.patience = patience
        self.stopping_metric = stopping_metric
        self.validation_fraction = validation_fraction
        self.risk_horizon = risk_horizon
        self.subsample = subsample
        self.colsample_bytree = colsample_bytree
        self.min_child_weight = min_child_weight
        self.reg_lambda = reg_lambda
        self.max_bin = max_bin
        self.tree_method = tree_method
        self.monotone_constraints = monotone_constraints
        self.interaction_constraints = interaction_constraints
        self.n_causes = n_causes
        self.n_jobs = n_jobs
        self.device = device
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def paper(cls, **hyperparameters: Any) -> Self:
        """The algorithm as published by the authors, whatever the defaults of this class.

        ReLU for parameters and weights, first order, gradients divided by their maximum, random start, all candidate
        splits. Where the paper's text and the authors' code differ, this is the code; the docstrings of ``alpha``,
        ``init`` and ``gradient_scaling`` say how they differ. Heads that have died no longer contribute: the
        authors' code gives such a head with ``k = 0`` the constant survival ``exp(-eta)``, even at time zero. Their
        ``heads_activation="sigmoid"`` is a softmax: ask for ``"softmax"`` here. `predict` integrates survival where
        they average it over 100 times.

        Parameters
        ----------
        **hyperparameters
            Parameters of `FPBoost` that differ from the authors' defaults.

        Examples
        --------
        >>> FPBoost.paper(weibull_heads=1, loglogistic_heads=1, n_estimators=32, learning_rate=1.0).gradient_scaling
        'max'
        """
        return cls(**{**PAPER, **hyperparameters})

    def fit(self, X: Any, y: Any, sample_weight: Any = None, eval_set: Any = None, groups: Any = None) -> Self:
        """Train the model.

        Parameters
        ----------
        X : array, table (pandas, polars or Arrow) or sparse matrix of shape (n, features)
            Features. NaN means missing; columns of a categorical dtype are used as categories.
        y : structured array, table, or pair of arrays
            What `hazboost.Surv` makes, for every kind of survival data; scikit-survival's structured array; a table
            with the columns ``event`` and ``time``, or those of `hazboost.Surv`; or a pair ``(event, time)``. An event
            is boolean, or the number of its cause, 0 for none.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows, of which only the ratios matter.
        eval_set : pair (X, y), or list of one such pair, optional
            Data to watch during training, and for early stopping.
        groups : array-like of shape (n,), optional
            Labels of rows that belong together, such as those of a family, a hospital or one machine. Folds and
            validation data contain whole groups, so that choices are made for new groups.

        Returns
        -------
        FPBoost
            The estimator itself. If anything is wrong with the input, it is left as it was.

        Notes
        -----
        **Event and time.** Two columns or arrays may have any names. If these say which is the event and which the time
        (``status``, ``dead``, ...; ``time``, ``days``, ...), they decide; else a boolean one is the event; else the
        event comes first.

        **Order of the rows.** Rows of ``X``, ``y``, ``sample_weight`` and ``groups`` belong together by position. Where
        two of them have a pandas index, an error is raised if the indices have the same labels in a different order, or
        if they differ and neither is the default 0, 1, 2, ...
        """
        self._validate_params()
        self._check_combinations()
        require_single_process("FPBoost.fit")
        X = readable(X)
        named = BaseEstimator()  # takes names and width, so that nothing is changed here should the fit fail
        learn_columns(named, X)
        schema = learn_schema(X)
        sample = self._read_sample(schema, X, y, sample_weight, groups)
        # Who passes a target, such as `tune` for each fold, has been advised once.
        self._train(named, schema, sample, eval_set, advise=not isinstance(y, Target))
        return self

    def fit_batches(self, batches: Any, *, eval_set: Any = None, cache: str | Path | None = None) -> Self:
        """Train the model on data that are larger than the memory.

        Features are read in several passes over the batches and binned into files, from which trees are grown.
        Outcomes and gradients of all rows stay in memory, a few hundred bytes for each row. Up to 20,000 subjects all
        rows are read into memory, and the model is that of `fit`. Above, heads and linear starts are fitted to rows
        that are drawn at random and read into memory, as are rows that a fold holds out, as far as they fit there.

        Parameters
        ----------
        batches : Batches, callable or iterable
            Where the rows come from; see `hazboost.Batches`, which also reads Parquet files.
        eval_set : pair (X, y), or list of one such pair, optional
            Data in memory to watch during training, and for early stopping.
        cache : path, optional
            An existing folder with enough space for the binned features, two to eight bytes for each value, in which a
            folder is made and removed again; by default that of the system for temporary files.

        Returns
        -------
        FPBoost
            The estimator itself. If anything is wrong with the input, it is left as it was.

        Notes
        -----
        The model does not depend on how rows are cut into batches. With more values than ``max_bin``, the bins of a
        feature are quantiles of drawn rows. Trees are grown with ``tree_method="hist"`` on the CPU. Copies of rows are
        not recognised. With ``patience`` and without ``eval_set``, no more rows are set aside than fit into memory.

        Examples
        --------
        >>> import numpy as np
        >>> from hazboost import FPBoost, Surv
        >>> def read():
        ...     for seed in range(6):
        ...         rng = np.random.default_rng(seed)
        ...         X = rng.normal(size=(1_000, 2))
        ...         time = rng.weibull(1.5, size=1_000) * np.exp(-X[:, 0])
        ...         yield X, Surv.right(time < 2.0, np.minimum(time, 2.0))
        >>> model = FPBoost(n_estimators=20, random_state=0).fit_batches(read)
        >>> X, y = next(read())
        >>> bool(model.score(X, y) > 0.75)
        True
        """
        self._validate_params()
        self._check_combinations()
        require_single_process("FPBoost.fit_batches")
        if cache is not None and not Path(cache).is_dir():
            raise FileNotFoundError(f"cache must be an existing folder; got {describe(str(cache))}.")
        named = BaseEstimator()
        with TemporaryDirectory(prefix="hazboost-", dir=cache, ignore_cleanup_errors=True) as folder:
            source = batches if isinstance(batches, Batches) else Batches(batches)
            schema, sample = read_batches(source, named, causes_known=self.n_causes is not None, cache=Path(folder))
            sample = self._prepare(schema, sample)
            if sample.target.n_subjects <= self._policy.subjects_for_linear:
                sample = self._near(schema, sample.in_memory().with_rows_joined())
                sample = sample.with_copies_together(2 * self._policy.folds[1])
            else:
                self._check_external()
            self._train(named, schema, sample, eval_set)
        return self

    def _train(
        self, named: BaseEstimator, schema: Schema, sample: Sample, eval_set: Any, *, advise: bool = True
    ) -> None:
        """Train on data that were read and checked, and learn the result."""
        # Causes are counted before a validation part is set aside, which might hold the only events of one.
        n_causes = check_causes(sample.target, self.n_causes)
        train, validation = sample, self._read_eval_set(named, schema, eval_set, n_causes)
        seed = as_seed(self.random_state)
        if validation is None and self.patience is not None:
            train, aside = sample.split(self.validation_fraction, seed)
            validation = aside.in_memory()
        self._check_training(train, validation)
        if advise:
            advise_on_ties(train.target)
        data = train.summary()
        trained = train_model(self._plan(schema, data, n_causes, seed), train, validation)
        self._learn(named, trained, sample.target, describe_cohort(trained.model, data, train, seed))

    def _check_external(self) -> None:
        """Refuse what XGBoost cannot do with data on disk."""
        if self.tree_method != "hist":
            raise ValueError(
                f"tree_method={self.tree_method!r} needs all data in memory; use tree_method='hist' with fit_batches."
            )
        if self.device != "cpu":
            raise ValueError(f"device={self.device!r} needs all data in memory; use device='cpu' with fit_batches.")

    def _check_combinations(self) -> None:
        """Refuse parameters that are each valid but do not go together."""
        if self.n_estimators == "auto" and self.patience is not None:
            raise ValueError(
                f"patience={self.patience!r} has no meaning with n_estimators='auto', which chooses the rounds by "
                "cross-validation; give a number of rounds, or patience=None."
            )
        if not re.fullmatch(r"cpu|(cuda|gpu)(:\d+)?", self.device):
            raise ValueError(
                f"device must be 'cpu', 'cuda' or, with its number, 'cuda:0'; got {describe(self.device)}."
            )
        if self.device != "cpu":
            check_cuda(self.device)
        self._head_counts()

    def _read_sample(self, schema: Schema, X: Any, y: Any, sample_weight: Any, groups: Any) -> Sample:
        """Encode the training data, and refuse what does not fit together or cannot be learned from."""
        check_alignment({"X": X, "y": y, "sample_weight": sample_weight, "groups": groups})
        target = as_target(y, sample_weight, causes_known=self.n_causes is not None)
        sample = Sample(schema.encode(X), target, None if groups is None else as_groups(groups, target))
        check_rows(sample.X.shape[0], target)
        sample = self._prepare(schema, self._near(schema, sample.with_rows_joined()))
        return sample.with_copies_together(2 * self._policy.folds[1])

    def _prepare(self, schema: Schema, sample: Sample) -> Sample:
        """Refuse what cannot be learned from, and make the weights relative to their mean."""
        check_informative(sample.target)
        # Rows of weight 0 must not matter at all, so they are removed before time is scaled and features are binned.
        sample = sample.without_weightless_rows().with_mean_weight_one()
        refuse_empty_columns(sample.highest, schema)
        if schema.categories and self.tree_method == "exact":
            raise ValueError(
                "tree_method='exact' takes no categorical features; use tree_method='hist' or encode them as numbers."
            )
        return sample

    def _check_training(self, train: Sample, validation: Sample | None) -> None:
        """Check what is left to train on after a validation part was set aside, and that part itself."""
        check_informative(train.target)
        refuse_left_censored_only(train.target)
        if validation is not None and self.patience is not None:
            check_can_stop(self.stopping_metric, validation.target)
        if self.solver == "gradient":  # with "newton" the hessian is not the number of subjects
            advise_on_size(float(train.target.mass.sum()), self.min_child_weight)

    def _read_eval_set(self, named: BaseEstimator, schema: Schema, eval_set: Any, n_causes: int) -> Sample | None:
        """Check the validation data against the training data."""
        if eval_set is None:
            return None
        # XGBoost and LightGBM take a list of pairs here, so a list of one is accepted too.
        pair = eval_set[0] if isinstance(eval_set, list) and len(eval_set) == 1 else eval_set
        if not isinstance(pair, tuple | list) or len(pair) != 2 or isinstance(pair[0], tuple):
            raise ValueError("eval_set must be a pair (X, y), or a list with one such pair.")
        try:
            X = readable(pair[0])
            match_columns(named, X, type(self).__name__)
            encoded = schema.encode(X)
        except (TypeError, ValueError) as error:
            raise ValueError(f"eval_set: {error}") from error
        check_alignment({"X": X, "y": pair[1]}, "eval_set: ")
        data = Sample(encoded, as_target(pair[1], name="eval_set: y", causes_known=n_causes > 1))
        if data.target.longest == 0.0:
            raise ValueError("eval_set: y: all observed times are 0; at least one must be positive.")
        check_rows(data.X.shape[0], data.target, "eval_set: ")
        if data.target.n_causes > n_causes:
            raise ValueError(
                f"eval_set: y has events of cause {data.target.n_causes}, and y of causes 1 to {n_causes} only; give "
                f"FPBoost(n_causes={data.target.n_causes}), or leave these rows out."
            )
        return data.with_rows_joined()

    def _learn(self, named: BaseEstimator, trained: Trained, target: Target, cohort: Cohort) -> None:
        """Take what was learned, and forget what an earlier fit had learned."""
        # A second fit may have fewer attributes than the first, for example no feature names.
        for name in self._learned():
            delattr(self, name)
        for name, value in vars(named).items():
            setattr(self, name, value)
        self.model_ = trained.model
        self.heads_ = {name: count for name, count in trained.model.mixture.counts.items() if count}
        self.history_ = trained.history
        self.max_depth_ = trained.state.depth
        self.n_estimators_ = trained.model.n_rounds
        regression = trained.state.regression
        self.ridge_ = None if regression is None else regression.ridge
        self.adaptive_ridge_ = regression.adaptive[-1] if regression is not None and regression.adaptive else None
        self.cv_results_ = dict(trained.state.results)
        self.diagnostics_ = trained.diagnostics
        self.cohort_ = cohort
        self.causes_ = np.arange(1, trained.model.mixture.n_causes + 1)
        self.unique_times_, self.event_times_ = map(self._sorted, _recorded_times(target))

    def _sorted(self, times: Array) -> Array:
        """Distinct times in order; a GPU sorts them much faster."""
        distinct: Array = to_host(np.unique(times if self.device == "cpu" else to_device(times)))
        return distinct

    def _plan(self, schema: Schema, data: Summary, n_causes: int, seed: int) -> Plan:
        """Translate the parameters for training on such data, whose mean weight is one."""
        published = self.solver == "gradient" or self.init in ("random", "km")
        policy, unit = self._policy, time_unit(data, as_published=published)
        mixture = self._mixture(policy.background_events * unit / data.exposure, n_causes)
        step = STEPS["newton" if self.solver == "newton" else self.gradient_scaling]
        n_threads = count_threads(self.n_jobs)
        constraints = read_constraints(schema, data.width, self.monotone_constraints, self.interaction_constraints)
        settings = self._tree_settings(policy, data, float(data.events_by_cause(n_causes).sum()), seed, n_threads)

        def engine_for(mixture: Mixture) -> Engine:
            check_constraints(constraints, mixture, self.init)
            return monotone_engine(
                partial(self._engine, settings), _features(schema, data, constraints), mixture.scaling
            )

        return Plan(
            schema=schema,
            time=TimeScale(unit, HORIZONS[self.risk_horizon](data, policy), data.longest),
            objective=Objective(mixture, self.alpha, self.l1_ratio, step, policy.pace.caution, n_threads),
            engine=engine_for(mixture),
            engine_for=engine_for,
            given=Given(
                self.init,
                None if self.n_estimators == "auto" else self.n_estimators,
                None if self.max_depth == "auto" else self.max_depth,
                not self._chooses_heads,
                constraints.directions,
            ),
            stopping=Stopping("concordance" if self.stopping_metric == "concordance" else "loss", self.patience),
            search=Search(None if self.n_folds == "auto" else self.n_folds, seed, bool(self.verbose), policy),
        )

    @property
    def linear_effect_(self) -> str | None:
        """What the linear start acts on: ``"hazard"`` or ``"time"``; None without one."""
        return self.model_.linear_effect

    @property
    def _chooses_heads(self) -> bool:
        """Whether heads are added by likelihood, which the first-order algorithm of the paper does not know."""
        return (
            self.heads == "auto"
            and self.solver == "newton"
            and not self.uniform_heads
            and self.heads_activation == "scaled_softmax"
        )

    def _engine(self, settings: dict[str, Any], features: Features, n_scores: int) -> Engine:
        """What grows the trees; subclasses that run elsewhere return another engine."""
        if self._keeps_on_device(features.sparse):
            return CudaEngine(settings, n_scores, features)
        exact = self.tree_method == "exact" and not features.sparse
        return (ExactEngine if exact else LocalEngine)(settings, n_scores, features)

    def _near(self, schema: Schema, sample: Sample) -> Sample:
        """A sample where trees are grown: on a GPU, or where it is."""
        return sample.on_device() if self._keeps_on_device(schema.sparse) else sample

    def _keeps_on_device(self, sparse: bool) -> bool:
        """Whether features, scores and gradients stay on a GPU.

        For sparse features and for weights that may be negative, only XGBoost uses it, in its own way.
        """
        signed = not self.uniform_heads and WEIGHT_ACTIVATIONS[self.heads_activation].signed
        return self.device != "cpu" and self.tree_method == "hist" and not sparse and not signed

    def _mixture(self, background: float, n_causes: int) -> Mixture:
        """The heads with their activations."""
        counts, weight = self._head_counts(), WEIGHT_ACTIVATIONS[self.heads_activation]
        if self.uniform_heads:
            weight = UniformWeight(sum(counts.values()))
        return Mixture(counts, PARAMETER_ACTIVATIONS[self.parameter_activation], weight, background, n_causes)

    def _head_counts(self) -> dict[str, int]:
        """Number of heads of each family."""
        counts = {"weibull": self.weibull_heads, "loglogistic": self.loglogistic_heads}
        given = self.heads if isinstance(self.heads, Mapping) else {}
        for name, count in given.items():
            if name in counts:
                raise ValueError(f"heads: set the number of {name} heads with {name}_heads={describe(count)} instead.")
            if name not in HEADS:
                known = ", ".join(sorted(set(HEADS) - set(counts)))
                raise ValueError(f"heads: unknown family {describe(name)}; known ones are {known}.")
            if not is_whole_number(count, 0) or count > MAX_HEADS:
                raise ValueError(
                    f"heads: the number of {name} heads must be a whole number from 0 to {MAX_HEADS}; got "
                    f"{describe(count)}."
                )
            counts[name] = int(count)
        if sum(counts.values()) == 0:
            raise ValueError("weibull_heads, loglogistic_heads and heads are all 0; at least one head is needed.")
        return counts

    def _tree_settings(self, policy: Policy, data: Summary, events: float, seed: int, n_threads: int) -> dict[str, Any]:
        """XGBoost's parameters."""
        rows, columns = policy.pace.rows, policy.columns_for(data.width, events)
        return {
            "learning_rate": self._learning_rate(policy.pace),
            "subsample": rows if self.subsample == "auto" else self.subsample,
            "colsample_bytree": columns if self.colsample_bytree == "auto" else self.colsample_bytree,
            "min_child_weight": self.min_child_weight,
            "reg_lambda": self.reg_lambda,
            "max_bin": policy.bins_for(data.n_subjects) if self.max_bin == "auto" else self.max_bin,
            "tree_method": self.tree_method,
            "device": self.device,
            "nthread": n_threads,
            "seed": seed,
        }

    def _learning_rate(self, pace: Pace) -> float:
        """The learning rate. First-order steps, which no curvature bounds, have that of the authors."""
        if self.learning_rate != "auto":
            return self.learning_rate
        return pace.rate if self.solver == "newton" else RATE_OF_AUTHORS

    @staticmethod
    def _defaults() -> dict[str, Any]:
        """Defaults of the parameters of this class, whatever a subclass takes."""
        parameters = inspect.signature(FPBoost).parameters
        return {name: one.default for name, one in parameters.items()}

    def _settings(self) -> dict[str, Any]:
        """Parameters of this class, also those that a subclass sets without taking them itself."""
        return {name: getattr(self, name) for name in self._defaults()}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags


def load(path: str | os.PathLike[str]) -> FPBoost:
    """Read a fitted model that `FPBoost.save` has written.

    Nothing in the file is executed. Checksums of all its parts are compared before anything is made of them.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    FPBoost
        The fitted model. One that was trained on a GPU predicts on the processor where there is none, and one of
        `hazboost.dask.FPBoost` is a `hazboost.FPBoost`.

    Raises
    ------
    ModelFileError
        The file is damaged, was changed, is newer than this version of hazboost, or is not a hazboost model file.
    """
    from hazboost.files import ModelFileError, read_file

    file = Path(path)
    fitted = read_file(file)
    try:
        model = FPBoost(**fitted.parameters)
        model._validate_params()
    except (TypeError, ValueError) as error:
        raise ModelFileError(
            "path: the model has parameters that this version of hazboost does not know; install the version that has "
            "written the file."
        ) from error
    computed = next((name for name in fitted.attributes if hasattr(FPBoost, name)), None)
    if computed is not None:
        raise ModelFileError(
            f"path: {file.name} was changed: it has a value for {computed}, which is computed from the model; use "
            "another copy of it, or save the model again."
        )
    for name, value in {**fitted.attributes, "model_": fitted.model}.items():
        setattr(model, name, value)
    return model


def _recorded_times(target: Target) -> tuple[Array, Array]:
    """All observed times, and those of events; an event in an interval counts at its end."""
    observed, happened = target.lower, np.compress(target.event, target.lower)
    if not target.interval.any():
        return observed, happened
    ends = target.upper[target.interval]
    # An interval that begins at zero was not observed there.
    observed = observed[(observed > 0.0) | ~target.interval]
    return np.concatenate([observed, ends]), np.concatenate([happened, ends])


def _features(schema: Schema, data: Summary, constraints: Constraints) -> Features:
    """What an engine has to know of the features."""
    return Features(
        data.width,
        None if schema.names is None else tuple(schema.names),
        frozenset(schema.categories),
        constraints.directions,
        constraints.groups,
        upper_limits(data.highest, schema.categories),
        schema.sparse,
    )
