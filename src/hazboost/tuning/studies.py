"""Optuna's side of a search: opening and resuming studies, drawing configurations, counting trials."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from hazboost.tuning.spaces import Space

if TYPE_CHECKING:
    from optuna import Study, Trial
    from optuna.trial import FrozenTrial

#: Name of a stored study, where the user gives none.
STUDY_NAME = "hazboost"
#: Trials before any is pruned, and before the sampler learns from them.
STARTUP_TRIALS = 10
#: Folds that every trial sees: by one alone the luckiest would be kept, not the best.
FOLDS_BEFORE_PRUNING = 2


def import_optuna() -> ModuleType:
    """Optuna, or an error that says how to get it."""
    try:
        return importlib.import_module("optuna")
    except ImportError as error:
        raise ImportError('tune needs Optuna; install it with `pip install "hazboost[tune]"`.') from error


@contextmanager
def quiet() -> Iterator[None]:
    """Keep Optuna from announcing each study: what is worth saying, the progress bar says."""
    logging = import_optuna().logging
    verbosity = logging.get_verbosity()
    logging.set_verbosity(logging.WARNING)
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)


def open_study(storage: Any, name: str | None) -> Study:
    """A study that maximises, new or as it was left. Trials that were cut off are closed as failed."""
    optuna = import_optuna()
    study: Study = optuna.create_study(
        storage=open_storage(storage),
        study_name=STUDY_NAME if name is None else name,
        direction="maximize",
        load_if_exists=True,
        pruner=optuna.pruners.MedianPruner(n_startup_trials=STARTUP_TRIALS, n_warmup_steps=FOLDS_BEFORE_PRUNING),
    )
    if study.direction != optuna.study.StudyDirection.MAXIMIZE:
        raise ValueError(f"study_name={name!r} is the name of a study that minimises; give another one.")
    close_running(study)
    return study


def close_running(study: Study) -> None:
    """End trials that were cut off, as failed without an error of their own."""
    states = import_optuna().trial.TrialState
    for trial in study.get_trials(deepcopy=False, states=(states.RUNNING,)):
        study.tell(trial.number, state=states.FAIL)


def open_storage(storage: Any) -> Any:
    """Optuna's storage: of a URL as it is, of a path a journal in that file, of None nothing that lasts."""
    if not isinstance(storage, str | Path) or "://" in str(storage):
        return storage
    journal = import_optuna().storages.journal
    path = Path(storage)
    if path.exists():
        drop_half_line(path)
    backend = journal.JournalFileBackend(str(path), lock_obj=journal.JournalFileOpenLock(str(path)))
    return import_optuna().storages.JournalStorage(backend)


def drop_half_line(path: Path) -> None:
    """A process killed while it wrote leaves half a line, which would spoil the next one."""
    with path.open("rb+") as file:
        whole = file.read().rfind(b"\n") + 1
        file.truncate(whole)


def remember(study: Study, search: Mapping[str, Any]) -> None:
    """Store what the search is about, or refuse to mix it with another."""
    before = study.user_attrs.get("search")
    if before is None:
        if study.get_trials(deepcopy=False):
            raise ValueError(f"study_name={study.study_name!r} is the name of a study that tune did not begin.")
        study.set_user_attr("search", dict(search))
        return
    changed = [name for name in search if search[name] != before.get(name)]
    if changed:
        shown = "; ".join(
            f"the {name} differ"
            if name in {"data", "folds"}
            else f"{name} was {before.get(name)!r}, not {search[name]!r}"
            for name in changed
        )
        raise ValueError(
            f"study_name={study.study_name!r} is the name of another search in this storage: {shown}. Give the same "
            "arguments to go on with it, or another study_name to begin anew."
        )


def with_result(study: Study) -> list[FrozenTrial]:
    """Trials that are complete, pruned, or failed for a reason of their own. Those cut off are to be made again."""
    states = import_optuna().trial.TrialState
    ended = study.get_trials(deepcopy=False, states=(states.COMPLETE, states.PRUNED, states.FAIL))
    return [trial for trial in ended if trial.state != states.FAIL or "error" in trial.user_attrs]


def ask(study: Study, space: Space, seed: int, index: int) -> Trial:
    """Begin the trial with this index.

    Its sampler has a seed of its own, so that a search that was left and resumed draws what it would have drawn.
    """
    optuna = import_optuna()
    own_seed = int(np.random.SeedSequence([seed, index]).generate_state(1)[0])
    if space.sampler == "random":
        study.sampler = optuna.samplers.RandomSampler(own_seed)
    else:
        study.sampler = optuna.samplers.TPESampler(n_startup_trials=STARTUP_TRIALS, seed=own_seed)
    return study.ask()


def default_trial(study: Study) -> FrozenTrial:
    """The trial of the estimator as it is."""
    complete = study.get_trials(deepcopy=False, states=(import_optuna().trial.TrialState.COMPLETE,))
    return next(trial for trial in complete if trial.user_attrs["default"])


def default_score(study: Study) -> float:
    """Score of the estimator as it is."""
    return float(default_trial(study).values[0])


def best_score(study: Study) -> float | None:
    """The best score so far; None before the first."""
    complete = study.get_trials(deepcopy=False, states=(import_optuna().trial.TrialState.COMPLETE,))
    return max((float(trial.values[0]) for trial in complete), default=None)
