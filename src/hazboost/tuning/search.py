"""The search: draw configurations, score them by cross-validation, prune those that fall behind."""

from __future__ import annotations

import numbers
import time
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

import joblib
import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import _safe_indexing

from hazboost.data.alignment import check_alignment
from hazboost.data.features import learn_schema, readable
from hazboost.data.folds import split_folds
from hazboost.data.reading import as_groups, as_target, check_informative, check_rows
from hazboost.data.target import Target
from hazboost.estimator import FPBoost
from hazboost.training.advice import advise_on_ties
from hazboost.training.policy import POLICY
from hazboost.tuning.result import TuningResult, tabulate
from hazboost.tuning.resuming import refuse_edited_space, remember
from hazboost.tuning.scores import METRICS, NO_EVENT_OF_CAUSE, Scorer
from hazboost.tuning.spaces import Space, Suggest, find_space
from hazboost.tuning.studies import (
    ask,
    best_score,
    close_running,
    default_score,
    default_trial,
    import_optuna,
    open_study,
    quiet,
    with_result,
)
from hazboost.utils.arrays import Indices
from hazboost.utils.describe import describe
from hazboost.utils.progress import TrialProgress
from hazboost.utils.random_states import as_seed

if TYPE_CHECKING:
    from optuna import Study, Trial
    from optuna.trial import FrozenTrial

#: Of more subjects than this, one part is held out once.
MANY_SUBJECTS = 5_000
#: Training rows and held-out rows.
Fold = tuple[Indices, Indices]
#: Errors by which a configuration fails. Any other error is a bug, here or in the user's space, and stops the search.
FAILURES = (ValueError, FloatingPointError)
#: Parameters that say how to run a fit, not what to learn; they may differ when a search is resumed.
RUNTIME_PARAMETERS = {"n_jobs", "device", "random_state", "verbose"}
#: Parameters that are set for all trials, so that subclasses have to take them, too.
SET_BY_TUNE = ("n_causes", "random_state")


@runtime_checkable
class Splitter(Protocol):
    """What divides rows into folds as the splitters of scikit-learn do."""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Any, Any]]:
        """Training rows and held-out rows of each fold."""


