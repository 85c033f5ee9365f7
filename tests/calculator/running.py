"""The JavaScript of a calculator, run by Node.js on many rows."""

from __future__ import annotations

import json
import shutil
import subprocess

import numpy as np

from hazboost.calculator.encoding import encode_model
from hazboost.calculator.page import model_script

NODE = shutil.which("node")
#: Reads {"model", "rows", "times", "tau"} and writes what is predicted; infinity is null there.
PROGRAM = """
const given = JSON.parse(require("fs").readFileSync(0, "utf8")), model = readModel(given.model);
console.log(JSON.stringify(given.rows.map((row) => predictAll(model, row, given.times, given.tau))));
"""
PREDICT_ALL = """
function predictAll(model, row, times, tau) {
  const distribution = model.predict(row.map((value) => (value === null ? NaN : value)));
  const { survival, incidences, restrictedMean, median } = distribution;
  return [times.map(survival), incidences(times), restrictedMean(tau), median()];
}
"""


def without_nan(encoded):
    return [[None if np.isnan(value) else value for value in row] for row in np.asarray(encoded, dtype=float).tolist()]


def run_node(program, given):
    ended = subprocess.run([NODE, "-e", program], input=json.dumps(given), capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr[-2000:]
    return json.loads(ended.stdout)


def predict_in_node(model, encoded, times):
    """Survival, incidences, restricted means and medians by the JavaScript."""
    given = {
        "model": encode_model(model.model_, encoded.shape[1]),
        "rows": without_nan(encoded),
        "times": np.asarray(times).tolist(),
        "tau": float(model.model_.longest),
    }
    return as_arrays(run_node(f'"use strict";{model_script()}{PREDICT_ALL}{PROGRAM}', given))


def as_arrays(predicted):
    """One array for each quantity."""
    survival, incidence, mean, median = zip(*predicted, strict=True)
    medians = np.array([np.inf if one is None else one for one in median])
    return np.array(survival), np.array(incidence), np.array(mean), medians


def predict_in_python(model, X, times):
    """The same by the library."""
    incidence = model.predict_cumulative_incidence_function(X, times=times)
    return (
        model.predict_survival_function(X, times=times),
        incidence if incidence.ndim == 3 else incidence[:, None],
        model.predict_rmst(X),
        model.predict_median(X),
    )


def largest_errors(found, expected):
    """Of probabilities absolute ones, of times relative ones."""
    survival, incidence = (float(np.abs(one - other).max()) for one, other in zip(found[:2], expected[:2], strict=True))
    mean = float(np.abs(found[2] / expected[2] - 1.0).max())
    same = np.isinf(found[3]) & np.isinf(expected[3])
    with np.errstate(invalid="ignore"):
        median = float(np.where(same, 0.0, np.abs(found[3] / expected[3] - 1.0)).max())
    return {"survival": survival, "incidence": incidence, "rmst": mean, "median": median}
