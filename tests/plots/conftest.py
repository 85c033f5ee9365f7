"""Figures of tests are drawn in memory, and closed."""

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt


@pytest.fixture(autouse=True)
def without_display():
    with mpl.rc_context():
        mpl.use("Agg")
        yield
        plt.close("all")