def tune(
    X: Any,
    y: Any,
    *,
    space: Literal["default", "paper"] | Suggest = "default",
    estimator: FPBoost | None = None,
    n_trials: int = 50,
    timeout: float | None = None,
    metric: Literal["likelihood", "concordance"] = "likelihood",
    cv: int | Splitter | Iterable[tuple[Any, Any]] = 5,
    storage: Any = None,
    study_name: str | None = None,
    sample_weight: Any = None,
    groups: Any = None,
    n_jobs: int | None = None,
    random_state: int | np.random.RandomState | None = None,
    verbose: int = 1,
) -> TuningResult:
    """Search for better hyperparameters of `FPBoost`, with Optuna.

    The first trial is the estimator as given, so the best configuration never has a worse cross-validated score than
    it. The other trials are drawn from the search space. A trial is pruned when its score over the first folds is below
    the median of the earlier trials. A configuration that cannot be fitted fails; the table of trials has its error.

    Parameters
    ----------
    X, y, sample_weight, groups
        As in `FPBoost.fit`. Rows of a group are in the same fold, in the search and inside each fit.
    space : {"default", "paper"} or callable, default="default"
        The search space. ``default``: second-order boosting from a linear start (``solver="newton"``,
        ``init="linear"``, ``n_estimators="auto"``), with up to 3 Weibull and 3 LogLogistic heads; drawn by Optuna's
        TPE sampler. ``paper``: the ranges of the paper around `FPBoost.paper`, drawn at random; the paper made 1024
        trials, scored by the C-index. A callable takes an Optuna trial and returns parameters of `FPBoost`.
    estimator : FPBoost, optional
        The estimator to improve. It keeps every parameter that the space does not set. By default ``FPBoost()``, or
        ``FPBoost.paper()`` with ``space="paper"``.
    n_trials : int, default=50
        Total number of trials, including those of a resumed study.
    timeout : float, optional
        Seconds after which no new trial is started.
    metric : {"likelihood", "concordance"}, default="likelihood"
        The held-out score to maximise: the mean log-likelihood or the C-index. For the log-likelihood, a subject counts
        as at most 3 better or worse than under the hazard fitted to the same training rows without features, so that
        one outlier does not decide the search.
    cv : int, scikit-learn splitter or iterable of pairs, default=5
        Number of folds, stratified on the event; above 5,000 subjects only the first of them is fitted.
        A splitter receives the event as its ``y``, and the groups. Pairs are training rows and held-out rows.
    storage : str, path or Optuna storage, optional
        Where to store the trials: a URL such as ``"sqlite:///study.db"``, or the path of a journal file. Calling `tune`
        again with the same storage and name resumes the search, even if it was killed. It is refused if the data, the
        space or another part of the search has changed. Only one process may use a study at a time.
    study_name : str, default="hazboost"
        Name of the study in the storage.
    n_jobs : int, optional
        Number of trials that run in parallel, each in its own process; ``None`` means one and ``-1`` all processors.
        The number of threads of each fit is the estimator's ``n_jobs``.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds, of the sampler, and of the estimator if it has none. With the same seed and ``n_jobs``, a
        search gives the same trials, whether it runs in one go or is resumed.
    verbose : int, default=1
        1 draws a progress bar.

    Returns
    -------
    TuningResult
        ``best_params``, ``best_score``, ``best_estimator`` (fitted to all rows), ``trials``, ``study`` and ``plot()``.

    Examples
    --------
    >>> import numpy as np
    >>> from hazboost import FPBoost, tune
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 2))
    >>> y = rng.random(80) < 0.7, rng.weibull(1.5, size=80) * np.exp(-X[:, 0])
    >>> def space(trial):
    ...     return {"max_depth": trial.suggest_int("max_depth", 1, 3)}
    >>> small = FPBoost(1, 0, n_estimators=10, max_depth=2)
    >>> result = tune(X, y, space=space, estimator=small, n_trials=3, cv=2, random_state=0, verbose=0)
    >>> result.best_estimator.max_depth in {1, 2, 3}
    True
    >>> result.best_score >= result.default_score
    True
    """
    import_optuna()
    if not isinstance(metric, str) or metric not in METRICS:
        raise ValueError(f"metric must be {' or '.join(map(repr, METRICS))}; got {describe(metric)}.")
    if not isinstance(n_trials, numbers.Integral) or n_trials < 1:
        raise ValueError(f"n_trials must be a positive int; got {describe(n_trials)}.")
    if timeout is not None and not (isinstance(timeout, numbers.Real) and timeout >= 0.0):
        raise ValueError(f"timeout must be a number of seconds, or None; got {describe(timeout)}.")
    check_alignment({"X": X, "y": y, "sample_weight": sample_weight, "groups": groups})
    chosen = find_space(space)
    base = chosen.base() if estimator is None else estimator
    if not isinstance(base, FPBoost):
        raise TypeError(f"estimator must be an FPBoost; got {type(base).__name__}.")
    absent = [name for name in SET_BY_TUNE if name not in base.get_params(deep=False)]
    if absent:
        raise TypeError(
            f"estimator: {type(base).__name__} does not take {' and '.join(absent)}, which tune has to set; add such a "
            "parameter to its constructor."
        )
    X, target = read_data(X, y, sample_weight, causes_known=base.n_causes is not None)
    with quiet():
        study = open_study(storage, study_name)
        seed = choose_seed(study, random_state)
        group = None if groups is None else as_groups(groups, target)
        folds = read_folds(cv, target, seed, group)
        scorers = [METRICS[metric](target[train], target[held_out]) for train, held_out in folds]
        search = Search(
            chosen, with_causes(with_seed(base, seed), target), metric, X, target, group, folds, scorers, seed
        )
        remember(study, search.identity())
        refuse_edited_space(study, chosen)
        search.run(study, int(n_trials), timeout, joblib.effective_n_jobs(n_jobs), draw=bool(verbose))
    return search.result(study)


def read_data(X: Any, y: Any, sample_weight: Any, *, causes_known: bool) -> tuple[Any, Target]:
    """Check what can be checked before a fit; return features and target."""
    X, target = readable(X), as_target(y, sample_weight, causes_known=causes_known)
    check_rows(X.shape[0], target)
    check_informative(target)
    advise_on_ties(target)
    return X, target.without_events_at_zero()


