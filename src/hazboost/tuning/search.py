"""The search: what is tried, how it is scored, when it is given up."""

from __future__ import annotations

import numbers
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import joblib
import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import _safe_indexing, check_random_state

from hazboost.boosting.likelihood import row_loss
from hazboost.data.features import learn_schema, readable
from hazboost.data.folds import split_folds
from hazboost.data.target import Target, as_groups, as_target, check_informative
from hazboost.estimator import FPBoost
from hazboost.training.fit import in_user_time
from hazboost.training.policy import POLICY
from hazboost.tuning.result import TuningResult, tabulate
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
    remember,
    with_result,
)
from hazboost.utils.arrays import Indices
from hazboost.utils.progress import TrialProgress

if TYPE_CHECKING:
    from optuna import Study, Trial
    from optuna.trial import FrozenTrial

#: Rows to train on and rows to hold out.
Fold = tuple[Indices, Indices]
#: What a configuration without hope may raise; anything else is an error of ours or of the user's, and is raised.
HOPELESS = (ValueError, FloatingPointError)
#: Parameters that say how to run, not what to learn.
RUNNING = {"n_jobs", "device", "random_state", "verbose"}


def log_likelihood(model: FPBoost, X: Any, target: Target) -> float:
    """Mean log-likelihood of what was observed, with hazards per unit of the user's time."""
    distribution = model.model_.distribution(readable(X))
    loss = row_loss(distribution.mixture, distribution.scores, target.scaled(distribution.unit)).value
    mean = float(np.average(loss, weights=target.weight))
    return -in_user_time([mean], distribution.unit, target)[0]


#: What a configuration is judged by; the higher the better.
SCORES: dict[str, Callable[[FPBoost, Any, Target], float]] = {
    "likelihood": log_likelihood,
    "concordance": FPBoost.score,
}


