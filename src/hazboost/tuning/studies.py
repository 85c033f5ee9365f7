"""Work with Optuna's studies: open and resume them, draw configurations, count trials."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from hazboost.tuning.spaces import Space

if TYPE_CHECKING:
    from optuna import Study, Trial
    from optuna.trial import FrozenTrial

#: Name of a stored study if the user gives none.
STUDY_NAME = "hazboost"
#: Number of trials after which pruning starts and the sampler learns from earlier trials.
STARTUP_TRIALS = 10
#: Number of folds before a trial may be pruned: after one fold, chance differences would decide.
FOLDS_BEFORE_PRUNING = 2


def import_optuna() -> ModuleType:
    """Import Optuna, or say how to install it."""
    try:
        return importlib.import_module("optuna")
    except ImportError as error:
        raise ImportError('tune needs Optuna; install it with `pip install "hazboost[tune]"`.') from error


@contextmanager
def quiet() -> Iterator[None]:
    """Silence Optuna's messages below warnings; the progress bar shows the state of the search."""
    logging = import_optuna().logging
    verbosity = logging.get_verbosity()
    logging.set_verbosity(logging.WARNING)
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)


def open_study(storage: Any, name: str | None) -> Study:
    """Create or load a study that maximises its score. Trials that an earlier process left running are ended."""
    optuna = import_optuna()
    study: Study = optuna.create_study(
        storage=open_storage(storage),
        study_name=STUDY_NAME if name is None else name,
        direction="maximize",
        load_if_exists=True,
        pruner=optuna.pruners.MedianPruner(n_startup_trials=STARTUP_TRIALS, n_warmup_steps=FOLDS_BEFORE_PRUNING),
    )
    if study.direction != optuna.study.StudyDirection.MAXIMIZE:
        raise ValueError(f"study_name={name!r} is the name of a study that minimises; give another name.")
    close_running(study)
    return study


def close_running(study: Study) -> None:
    """End trials that were interrupted: as failed, but without an error, so that they are made again."""
    states = import_optuna().trial.TrialState
    for trial in study.get_trials(deepcopy=False, states=(states.RUNNING,)):
        study.tell(trial.number, state=states.FAIL)


def open_storage(storage: Any) -> Any:
    """Open a database at a URL or a journal file at a path. None (in memory) and Optuna's storages pass unchanged."""
    if not isinstance(storage, str | Path):
        return storage
    if "://" in str(storage):
        return open_database(str(storage))
    journal = import_optuna().storages.journal
    path = Path(storage)
    if path.exists():
        refuse_other_file(path)
        drop_incomplete_line(path)
    backend = journal.JournalFileBackend(str(path), lock_obj=journal.JournalFileOpenLock(str(path)))
    return import_optuna().storages.JournalStorage(backend)


def open_database(url: str) -> Any:
    """Open a database that closes each connection after use.

    Optuna never closes the connections in its pool, so they would stay open after the search. A database in memory
    lives as long as its connection, and keeps Optuna's pool.
    """
    sqlalchemy = importlib.import_module("sqlalchemy")
    if sqlalchemy.make_url(url).database in {None, "", ":memory:"}:
        return url
    return import_optuna().storages.RDBStorage(url, engine_kwargs={"poolclass": sqlalchemy.NullPool})


def refuse_other_file(path: Path) -> None:
    """Refuse a file of something else, such as a table, which would be changed by appending trials to it."""
    with path.open("rb") as file:
        if file.read(1) not in (b"", b"{"):
            raise ValueError(
                f"storage: {path.name} is no journal of trials; give the name of a new file, or a URL such as "
                "sqlite:///study.db for a database."
            )


def drop_incomplete_line(path: Path) -> None:
    """Remove an incomplete last line, which a process leaves if it is killed while writing."""
    with path.open("rb+") as file:
        complete = file.read().rfind(b"\n") + 1
        file.truncate(complete)


def with_result(study: Study) -> list[FrozenTrial]:
    """Trials that are complete, pruned, or failed with an error. Interrupted trials do not count and are made again."""
    states = import_optuna().trial.TrialState
    ended = study.get_trials(deepcopy=False, states=(states.COMPLETE, states.PRUNED, states.FAIL))
    return [trial for trial in ended if trial.state != states.FAIL or "error" in trial.user_attrs]


def ask(study: Study, space: Space, seed: int, index: int) -> Trial:
    """Start the trial with this index.

    Each trial has its own sampler seed, so that a resumed search draws the same configurations as one in one go.
    """
    optuna = import_optuna()
    own_seed = int(np.random.SeedSequence([seed, index]).generate_state(1)[0])
    if space.sampler == "random":
        study.sampler = optuna.samplers.RandomSampler(own_seed)
    else:
        study.sampler = optuna.samplers.TPESampler(n_startup_trials=STARTUP_TRIALS, seed=own_seed)
    return study.ask()


def default_trial(study: Study) -> FrozenTrial:
    """The trial of the estimator as given."""
    complete = study.get_trials(deepcopy=False, states=(import_optuna().trial.TrialState.COMPLETE,))
    return next(trial for trial in complete if trial.user_attrs["default"])


def default_score(study: Study) -> float:
    """Score of the estimator as given."""
    return float(default_trial(study).values[0])


def best_score(study: Study) -> float | None:
    """The best score so far; None before the first trial is complete."""
    complete = study.get_trials(deepcopy=False, states=(import_optuna().trial.TrialState.COMPLETE,))
    return max((float(trial.values[0]) for trial in complete), default=None)