def read_folds(
    cv: int | Splitter | Iterable[tuple[Any, Any]], target: Target, seed: int, group: Indices | None = None
) -> list[Fold]:
    """Training rows and held-out rows of each fold."""
    if isinstance(cv, str) or not isinstance(cv, int | np.integer | Splitter | Iterable):
        raise TypeError(
            "cv must be a number of folds, a splitter of scikit-learn, or pairs of training rows and held-out rows; "
            f"got {describe(cv)}."
        )
    if isinstance(cv, int | np.integer):
        if not 2 <= cv <= len(target):
            raise ValueError(f"cv must be at least 2 and at most the number of rows, {len(target)}; got {cv}.")
        # Of many subjects a single hold-out tells enough, at the cost of one fit for each trial.
        many = target.n_subjects > MANY_SUBJECTS
        folds = split_folds(target, 1 if many else int(cv), seed, group, int(cv))
    else:
        pairs = cv.split(np.zeros(len(target)), target.event, group) if isinstance(cv, Splitter) else cv
        folds = [_read_fold(number, pair, target) for number, pair in enumerate(pairs)]
    if not folds:
        raise ValueError("cv has no folds; give a number, or at least one pair of training rows and held-out rows.")
    for number, (train, held_out) in enumerate(folds):
        if not target.weight[held_out].any():
            raise ValueError(f"cv: fold {number} holds out no row with a positive weight; give fewer folds.")
        if not target.weight[train] @ (target.event | target.interval)[train]:
            raise ValueError(
                f"cv: fold {number} has no event to learn from, because all events are held out; use more data, or "
                "other folds."
            )
    return folds


def _read_fold(number: int, pair: Any, target: Target) -> Fold:
    """Training rows and held-out rows as a user or a splitter gives them."""
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise ValueError(f"cv: fold {number} must be a pair of training rows and held-out rows; got {describe(pair)}.")
    rows = np.arange(len(target))
    try:
        return rows[np.asarray(pair[0])], rows[np.asarray(pair[1])]
    except IndexError as error:
        raise ValueError(
            f"cv: fold {number} must have numbers of rows from 0 to {len(target) - 1}, or one True or False for each "
            f"row; got {describe(pair)}."
        ) from error


def choose_seed(study: Study, random_state: int | np.random.RandomState | None) -> int:
    """The given seed; without one, the seed of the study that is resumed, or a random seed."""
    before = study.user_attrs.get("search")
    if random_state is None and before is not None:
        return int(before["random_state"])
    return as_seed(random_state)


def with_seed(estimator: FPBoost, seed: int) -> FPBoost:
    """A copy whose fits are reproducible."""
    seeded: FPBoost = clone(estimator)
    if seeded.random_state is None:
        seeded.set_params(random_state=seed)
    return seeded


def with_causes(estimator: FPBoost, target: Target) -> FPBoost:
    """The estimator with the number of causes of all rows, because a fold may have no event of a rare one."""
    return estimator if estimator.n_causes is not None else estimator.set_params(n_causes=target.n_causes)


def score_fold(
    estimator: FPBoost, X: Any, target: Target, group: Indices | None, fold: Fold, scorer: Scorer
) -> float | Exception:
    """Fit to the training rows of a fold and score its held-out rows. Returns the error if the configuration fails."""
    train, held_out = fold
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # a poor configuration shows in its score
            warnings.filterwarnings("ignore", NO_EVENT_OF_CAUSE)
            groups = None if group is None else group[train]
            model = clone(estimator).fit(_safe_indexing(X, train), target[train], groups=groups)
        score = scorer(model, _safe_indexing(X, held_out))
    except FAILURES as error:
        return error
    return float(score) if np.isfinite(score) else ValueError(f"the held-out score is {score}")


