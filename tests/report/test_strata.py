"""Groups of subjects that are compared."""

from __future__ import annotations

import numpy as np
import pandas as pd

from hazboost import FPBoost, Surv
from hazboost.report import evidence
from hazboost.report.judged import read_judged
from hazboost.report.strata import MOST_GROUPS, strata


def test_groups_are_those_of_the_judged_rows_and_the_largest_come_first(monkeypatch):
    monkeypatch.setattr(evidence, "MOST_ROWS", 150)
    rng = np.random.default_rng(0)
    share = np.arange(1, 13) / 78.0
    ward = rng.choice([f"ward {i}" for i in range(12)], 300, p=share)
    X = pd.DataFrame({"age": rng.normal(size=300), "side": rng.integers(3, size=300), "ward": pd.Categorical(ward)})
    y = Surv.right(np.ones(300), rng.exponential(size=300))
    label = rng.choice(["a", "b"], 300, p=[0.3, 0.7])
    judged = read_judged(FPBoost(n_estimators=2, random_state=0).fit(X, y), X, y, groups=label)
    found = strata(judged)
    columns = {"groups": label, "side": X["side"].to_numpy().astype(str), "ward": ward}
    assert list(dict.fromkeys(one.feature for one in found)) == list(columns)
    for name, column in columns.items():
        drawn = column[judged.drawn]
        mine = [one for one in found if one.feature == name]
        for one in mine:
            np.testing.assert_array_equal(one.rows, drawn == one.value)
        counts = np.sort(np.unique(drawn, return_counts=True)[1])[::-1]
        assert [one.rows.sum() for one in mine] == counts[:MOST_GROUPS].tolist()
