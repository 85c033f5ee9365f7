"""A stored study is resumed only by the search that began it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hazboost.tuning.spaces import Space
from hazboost.tuning.studies import import_optuna, with_result

if TYPE_CHECKING:
    from optuna import Study, Trial
    from optuna.distributions import BaseDistribution
    from optuna.trial import FrozenTrial

#: What to do if a search has changed.
ADVICE = "Give the same arguments to resume it, or another study_name or storage to start a new search."
#: Parts of a search of which only a hash is stored.
HASHED = {"data", "folds", "groups"}
#: Differences that a message lists.
MOST_SHOWN = 5


def remember(study: Study, search: Mapping[str, Any]) -> None:
    """Store the identity of a new search; refuse to resume a study of a different search."""
    before = study.user_attrs.get("search")
    if before is None:
        if study.get_trials(deepcopy=False):
            raise ValueError(
                f"study_name={study.study_name!r} is the name of a study that tune did not create; give another name."
            )
        study.set_user_attr("search", dict(search))
        return
    changed = _changes(*({name: repr(value) for name, value in one.items()} for one in (before, search)))
    refuse(study, [f"the {name} differ" if name in HASHED else change for name, change in changed.items()])


def refuse_edited_space(study: Study, space: Space) -> None:
    """Refuse to resume a study whose trials were drawn from a space that has been edited since.

    The name of a function says nothing about its ranges, and its code may change while they stay. So the space is
    called again for each trial: with the values drawn then, it must ask for the same distributions and make the same
    parameters. A part of the space that no trial has used may change, because the study holds nothing of it.
    """
    drawn = {trial.number: trial for trial in with_result(study) if not trial.user_attrs["default"]}
    sampler = Redraw()
    replay = import_optuna().create_study(sampler=sampler)
    for number in range(max(drawn, default=-1) + 1):
        trial = replay.ask()  # also for trials that were interrupted, because a space may read the number of its trial
        if number in drawn:
            sampler.values = drawn[number].params
            made = space.draw(trial)
            refuse(study, [f"the space differs, {one}" for one in differences(drawn[number], trial, made)])


def differences(before: FrozenTrial, now: Trial, made: Mapping[str, Any]) -> list[str]:
    """How a trial differs from the stored one with the same draws: in distributions or else in the parameters made."""
    asked = _changes(_describe_all(before.distributions), _describe_all(now.distributions))
    if asked:
        return list(asked.values())
    stored = before.user_attrs["parameters"]
    changes = _changes(*({name: _as_json(value) for name, value in one.items()} for one in (stored, made)))
    return [f"{change} (made from the draws of trial {before.number})" for change in changes.values()]


def refuse(study: Study, changes: list[str]) -> None:
    """Raise an error that lists the differences, if there are any."""
    if changes:
        more = f"; and {len(changes) - MOST_SHOWN} more" if len(changes) > MOST_SHOWN else ""
        raise ValueError(
            f"study_name={study.study_name!r} is the name of another search in this storage: "
            f"{'; '.join(changes[:MOST_SHOWN])}{more}. {ADVICE}"
        )


class Redraw:
    """A sampler for Optuna that gives the values drawn by an earlier trial, as far as they are still to be had.

    It has the methods of ``optuna.samplers.BaseSampler``, from which it is not derived because Optuna is optional.
    """

    values: Mapping[str, Any] = {}

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """Nothing to prepare."""

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        """Every parameter is drawn by itself."""
        return {}

    def sample_relative(self, study: Study, trial: FrozenTrial, search_space: Mapping[str, Any]) -> dict[str, Any]:
        """Nothing is drawn together."""
        return {}

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """The earlier value; the first possible one for a new parameter or without that choice."""
        distribution: Any = param_distribution
        possible = distribution.choices if _is_categorical(distribution) else [distribution.low]
        value = self.values.get(param_name, possible[0])
        return possible[0] if _is_categorical(distribution) and value not in possible else value


def _changes(before: Mapping[str, str], now: Mapping[str, str]) -> dict[str, str]:
    """What is new, is no longer there, or has another value, by name."""
    changes = {name: f"{name} was {before[name]}, not {now[name]}" for name in before if name in now}
    changes |= {name: f"{name} is no longer there" for name in before if name not in now}
    changes |= {name: f"{name} is new" for name in now if name not in before}
    return {name: change for name, change in changes.items() if before.get(name) != now.get(name)}


def _describe_all(distributions: Mapping[str, BaseDistribution]) -> dict[str, str]:
    return {name: _describe(distribution) for name, distribution in distributions.items()}


def _describe(distribution: Any) -> str:
    """A distribution in words, such as ``float 0.01 to 1.0, log``."""
    if _is_categorical(distribution):
        return f"one of {list(distribution.choices)!r}"
    kind, usual = ("int", 1) if isinstance(distribution.low, int) else ("float", None)
    step = "" if distribution.step == usual else f", step {distribution.step}"
    return f"{kind} {distribution.low} to {distribution.high}{step}{', log' if distribution.log else ''}"


def _is_categorical(distribution: BaseDistribution) -> bool:
    return isinstance(distribution, import_optuna().distributions.CategoricalDistribution)


def _as_json(value: Any) -> str:
    """A value as storages keep it, in which a tuple is a list."""
    return json.dumps(value, sort_keys=True, default=repr)
