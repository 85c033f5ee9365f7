import numpy as np
import pytest

from hazboost.utils.random_states import as_random_state, as_seed


@pytest.mark.parametrize("seed", [0, 7, np.int32(7), 2**32 - 1])
def test_a_whole_number_is_its_own_seed(seed):
    assert as_seed(seed) == int(seed)
    assert type(as_seed(seed)) is int


def test_other_seeds_are_drawn():
    source = np.random.RandomState(3)
    first, second = as_seed(source), as_seed(source)
    assert first != second
    assert first == as_seed(np.random.RandomState(3))


@pytest.mark.parametrize("read", [as_random_state, as_seed])
@pytest.mark.parametrize(
    "given", [np.random.default_rng(0), -1, 2**32, 1.5, "0"], ids=["generator", "negative", "large", "float", "text"]
)
def test_what_is_no_seed_is_named(read, given):
    with pytest.raises(ValueError, match="random_state must be a whole number from 0 to 4294967295"):
        read(given)
