"""Tables with and without pandas."""

import sys

import numpy as np
import pandas as pd
import pytest

from hazboost import FPBoost
from hazboost.utils.tables import make_table

COLUMNS = {"subject": np.array([0, 1]), "head": np.array(["a", "b"], dtype=object), "w": np.array([0.5, np.nan])}


class RefusePandas:
    """A finder of modules on a machine without pandas."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] == "pandas":
            raise ModuleNotFoundError("No module named 'pandas'", name="pandas")


def uninstall_pandas(monkeypatch):
    """Neither imported nor to be found: None in ``sys.modules`` is not the same for scikit-learn 1.6."""
    monkeypatch.delitem(sys.modules, "pandas")
    monkeypatch.setattr(sys, "meta_path", [RefusePandas, *sys.meta_path])


@pytest.fixture
def no_pandas(monkeypatch):
    uninstall_pandas(monkeypatch)


def test_a_table_is_a_data_frame():
    pd.testing.assert_frame_equal(make_table(COLUMNS), pd.DataFrame(COLUMNS))


def test_without_pandas_a_table_has_the_same_columns(no_pandas):
    table = make_table(COLUMNS)
    assert table.dtype.names == tuple(COLUMNS)
    for name, column in COLUMNS.items():
        np.testing.assert_array_equal(table[name], column)
        assert table[name].dtype == column.dtype


def test_the_estimators_tables_are_the_same_without_pandas(monkeypatch):
    X = np.arange(40.0)[:, None]
    model = FPBoost(n_estimators=2, init="marginal").fit(X, (np.ones(40), np.arange(1.0, 41.0)))
    frames = model.predict_parameters(X), model.head_contributions(X, [1.0, 5.0])
    uninstall_pandas(monkeypatch)
    records = model.predict_parameters(X), model.head_contributions(X, [1.0, 5.0])
    for frame, record in zip(frames, records, strict=True):
        assert tuple(frame.columns) == record.dtype.names
        for name in frame.columns:
            np.testing.assert_array_equal(frame[name].to_numpy(), record[name])


def test_fitting_and_predicting_need_no_pandas(no_pandas):
    X = np.arange(40.0)[:, None]
    model = FPBoost(n_estimators=2, init="marginal").fit(X, (np.ones(40), np.arange(1.0, 41.0)))
    assert np.isfinite(model.predict(X)).all()
