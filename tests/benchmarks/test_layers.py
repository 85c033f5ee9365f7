"""Who may import whom."""

import ast

import pytest

from benchmarks.harness.paths import REPOSITORY

BENCHMARKS = REPOSITORY / "benchmarks"
STUDIES = sorted(path.name for path in (BENCHMARKS / "studies").iterdir() if (path / "__init__.py").exists())


def imports(folder):
    """Modules that the files of a folder import."""
    found = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def of(modules, *prefixes):
    return sorted(name for name in modules if name.startswith(prefixes))


def test_the_library_does_not_know_the_benchmarks():
    assert not of(imports(REPOSITORY / "src"), "benchmarks")


def test_the_harness_knows_neither_peers_nor_studies():
    found = imports(BENCHMARKS / "harness")
    assert of(found, "benchmarks.harness")
    assert not of(found, "benchmarks.peers", "benchmarks.studies")


def test_peers_do_not_know_the_studies():
    assert not of(imports(BENCHMARKS / "peers"), "benchmarks.studies")


def test_all_four_studies():
    assert STUDIES == ["accuracy", "kinds", "paper", "speed"]


@pytest.mark.parametrize("study", STUDIES)
def test_studies_do_not_know_one_another(study):
    others = [f"benchmarks.studies.{name}" for name in STUDIES if name != study]
    assert not of(imports(BENCHMARKS / "studies" / study), *others)
