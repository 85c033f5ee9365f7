"""Where results and reports are kept: in the repository, wherever the command is run."""

from __future__ import annotations

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
#: One folder for each study.
RESULTS = REPOSITORY / "benchmarks" / "results"
DOCS = REPOSITORY / "docs"
