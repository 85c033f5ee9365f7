"""The page: data, texts, style and scripts in one file."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np

from hazboost.calculator.checks import Options
from hazboost.calculator.encoding import encode_model
from hazboost.calculator.inputs import make_inputs, unused_names
from hazboost.calculator.texts import read_texts
from hazboost.data.cohort import Cohort
from hazboost.prediction.predictor import Predictor
from hazboost.utils.arrays import Array
from hazboost.utils.versions import own_version

#: Scripts, in the order in which they build on each other.
MODEL_SCRIPTS = ("numbers", "trees", "start", "heads", "clipping", "mixture", "integrals", "distribution", "model")
PAGE_SCRIPTS = (
    *("elements", "wording", "outcomes", "inputs", "chart", "people", "table", "contributions"),
    *("state", "form", "sentences", "results", "main"),
)


def calculator_page(
    model: Predictor,
    *,
    title: str | None = None,
    labels: Mapping[str, str] | None = None,
    units: Mapping[str, str] | None = None,
    time_unit: str | tuple[str, float] | None = None,
    events: Mapping[int, str] | None = None,
    language: str = "en",
    texts: Mapping[str, str] | None = None,
) -> str:
    """A web page that computes the predictions of a model in the browser.

    `FPBoost.calculator` writes it to a file, and describes the parameters.

    Parameters
    ----------
    model : FPBoost
        A fitted model.
    title, labels, units, time_unit, events, language, texts
        As for `FPBoost.calculator`.

    Returns
    -------
    str
        A complete HTML document without references to other files. To make it part of another page, give it to an
        ``iframe`` as its ``srcdoc``.

    Examples
    --------
    >>> import numpy as np
    >>> from hazboost import FPBoost
    >>> from hazboost.calculator import calculator_page
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 1))
    >>> y = X[:, 0] > -1.0, rng.weibull(2.0, 100) * np.exp(-X[:, 0])
    >>> model = FPBoost(n_estimators=2, random_state=0).fit(X, y)
    >>> page = calculator_page(model, title="Risk of a relapse", time_unit="years")
    >>> page.startswith("<!doctype html>"), "<title>Risk of a relapse</title>" in page
    (True, True)
    """
    options = Options.checked(model, labels, units, time_unit, events)
    words = read_texts(language, texts)
    title = words["title"] if title is None else str(title)
    data = {
        "title": title,
        "language": language,
        "texts": words,
        "version": own_version(),
        "model": encode_model(model.model_, len(model.cohort_.features)),
        "width": len(model.cohort_.features),
        "inputs": make_inputs(model, options.labels, options.units),
        "unused": unused_names(model, options.labels),
        "events": options.events,
        "time": {"unit": options.unit_name, "length": options.unit_length, **_times(model)},
        "cohort": _encode_cohort(model.cohort_),
    }
    style, script = _asset("page/style.css"), _script()
    parts = {
        "language": escape(language),
        "title": escape(title),
        "noscript": escape(words["noscript"]),
        "style": style,
        "style-hash": policy_hash(style),
        "script": script,
        "script-hash": policy_hash(script),
        "data": as_json(data),
    }
    # In one pass, so that nothing is filled into what was filled in.
    return re.sub(r"\{\{([a-z-]+)\}\}", lambda place: parts[place[1]], _asset("page/page.html"))


def model_script() -> str:
    """The JavaScript of the model, without that of the page."""
    return "\n".join(_asset(f"model/{name}.js") for name in MODEL_SCRIPTS)


def as_json(data: Any) -> str:
    """JSON that may stand inside of a script element: no tag can begin or end in it."""
    written = json.dumps(data, separators=(",", ":"), allow_nan=False)  # in ASCII
    return written.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _script() -> str:
    page = "\n".join(_asset(f"page/{name}.js") for name in PAGE_SCRIPTS)
    return f'"use strict";\n(() => {{\n{model_script()}\n{page}\n}})();'


def _asset(name: str) -> str:
    return files("hazboost.calculator").joinpath("assets", *name.split("/")).read_text(encoding="utf-8")


def policy_hash(text: str) -> str:
    """By what the policy of a page allows this script or style sheet and no other, whatever is in the data."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode('ascii')}"


def _times(model: Predictor) -> dict[str, float]:
    return {"horizon": float(model.model_.horizon), "longest": float(model.model_.longest)}


def _encode_cohort(cohort: Cohort) -> dict[str, Any]:
    """The curves of everybody: what was observed or, where this is not known, what the model expects."""
    observed = bool(np.isfinite(cohort.observed).all())
    return {
        "subjects": cohort.subjects,
        "events": round(float(cohort.events.sum())),
        "observed": observed,
        "times": _rounded(cohort.times),
        "incidence": [_rounded(one) for one in (cohort.observed if observed else cohort.expected)],
    }


def _rounded(values: Array) -> list[float]:
    return [float(f"{one:.6g}") for one in values.tolist()]
