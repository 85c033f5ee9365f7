import numpy as np
import pandas as pd
import pytest

from benchmarks.studies.paper.protocol import PROTOCOL, Protocol, prepare, split_rows


def test_the_numbers_of_the_paper():
    assert (PROTOCOL.test_share, PROTOCOL.validation_share, PROTOCOL.seeds) == (0.2, 0.2, 30)


def test_parts_are_disjoint_and_stratified(make_dataset):
    dataset = make_dataset(1000)
    parts = split_rows(dataset, 3)
    assert sorted(np.concatenate(parts)) == list(range(1000))
    assert [len(rows) for rows in parts] == [640, 160, 200]
    shares = [dataset.y["event"][rows].mean() for rows in parts]
    assert max(shares) - min(shares) < 0.01


def test_the_test_part_is_the_same_for_all_seeds(make_dataset):
    dataset = make_dataset()
    first, again, other = (split_rows(dataset, seed) for seed in (0, 0, 1))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert np.array_equal(first[2], other[2])
    assert not np.array_equal(first[1], other[1])
    assert not np.array_equal(first[2], split_rows(dataset, 0, Protocol(test_seed=7))[2])


def test_a_predefined_test_part_is_kept(make_dataset):
    test = np.arange(200) % 4 == 0
    assert np.array_equal(split_rows(make_dataset(test=test), 0)[2], np.flatnonzero(test))


def test_subjects_are_not_split(make_dataset):
    groups = np.random.default_rng(0).integers(50, size=200)
    dataset = make_dataset(groups=groups)
    dataset.y["event"] = groups % 3 == 0
    subjects = [set(groups[rows]) for rows in split_rows(dataset, 0)]
    assert not (subjects[0] & subjects[1]) | (subjects[0] & subjects[2]) | (subjects[1] & subjects[2])
    shares = [np.mean([subject % 3 == 0 for subject in part]) for part in subjects]
    assert max(shares) - min(shares) < 0.1
    split = prepare(dataset, 0)
    assert [set(part.groups) for part in (split.train, split.validation, split.test)] == subjects


def test_every_row_is_a_subject_of_its_own_where_nothing_is_known(make_dataset):
    assert prepare(make_dataset(), 0).train.groups is None


def test_columns(make_dataset):
    split = prepare(make_dataset(), 0)
    assert split.names == ("number", "flag", "constant", "empty", "colour=red", "colour=green")
    assert split.categorical.tolist() == [False] * 4 + [True] * 2
    for part in (split.train, split.validation, split.test):
        assert part.X.dtype == np.float64
        assert np.isfinite(part.X).all()
        assert set(np.unique(part.X[:, 4:])) == {0.0, 1.0}
        assert not part.X[:, 2:4].any()
    np.testing.assert_allclose(split.train.X[:, :2].mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(split.train.X[:, :2].std(axis=0), 1.0)


def test_preprocessing_sees_the_training_part_only(make_dataset):
    dataset = make_dataset()
    test = split_rows(dataset, 0)[2]
    changed = make_dataset()
    changed.X.loc[test, "number"] = 1e6
    changed.X["colour"] = changed.X["colour"].cat.add_categories("new")
    changed.X.loc[test, "colour"] = "new"
    before, after = prepare(dataset, 0), prepare(changed, 0)
    assert after.names == before.names
    np.testing.assert_array_equal(after.train.X, before.train.X)
    assert not after.test.X[:, 4:].any()


def test_missing_values(make_dataset):
    dataset = make_dataset()
    train = split_rows(dataset, 0)[0]
    split, number, colour = prepare(dataset, 0), dataset.X["number"].iloc[train], dataset.X["colour"].iloc[train]
    missing = number.isna().to_numpy()
    filled = number.fillna(number.median()).to_numpy()
    np.testing.assert_allclose(split.train.X[missing, 0], (number.median() - filled.mean()) / filled.std())
    # Neither of the colours: the paper's 43 columns of FLCHAIN have none for a missing chapter.
    assert np.array_equal(split.train.X[:, 4:].any(axis=1), colour.notna())


def test_time_is_in_units_of_the_longest_training_time(make_dataset):
    dataset = make_dataset()
    train, validation, test = split_rows(dataset, 0)
    split = prepare(dataset, 0)
    assert split.train.time.max() == 1.0
    assert (split.train.time == 0.0).any() or (split.test.time == 0.0).any() or (split.validation.time == 0.0).any()
    for part, rows in ((split.train, train), (split.validation, validation), (split.test, test)):
        np.testing.assert_allclose(part.time * split.unit, dataset.y["time"][rows])
        assert np.array_equal(part.event, dataset.y["event"][rows])


@pytest.mark.parametrize("kind", ["number", "colour"])
def test_one_kind_of_column_is_enough(make_dataset, kind):
    dataset = make_dataset()
    split = prepare(make_dataset(X=dataset.X[[kind]]), 0)
    assert split.test.X.shape == (40, len(split.names))


def test_strings_are_refused(make_dataset):
    with pytest.raises(ValueError, match="could not convert"):
        prepare(make_dataset(X=pd.DataFrame({"text": ["a"] * 200})), 0)