def tune(
    X: Any,
    y: Any,
    *,
    space: Literal["default", "paper"] | Suggest = "default",
    estimator: FPBoost | None = None,
    n_trials: int = 50,
    timeout: float | None = None,
    metric: Literal["likelihood", "concordance"] = "likelihood",
    cv: int | BaseCrossValidator | Iterable[tuple[Any, Any]] = 5,
    storage: Any = None,
    study_name: str | None = None,
    sample_weight: Any = None,
    groups: Any = None,
    n_jobs: int | None = None,
    random_state: int | np.random.RandomState | None = None,
    verbose: int = 1,
) -> TuningResult:
    """Search for hyperparameters of `FPBoost` that are better than given ones, with Optuna.

    The first trial is the estimator as it is, so what is found is never worse in the folds. The others are drawn from
    the space. A trial whose first folds are worse than those of most others is pruned; one that cannot be fitted has
    failed, and its error is in the table of trials.

    Parameters
    ----------
    X, y, sample_weight, groups
        As in `FPBoost.fit`. Rows of a group are in the same fold, here and inside of every fit.
    space : {"default", "paper"} or callable, default="default"
        Where to look. ``default``: second-order boosting from a linear start (``solver="newton"``, ``init="linear"``,
        ``n_estimators="auto"``), with up to 3 Weibull and 3 LogLogistic heads; drawn by Optuna's TPE. ``paper``: the
        ranges of the paper around `FPBoost.paper`, drawn at random; the paper made 1024 trials, by C-index. A
        callable takes an Optuna trial and returns parameters of `FPBoost`.
    estimator : FPBoost, optional
        What to improve, with every parameter that the space leaves alone; by default ``FPBoost()``, and
        ``FPBoost.paper()`` in the space of the paper.
    n_trials : int, default=50
        Trials in all, those of a resumed study included.
    timeout : float, optional
        Seconds after which no further trial is begun.
    metric : {"likelihood", "concordance"}, default="likelihood"
        Mean held-out log-likelihood, or C-index.
    cv : int, scikit-learn splitter or iterable of pairs, default=5
        Number of folds, stratified on the event; above 5,000 rows a fifth of them is held out once instead. A splitter
        gets the event as its ``y``, and the groups. Pairs are rows to train on and rows to hold out.
    storage : str, path or Optuna storage, optional
        Where trials are kept: a URL such as ``"sqlite:///study.db"``, or the path of a journal file. With the same
        storage and name a search goes on where it was left, even if it was killed. One process at a time.
    study_name : str, default="hazboost"
        Name of the study in the storage.
    n_jobs : int, optional
        Trials that run at the same time, in processes of their own; ``None`` means one and ``-1`` all processors.
        The threads of each fit are the estimator's ``n_jobs``.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds, of what is drawn, and of the estimator where it has none. With the same seed and ``n_jobs``
        a search repeats itself, whether in one go or resumed.
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
    if metric not in SCORES:
        raise ValueError(f"metric must be {' or '.join(map(repr, SCORES))}; got {metric!r}.")
    if not isinstance(n_trials, numbers.Integral) or n_trials < 1:
        raise ValueError(f"n_trials must be a positive int; got {n_trials!r}.")
    chosen, (X, target) = find_space(space), read_data(X, y, sample_weight)
    base = chosen.base() if estimator is None else estimator
    if not isinstance(base, FPBoost):
        raise TypeError(f"estimator must be an FPBoost; got {type(base).__name__}.")
    with quiet():
        study = open_study(storage, study_name)
        seed = choose_seed(study, random_state)
        group = None if groups is None else as_groups(groups, target)
        folds = read_folds(cv, target, seed, group)
        search = Search(chosen, with_seed(base, seed), metric, X, target, group, folds, seed)
        remember(study, search.identity())
        search.run(study, int(n_trials), timeout, joblib.effective_n_jobs(n_jobs), draw=bool(verbose))
    return search.result(study)


def read_data(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Target]:
    """Features and target, checked as far as no estimator is needed."""
    X, target = readable(X), as_target(y, sample_weight)
    if X.shape[0] != len(target):
        raise ValueError(f"X has {X.shape[0]} rows and y has {len(target)}; both need one for each subject.")
    check_informative(target)
    return X, target.without_events_at_zero()


def read_folds(
    cv: int | BaseCrossValidator | Iterable[tuple[Any, Any]], target: Target, seed: int, group: Indices | None = None
) -> list[Fold]:
    """Rows to train on and rows to hold out."""
    if isinstance(cv, int | np.integer):
        if not 2 <= cv <= len(target):
            raise ValueError(f"cv must be at least 2 folds, and at most one for each of {len(target)} rows; got {cv}.")
        folds = split_folds(target, int(cv), seed, group, POLICY.hold_out_of(target.n_subjects))
    else:
        pairs = cv.split(np.zeros(len(target)), target.event, group) if isinstance(cv, BaseCrossValidator) else cv
        folds = [(np.asarray(kept), np.asarray(held)) for kept, held in pairs]
    if not folds:
        raise ValueError(
            "cv has no fold; give a number, or at least one pair of rows to train on and rows to hold out."
        )
    for number, (_, held) in enumerate(folds):
        if not target.weight[held].any():
            raise ValueError(f"cv: fold {number} holds out no row with a positive weight, so it has no score.")
    return folds


def choose_seed(study: Study, random_state: int | np.random.RandomState | None) -> int:
    """The seed that is asked for; where none is, the one with which a resumed study was begun."""
    before = study.user_attrs.get("search")
    if random_state is None and before is not None:
        return int(before["random_state"])
    if isinstance(random_state, numbers.Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def with_seed(estimator: FPBoost, seed: int) -> FPBoost:
    """A copy that gives the same model each time."""
    seeded: FPBoost = clone(estimator)
    if seeded.random_state is None:
        seeded.set_params(random_state=seed)
    return seeded


def score_fold(
    estimator: FPBoost, X: Any, target: Target, group: Indices | None, fold: Fold, metric: str
) -> float | Exception:
    """Fit to the rows of a fold and score what it holds out; the error where that cannot be done."""
    kept, held = fold
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # that a configuration is poor, its score says
            groups = None if group is None else group[kept]
            model = clone(estimator).fit(_safe_indexing(X, kept), target[kept], groups=groups)
        score = SCORES[metric](model, _safe_indexing(X, held), target[held])
    except HOPELESS as error:
        return error
    return float(score) if np.isfinite(score) else ValueError(f"the held-out {metric} is {score}")


@dataclass(frozen=True)
class Search:
    """What all trials share."""

    space: Space
    base: FPBoost
    metric: str
    X: Any
    target: Target
    group: Indices | None
    folds: list[Fold]
    seed: int

    def identity(self) -> dict[str, Any]:
        """What must be the same for trials to be compared."""
        parameters = {name: value for name, value in self.base.get_params().items() if name not in RUNNING}
        return {
            "data": joblib.hash((learn_schema(self.X).encode(self.X), self.target)),
            "space": self.space.name,
            "metric": self.metric,
            "random_state": self.seed,
            "folds": joblib.hash(self.folds),
            **{f"estimator's {name}": repr(value) for name, value in parameters.items()},
        }

    def run(self, study: Study, n_trials: int, timeout: float | None, n_jobs: int, *, draw: bool) -> None:
        """Make trials until there are enough, or it is too late."""
        began, done = time.monotonic(), len(with_result(study))
        progress = TrialProgress(n_trials, done, draw=draw)
        try:
            while done < n_trials and (not done or timeout is None or time.monotonic() - began < timeout):
                # The first is alone: all others are compared with it.
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
        """Draw a configuration; the first is none at all, the estimator as it is."""
        trial = ask(study, self.space, self.seed, index)
        trial.set_user_attr("default", index == 0)
        trial.set_user_attr("parameters", dict(self.space.suggest(trial)) if index else {})
        return trial

    def _evaluate(self, study: Study, trials: list[Trial], n_jobs: int) -> Iterator[float]:
        """Fit trials fold by fold, at the same time, and give up those that fail or fall behind.

        Yields the share of the folds that is done.
        """
        scores: list[tuple[Trial, list[float]]] = [(trial, []) for trial in trials]
        for number, fold in enumerate(self.folds, start=1):
            outcomes = joblib.Parallel(n_jobs=n_jobs if len(scores) > 1 else 1)(
                joblib.delayed(score_fold)(self.configured(trial), self.X, self.target, self.group, fold, self.metric)
                for trial, _ in scores
            )
            scores = [
                (trial, [*values, outcome])
                for (trial, values), outcome in zip(scores, outcomes, strict=True)
                if self._goes_on(study, trial, values, outcome)
            ]
            if not scores:
                break
            yield number / len(self.folds)

    def _goes_on(self, study: Study, trial: Trial, values: list[float], outcome: float | Exception) -> bool:
        """Take note of one more fold of a trial, and end the trial where it has failed, fallen behind or seen all."""
        states = import_optuna().trial.TrialState
        if isinstance(outcome, Exception):
            if trial.user_attrs["default"]:
                raise outcome  # the data or the estimator are wrong, not a configuration
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
        """What was found, with the best configuration fitted to all rows."""
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
    """What a trial will score, by its first folds: the defaults' score, and the mean gain over them in these folds.

    Folds differ in difficulty more than configurations do, so scores of the same folds are compared.
    """
    defaults = np.asarray(default_trial(study).user_attrs["fold_scores"])
    return float(defaults.mean() + np.mean(values - defaults[: len(values)]))
