"""What can be asked for: the page, or the flags alone."""

from __future__ import annotations

import warnings
from typing import Any

from hazboost.prediction.predictor import Predictor
from hazboost.report.flags import Flag, raise_flags
from hazboost.report.judged import read_judged
from hazboost.report.page import make_page

TITLE = "Report on a survival model"


def report_page(
    model: Predictor,
    X: Any,
    y: Any,
    X_train: Any = None,
    y_train: Any = None,
    *,
    groups: Any = None,
    title: str = TITLE,
    examples: bool = True,
) -> str:
    """A report on a fitted model as one HTML page without references to other files.

    `FPBoost.report` writes it to a file, and describes the parameters.

    Returns
    -------
    str
        The page.

    Examples
    --------
    >>> import numpy as np
    >>> from hazboost import FPBoost
    >>> from hazboost.report import report_page
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> y = rng.random(300) < 0.7, rng.weibull(1.5, 300) * np.exp(-X[:, 0])
    >>> model = FPBoost(n_estimators=20, random_state=0).fit(X[:200], (y[0][:200], y[1][:200]))
    >>> page = report_page(model, X[200:], (y[0][200:], y[1][200:]))
    >>> page.startswith("<!doctype html>"), "TRIPOD+AI" in page
    (True, True)
    """
    evidence = read_judged(model, X, y, X_train, y_train, groups)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the page says what is uncertain or cannot be computed
        return make_page(evidence, title, examples=examples)


def find_flags(
    model: Predictor, X: Any, y: Any, X_train: Any = None, y_train: Any = None, *, groups: Any = None
) -> list[Flag]:
    """The flags of a report alone: reasons to trust a model less, serious ones first.

    Parameters
    ----------
    model, X, y, X_train, y_train, groups
        As for `FPBoost.report`.

    Returns
    -------
    list of Flag
        Each with its name, severity, title, evidence, details and advice; empty if nothing was found.

    Examples
    --------
    >>> import numpy as np
    >>> from hazboost import FPBoost
    >>> from hazboost.report import find_flags
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 2))
    >>> event, time = rng.random(600) < 0.7, rng.weibull(1.5, 600)
    >>> X[:, 1] = -np.log(time)  # a feature that is made from the outcome
    >>> model = FPBoost(n_estimators=20, random_state=0).fit(X[:400], (event[:400], time[:400]))
    >>> flags = find_flags(model, X[400:], (event[400:], time[400:]))
    >>> flags[0].name, flags[0].severity, flags[0].details
    ('leak', 'serious', (('x1', 'concordance index of 1.00 alone'),))
    """
    evidence = read_judged(model, X, y, X_train, y_train, groups)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return raise_flags(evidence)[0]
