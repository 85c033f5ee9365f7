"""One case from its description to what is wrong."""

from __future__ import annotations

import copy
import re
import traceback
import warnings
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning, UndefinedMetricWarning
from sklearn.utils._param_validation import InvalidParameterError

import hazboost
from hazboost.metrics.checks import FollowUpWarning
from tests import wording
from tests.fuzz.extras import make_groups, make_weight
from tests.fuzz.flaws import FLAWS, Inputs
from tests.fuzz.invariants import ALWAYS, CHECKS, Situation
from tests.fuzz.outcomes import give, observe
from tests.fuzz.refusals import is_expected
from tests.fuzz.relations import RELATIONS, fit
from tests.fuzz.tables import contain, make_raw

SOURCE = str(Path(hazboost.__file__).parent)
OWN_WARNINGS = (ConvergenceWarning, UndefinedMetricWarning, FollowUpWarning, UserWarning)


@dataclass
class Report:
    """What came of a case.

    Attributes
    ----------
    refused : str
        The message of the error; empty if the data were accepted.
    warned : list of str
        Messages of warnings.
    failures : dict
        What went wrong, by the name of the check.
    """

    refused: str = ""
    warned: list[str] = field(default_factory=list)
    failures: dict[str, str] = field(default_factory=dict)


def check(case):
    """Fit and predict; collect everything that is wrong."""
    report = Report()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            inputs = make_inputs(case)
            before = copy.deepcopy(inputs)
        except (ValueError, TypeError) as error:  # `Surv` may refuse the outcome
            judge_refusal(case, error, report)
            return report
        try:
            model = fit(inputs)
        except Exception as error:  # noqa: BLE001
            judge_refusal(case, error, report)
        else:
            if case.flaw:
                report.failures["flaw"] = f"{case.flaw} was accepted"
            else:
                check_model(Situation(case, inputs, model), report)
        check_untouched(before, inputs, report)
    judge_warnings(caught, report)
    return report


def make_inputs(case):
    """The arguments of the fit; with a flaw where one is asked for."""
    raw, columns = make_raw(case.features), observe(case.outcome, case.features.rows)
    X = contain(raw, case.features.container, case.features.seed)
    y = give(columns, case.outcome.form, case.outcome.event_type)
    inputs = Inputs(
        raw,
        columns,
        X,
        y,
        make_weight(case.weights, len(raw), case.features.seed),
        make_groups(case.groups, columns, len(raw), case.features.seed),
        (X, y) if case.watched else None,
        case.settings,
    )
    return FLAWS[case.flaw][1](case, inputs)() if case.flaw else inputs


def check_model(situation, report):
    """Run the checks of a case, each by itself."""
    chosen = {**ALWAYS, **{name: CHECKS[name] for name in situation.case.checks}}
    relation = situation.case.relation
    for name, one in {**chosen, f"relation {relation}": RELATIONS[relation]}.items():
        try:
            one(situation)
        except AssertionError as error:
            report.failures[name] = str(error)
        except Exception as error:  # noqa: BLE001
            judge_prediction(name, situation, error, report)


def judge_prediction(name, situation, error, report):
    """Nothing may be refused after a successful fit, except for a C-index of intervals."""
    if name == "score" and "lower" in situation.inputs.columns:
        report.failures |= faults_of(error)
    else:
        report.failures[name] = f"{describe(error)}"


def judge_refusal(case, error, report):
    """An error of the library itself, in good words, that names the flaw or has a reason in the data."""
    report.refused = str(error) or type(error).__name__
    report.failures |= faults_of(error)
    if is_expected(case, str(error)):
        return
    if not case.flaw:
        report.failures["refusal"] = f"refused without a reason: {describe(error)}"
    elif not re.search(argument := FLAWS[case.flaw][0], str(error)):
        report.failures["flaw"] = f"{case.flaw} was refused without naming {argument}: {error}"


def faults_of(error):
    """What is wrong with an error."""
    if type(error) not in (ValueError, TypeError, InvalidParameterError):
        return {"error": describe(error)}
    faults = wording.faults(str(error))
    return {"wording": f"{'; '.join(faults)}: {error}"} if faults else {}


def describe(error):
    """The error and where it comes from."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(SOURCE)]
    place = f"{Path((own or [last])[-1].filename).name}:{(own or [last])[-1].lineno}"
    return f"{type(error).__name__} at {place}: {str(error)[:300]}"


def judge_warnings(caught, report):
    """Only warnings of the library's own categories, in good words, that point outside of the library."""
    for one in caught:
        message = str(one.message)
        report.warned.append(message)
        if one.category not in OWN_WARNINGS:
            place = f"{Path(one.filename).name}:{one.lineno}"
            report.failures["warning"] = f"{one.category.__name__} at {place}: {message[:300]}"
        elif faults := wording.faults(message):
            report.failures["wording"] = f"{'; '.join(faults)}: {message}"
        elif one.filename.startswith(SOURCE):
            report.failures["warning"] = f"points at {Path(one.filename).name}, not at the user's line: {message}"


def check_untouched(before, inputs, report):
    """The arguments are what they were."""
    for name, given in before.arguments().items():
        if not is_equal(given, inputs.arguments()[name]):
            report.failures["untouched"] = f"{name} was changed in place"
    if before.settings != inputs.settings:
        report.failures["untouched"] = "parameters were changed in place"


def is_equal(one, other):
    """Whether two arguments are equal, whatever their type."""
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(is_equal, one, other))
    if sp.issparse(one):
        return all(
            np.array_equal(getattr(one, a), getattr(other, a), equal_nan=a == "data") for a in ("data", "indices")
        )
    if hasattr(one, "to_pydict"):  # a table of pyarrow, for which NaN differs from itself
        return repr(one.to_pydict()) == repr(other.to_pydict())
    if hasattr(one, "equals"):
        return one.equals(other)
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and repr(one.tolist()) == repr(other.tolist())
    return one is other or one == other or (one != one and other != other)  # noqa: PLR0124
