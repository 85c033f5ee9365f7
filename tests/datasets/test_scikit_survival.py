import numpy as np

from hazboost.metrics import concordance_index


def test_aids_is_the_endpoint_of_the_paper(load):
    assert load("aids").y["event"].sum() == 96


def test_chapter_is_present_exactly_for_those_who_died(load):
    dataset = load("flchain")
    np.testing.assert_array_equal(dataset.X["chapter"].notna(), dataset.y["event"])
    assert dataset.y["event"].sum() == 2169


def test_chapter_alone_ranks_better_than_any_model_without_it(load):
    dataset = load("flchain")
    present = dataset.X["chapter"].notna().to_numpy(float)
    assert round(concordance_index(dataset.y, present), 3) == 0.912
