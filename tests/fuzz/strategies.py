"""Random cases, made of choices: one option of a list at a time, of which the first is the simplest.

`make_case` needs only a function that chooses. For pytest hypothesis chooses, and shrinks what fails towards the first
options; a long run numbers its cases and chooses by their numbers. The number of choices is always the same, whether or
not all of them are used, so that a case can be simplified choice by choice.
"""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from hazboost.hazards.activations import PARAMETER_ACTIVATIONS, WEIGHT_ACTIVATIONS
from hazboost.hazards.heads import HEADS
from tests.fuzz.cases import Case, Column, Features, Outcome
from tests.fuzz.extras import GROUPS, WEIGHTS
from tests.fuzz.flaws import FLAWS, Inputs
from tests.fuzz.invariants import CHECKS
from tests.fuzz.outcomes import EVENT_TYPES, KINDS, TIMES, forms_of, observe
from tests.fuzz.relations import RELATIONS
from tests.fuzz.tables import CONTAINERS, NAMED, NAMES, VALUES, make_raw

SEEDS = range(10_000)
#: A parameter at its default.
DEFAULT = object()

#: Parameters that are chosen often, and now and then; the first value is the simplest.
OFTEN = {
    "heads_activation": list(WEIGHT_ACTIVATIONS),
    "parameter_activation": list(PARAMETER_ACTIVATIONS),
    "solver": ["gradient"],
    "subsample": [1.0],
    "colsample_bytree": [1.0],
    "max_depth": [1, 3],
}
RARELY = {
    "weibull_heads": [0, 3],
    "loglogistic_heads": [0, 2],
    "heads": [{name: 1} for name in HEADS if name not in ("weibull", "loglogistic")],
    "uniform_heads": [True],
    "n_causes": [3],
    "learning_rate": [1.0, 0.01],
    "alpha": [0.1, 10.0],
    "gradient_scaling": ["max"],
    "reg_lambda": [0.0],
    "min_child_weight": [0.0, 10.0],
    "max_bin": [2],
    "tree_method": ["exact", "approx"],
    "risk_horizon": ["longest"],
    "patience": [1, 3],
    "stopping_metric": ["likelihood"],
    "validation_fraction": [0.5],
}
#: Fits with cross-validation take ten times as long.
SLOW = [
    {"init": "linear", "n_folds": 2},
    {"init": "km", "n_estimators": "auto", "n_folds": 2, "learning_rate": 1.0},
]


@st.composite
def cases(draw):
    """Cases for hypothesis."""
    return make_case(lambda options: draw(st.sampled_from(options)))


def make_case(choose):
    """A case, by a function that chooses one of several options."""
    features, outcome = choose_features(choose), choose_outcome(choose)
    case = Case(
        features=features,
        outcome=outcome,
        weights=choose(mostly("none", WEIGHTS, 12)),
        groups=choose(mostly("none", GROUPS, 20)),
        settings=choose_settings(choose, len(features.columns)),
        watched=sometimes(choose, 12),
    )
    has_flaw, flaw = sometimes(choose, 7), choose(possible_flaws(case))
    checks = [choose(mostly("", CHECKS, 3)) for _ in range(3)]
    relation = choose(list(RELATIONS))
    if has_flaw:
        return replace(case, flaw=flaw)
    return replace(case, checks=tuple(sorted({*checks} - {""})), relation=relation)


def mostly(usual, rare, times):
    """The usual choice so many times, and each of the rare ones once."""
    return [*[usual] * times, *rare]


def sometimes(choose, times):
    """True once in so many times."""
    return choose(range(times)) == times - 1


def choose_features(choose):
    width = choose(mostly(1, [2, 2, 3, 3, 4, 4, 5, 6, 6], 3) * 4 + [40])
    columns = [
        Column(
            choose(mostly("normal", [*VALUES, "category", "category"], 10)), choose(mostly(0.0, [0.1, 0.6, 1.0], 40))
        )
        for _ in range(6)
    ]
    container, names = choose(list(CONTAINERS)), choose(mostly("plain", NAMES, 6))
    return Features(
        rows=min(choose(range(1, 61)), choose([60, 12])),
        columns=tuple(columns[i % len(columns)] for i in range(width)),
        container=container,
        names=names if container in NAMED else "plain",
        distinct=choose(mostly(None, [1, 4], 10)),
        seed=choose(SEEDS),
    )


def choose_outcome(choose):
    outcome = Outcome(
        kind=choose(mostly("right", KINDS, 3)),
        times=choose(mostly("spread", TIMES, 1)),
        events=choose(["most", "few", "one", "all"]),
        causes=choose([1, 1, 1, 2, 3]),
        exponent=choose([0, 0, 0, -12, -3, 3, 12]),
        event_type=choose(mostly("bool", EVENT_TYPES, 3)),
        seed=choose(SEEDS),
    )
    return replace(outcome, form=choose(forms_of(observe(outcome, 1))))


def choose_settings(choose, width):
    settings = {
        "random_state": choose(range(4)),
        "init": choose(["random", "km", "random", "km", "marginal"]),
        "n_estimators": choose([2, 1, 5, 12]),
    }
    settings |= choose_some(choose, OFTEN, 2)
    rare, chosen = choose([False, True]), choose_some(choose, RARELY, 6)
    settings |= chosen if rare else {}
    settings |= choose_constraints(choose, width)
    settings |= choose(mostly({}, SLOW, 48))
    if not any(settings.get(name, 1) for name in ("weibull_heads", "loglogistic_heads")) and "heads" not in settings:
        settings["weibull_heads"] = 1
    return settings


def choose_some(choose, parameters, times):
    chosen = {name: choose(mostly(DEFAULT, values, times)) for name, values in parameters.items()}
    return {name: value for name, value in chosen.items() if value is not DEFAULT}


def choose_constraints(choose, width):
    found = {}
    directions = [1, *(choose([0, 1, -1]) for _ in range(5))]
    cut, overlap = choose(range(1, 7)), choose(mostly(0, [1], 4))
    if sometimes(choose, 5):
        found["monotone_constraints"] = [directions[i % 6] for i in range(width)]
    if sometimes(choose, 5) and cut < width:
        found["interaction_constraints"] = [list(range(cut)), list(range(cut - overlap, width))]
    return found


def possible_flaws(case):
    """Flaws that are possible with the data of a case."""
    raw, columns = make_raw(case.features), observe(case.outcome, case.features.rows)
    inputs = Inputs(raw, columns, None, None, settings=case.settings)
    return [name for name, (_, spoil) in FLAWS.items() if spoil(case, inputs) is not None]
