import numpy as np
import pytest
import xgboost as xgb
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from hazboost import FPBoost
from hazboost.engines import ExactEngine, LocalEngine
from hazboost.engines.exact import MOST_ROWS, lower_ends

SETTINGS = {"tree_method": "exact", "max_bin": 256, "max_depth": 2, "learning_rate": 0.5, "nthread": 1}


def grown(kind, X, rounds=3, **settings):
    """An engine and trees for two scores, fitted to numbers that depend on the features only."""
    engine = kind({**SETTINGS, **settings}, 2)
    train = engine.matrix(X, np.zeros((len(X), 2)), {"lower": np.ones(len(X))})
    trees = engine.no_trees(train)
    targets = np.column_stack([np.sin(3.0 * X[:, 0]) + X[:, 1], X[:, 0] * X[:, 1]])
    for _ in range(rounds):
        trees = engine.grow(trees, train, engine.scores(trees, train) - targets, np.ones_like(targets))
    return engine, engine.truncate(trees, rounds), train


def scores(engine, trees, X):
    return engine.scores(trees, engine.matrix(X, np.zeros((len(X), 2))))


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("decimals", [1, 8])
def test_trees_are_those_of_the_exact_search(depth, decimals):
    """With many values and with few. The first split is the same for new rows, between the values of training, too."""
    rng = np.random.default_rng(0)
    X, new = (np.round(rng.normal(size=(400, 3)), decimals) for _ in range(2))
    fast, slow = (grown(kind, X, max_depth=depth)[:2] for kind in (ExactEngine, LocalEngine))
    np.testing.assert_allclose(scores(*fast, X), scores(*slow, X), rtol=1e-5, atol=1e-6)
    if depth == 1:
        np.testing.assert_allclose(scores(*fast, new), scores(*slow, new), rtol=1e-5, atol=1e-6)


def test_scores_in_training_are_those_of_the_finished_trees():
    """Values stand at the lower ends of their bins while trees grow, and as they are afterwards."""
    X = np.random.default_rng(1).normal(size=(300, 2))
    engine, trees, train = grown(ExactEngine, X)
    np.testing.assert_allclose(engine.scores(trees, train), scores(engine, trees, X), rtol=1e-6)


@given(
    hnp.arrays(
        np.float64,
        st.tuples(st.integers(1, 30), st.integers(1, 3)),
        elements=st.floats(-(2.0**99), 2.0**99, width=32),
    )
)
def test_lower_ends_lie_between_a_value_and_the_one_below(X):
    ends = lower_ends(X)
    for column, end in zip(X.T.astype(np.float32), ends.T, strict=True):
        values, first = np.unique(column, return_index=True)
        assert (end[first] <= values).all()
        assert (end[first][1:] > values[:-1]).all()
        np.testing.assert_array_equal(end[first][np.searchsorted(values, column)], end)  # equal values stay equal


def test_histograms_are_used_only_where_they_are_exact_and_fast():
    engine = ExactEngine(SETTINGS, 2)

    def matrix(X):
        return engine.matrix(X, np.zeros((len(X), 2)), {"lower": np.ones(len(X))})

    whole, broken = np.arange(8.0).reshape(4, 2), np.array([[0.0, np.nan], [1.0, 2.0]])
    assert isinstance(matrix(whole), xgb.QuantileDMatrix)
    assert not isinstance(matrix(broken), xgb.QuantileDMatrix)
    assert not isinstance(matrix(np.zeros((MOST_ROWS + 1, 1))), xgb.QuantileDMatrix)
    assert isinstance(engine.no_trees(matrix(broken)), xgb.Booster)


def test_the_published_algorithm_finds_all_splits(metabric, monkeypatch):
    X, y = metabric.filter(like="x").to_numpy()[:500], (metabric["event"][:500], metabric["time"][:500])
    model = FPBoost.paper(n_estimators=10, max_depth=2, random_state=0)
    fast = model.fit(X, y).predict(X)
    monkeypatch.setattr("hazboost.estimator.ExactEngine", LocalEngine)
    np.testing.assert_allclose(fast, model.fit(X, y).predict(X), rtol=1e-6)