@dataclass(frozen=True)
class Search:
    """What all trials of a search share.

    Attributes
    ----------
    space : Space
        The search space.
    base : FPBoost
        The estimator whose parameters are replaced.
    metric : str
        Name of the score.
    X, target, group
        The data; groups are None if none were given.
    folds : list of Fold
        Training rows and held-out rows.
    scorers : list of Scorer
        One for each fold.
    seed : int
        Seed of the folds and of the sampler.
    """

    space: Space
    base: FPBoost
    metric: str
    X: Any
    target: Target
    group: Indices | None
    folds: list[Fold]
    scorers: list[Scorer]
    seed: int

    def identity(self) -> dict[str, Any]:
        """What must not change between trials, or their scores could not be compared.

        Of a space given as a function only that is stored; the trials hold what they were drawn from.
        """
        parameters = {name: value for name, value in self.base.get_params().items() if name not in RUNTIME_PARAMETERS}
        schema = learn_schema(self.X)
        return {
            "data": joblib.hash((schema.encode(self.X), sorted(schema.categories), self.target)),
            "groups": joblib.hash(self.group),
            "space": self.space.name,
            "estimator": type(self.base).__qualname__,
            "metric": self.metric,
            "largest_difference": POLICY.largest_difference,
            "random_state": self.seed,
            "folds": joblib.hash(self.folds),
            **{f"estimator's {name}": repr(value) for name, value in parameters.items()},
        }

    def run(self, study: Study, n_trials: int, timeout: float | None, n_jobs: int, *, draw: bool) -> None:
        """Run trials until there are `n_trials` or the time is over; the first one always runs."""
        began, done = time.monotonic(), len(with_result(study))
        progress = TrialProgress(n_trials, done, draw=draw)
        try:
            while done < n_trials and (not done or timeout is None or time.monotonic() - began < timeout):
                # The first trial runs alone, because the others report their gain over it.
                trials = [
                    self._begin(study, index) for index in range(done, min(done + n_jobs, n_trials) if done else 1)
                ]
                for share in self._evaluate(study, trials, n_jobs):
                    progress.advance(done + share * len(trials), best_score(study))
                done += len(trials)
                progress.advance(done, best_score(study))
        finally:
            close_running(study)
            progress.close()

    def _begin(self, study: Study, index: int) -> Trial:
        """Start a trial: the first has the estimator as given, the others a configuration drawn from the space."""
        trial = ask(study, self.space, self.seed, index)
        trial.set_user_attr("default", index == 0)
        trial.set_user_attr("parameters", self.space.draw(trial) if index else {})
        return trial

    def _evaluate(self, study: Study, trials: list[Trial], n_jobs: int) -> Iterator[float]:
        """Run trials in parallel, fold by fold, and drop those that fail or are pruned.

        Yields the fraction of the folds that is done.
        """
        scores: list[tuple[Trial, list[float]]] = [(trial, []) for trial in trials]
        for number, (fold, scorer) in enumerate(zip(self.folds, self.scorers, strict=True), start=1):
            outcomes = joblib.Parallel(n_jobs=n_jobs if len(scores) > 1 else 1)(
                joblib.delayed(score_fold)(self.configured(trial), self.X, self.target, self.group, fold, scorer)
                for trial, _ in scores
            )
            scores = [
                (trial, [*values, outcome])
                for (trial, values), outcome in zip(scores, outcomes, strict=True)
                if self._continue(study, trial, values, outcome)
            ]
            if not scores:
                break
            yield number / len(self.folds)

    def _continue(self, study: Study, trial: Trial, values: list[float], outcome: float | Exception) -> bool:
        """Record the outcome of one fold. Returns False if that ends the trial: complete, failed or pruned."""
        states = import_optuna().trial.TrialState
        if isinstance(outcome, Exception):
            if trial.user_attrs["default"]:
                raise outcome  # the given data or estimator are at fault, not a configuration
            trial.set_user_attr("error", f"{type(outcome).__name__}: {outcome}")
            study.tell(trial, state=states.FAIL)
            return False
        values = [*values, outcome]
        if not trial.user_attrs["default"]:
            trial.report(expected_score(study, values), len(values))
        if len(values) == len(self.folds):
            trial.set_user_attr("fold_scores", values)
            study.tell(trial, float(np.mean(values)))
            return False
        if not trial.user_attrs["default"] and trial.should_prune():
            study.tell(trial, state=states.PRUNED)
            return False
        return True

    def configured(self, trial: Trial | FrozenTrial) -> FPBoost:
        """The estimator with the parameters of a trial."""
        configured: FPBoost = clone(self.base).set_params(**trial.user_attrs["parameters"])
        return configured

    def result(self, study: Study) -> TuningResult:
        """The result of the search, with the best configuration fitted to all rows."""
        best = study.best_trial
        return TuningResult(
            study=study,
            metric=self.metric,
            best_params=best.user_attrs["parameters"],
            best_score=float(best.values[0]),
            default_score=default_score(study),
            best_estimator=self.configured(best).fit(self.X, self.target, groups=self.group),
            trials=tabulate(study, self.base.get_params()),
        )


def expected_score(study: Study, values: list[float]) -> float:
    """Estimate the final score of a trial from its first folds.

    It is the score of the first trial over all folds, plus the mean gain over the first trial in the folds so far:
    scores differ more between folds than between configurations, so only scores of the same folds are compared.
    """
    defaults = np.asarray(default_trial(study).user_attrs["fold_scores"])
    return float(defaults.mean() + np.mean(values - defaults[: len(values)]))
