"""What docs/architecture.md and CONTRIBUTING.md say about the code is true."""

from __future__ import annotations

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name, walk_packages

import pytest

import hazboost
from hazboost.hazards.heads import HEADS

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "hazboost"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
#: Functions with more than eight arguments: they have one for each parameter that a user may set.
MANY_ARGUMENTS = {"hazboost.estimator.FPBoost.__init__", "hazboost.tuning.search.tune"}


def folder(module: str) -> str:
    return module.split(".")[1]


def imports_between_folders() -> set[tuple[str, str]]:
    """Pairs of folders of which one imports the other, anywhere in a file, type-only imports included."""
    found = set()
    for path in SOURCE.rglob("*.py"):
        importer = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("hazboost."):
                found.add((importer, folder(node.module)))
    return {(one, other) for one, other in found if one not in (other, "__init__") and other != "utils"}


def test_diagram_has_exactly_the_imports_of_the_code():
    diagram = re.search(r"```mermaid\ngraph TD\n(.*?)```", PAGE, re.DOTALL)[1]
    drawn = set()
    for line in diagram.strip().splitlines():
        importer, targets = line.split("-->")
        drawn |= {(importer.strip(), target.strip()) for target in targets.split("&")}
    assert drawn == imports_between_folders()


def test_every_folder_is_in_the_table():
    folders = {path.name + "/" for path in SOURCE.iterdir() if (path / "__init__.py").exists()}
    modules = {path.name for path in SOURCE.glob("*.py")} - {"__init__.py"}
    assert set(re.findall(r"^\| `([^`]+)` \|", PAGE, re.MULTILINE)) == folders | modules


def test_docstrings_and_comments_refer_to_what_exists():
    """In backticks, and in lists of what to see also."""
    missing = []
    for path in SOURCE.rglob("*.py"):
        for name in re.findall(r"(?m)(?:`|^ +)(hazboost(?:\.\w+)+)(?:`| : )", path.read_text(encoding="utf-8")):
            try:
                resolve_name(name)
            except (ImportError, AttributeError):
                missing.append((path.relative_to(SOURCE).as_posix(), name))
    assert not missing


def test_algorithm_1_fits_on_one_screen():
    assert len((SOURCE / "boosting" / "algorithm.py").read_text(encoding="utf-8").splitlines()) < 100


def functions():
    for _, name, _ in walk_packages(hazboost.__path__, "hazboost."):
        module = import_module(name)
        for member in vars(module).values():
            if getattr(member, "__module__", None) != name:
                continue
            if inspect.isfunction(member):
                yield member
            elif inspect.isclass(member):
                yield from (one for one in vars(member).values() if inspect.isfunction(one))


def test_no_function_takes_more_than_eight_arguments():
    """Besides ``self``. Constructors of dataclasses are generated: they take the fields, by name."""
    long = set()
    for function in functions():
        arguments = [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]
        if len(arguments) > 8 and function.__code__.co_filename != "<string>":
            long.add(f"{function.__module__}.{function.__qualname__}")
    assert long == MANY_ARGUMENTS


@pytest.mark.parametrize("name", HEADS)
def test_a_hazard_family_is_a_small_file(name):
    code = inspect.getsource(import_module(type(HEADS[name]).__module__))
    tree = ast.parse(code)
    docstrings = {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node)
        for line in range(node.body[0].lineno, node.body[0].end_lineno + 1)
    }
    lines = [n for n, line in enumerate(code.splitlines(), start=1) if line.strip() and n not in docstrings]
    assert len(lines) <= 30
