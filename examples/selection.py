"""What a fit chooses by cross-validation
======================================

The choice of the ridge of the linear start and of the number of rounds, on GBSG2.

Run ``python examples/selection.py``; the figure is written to ``demo/``.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
from sksurv.datasets import load_gbsg2

from hazboost import FPBoost
from hazboost.plots import plot_selection

# A backend without windows, so that the example runs on servers.
mpl.use("Agg")


def main(argv: Sequence[str] | None = None) -> None:
    """Fit, and draw the held-out losses of the cross-validation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("demo"), help="folder for the figure")
    folder = parser.parse_args(argv).output
    folder.mkdir(parents=True, exist_ok=True)
    model = FPBoost(random_state=0)
    axes = plot_selection(model.fit(*load_gbsg2()))
    axes[0].figure.savefig(folder / "selection.png", dpi=150)
    print(f"ridge {model.ridge_:g}, {model.n_estimators_} rounds: {folder / 'selection.png'}")


if __name__ == "__main__":
    main()
