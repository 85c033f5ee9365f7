"""How the page was made."""

from __future__ import annotations

import platform
from datetime import UTC, datetime
from importlib import metadata

from hazboost.report.html import Html, section, table
from hazboost.report.judged import Judged
from hazboost.report.words import count
from hazboost.utils.versions import own_version

PACKAGES = ("numpy", "scipy", "scikit-learn", "xgboost", "matplotlib")


def making_section(evidence: Judged) -> Html:
    """The section."""
    rows = [
        ("made", f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"),
        ("hazboost", own_version()),
        ("Python", platform.python_version()),
        *((name, version) for name in PACKAGES if (version := _version(name))),
        ("training rows", "not given" if evidence.train is None else f"{len(evidence.train):,} given"),
        ("evaluation rows", f"{len(evidence.test):,}, of which {count(len(evidence.judged), 'row')} were judged"),
        ("seed of draws and bootstrap samples", str(evidence.seed)),
    ]
    return section(
        "making", "How this page was made", table("Software and data", ("what", "which"), rows, numbers=False)
    )


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
