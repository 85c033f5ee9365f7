"""The build: what developers and CI call, and the versions that it installs."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml  # a dependency of Optuna

ROOT = Path(__file__).resolve().parents[1]


def run(*command, cwd):
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_import_order_does_not_depend_on_the_output_of_the_demo(tmp_path):
    """Ruff takes any folder in the root for a first-party module, and `make demo` writes to ``demo/``."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "src").symlink_to(ROOT / "src")
    for _ in ("before the demo", "after the demo"):
        result = run(sys.executable, "-m", "ruff", "check", "--no-cache", "--select", "I", "examples", cwd=tmp_path)
        assert result.returncode == 0, result.stdout
        (tmp_path / "demo").mkdir(exist_ok=True)


# Make


def makefile_targets():
    return re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_make_without_a_target_lists_all_of_them():
    listed = run("make", cwd=ROOT).stdout
    assert set(re.findall(r"^  make ([a-z-]+) +\S", listed, re.MULTILINE)) == set(makefile_targets())
    assert {"demo", "test", "test-oldest", "test-newest", "lint", "fix", "figures", "study", "study-quick"} <= set(
        makefile_targets()
    )


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_tests_do_not_lint_and_lint_does_not_test():
    commands = {target: run("make", "--dry-run", target, cwd=ROOT).stdout for target in ("test", "lint")}
    assert "pytest" in commands["test"]
    assert "pytest" not in commands["lint"]
    for tool in ("ruff check", "ruff format --check", "mypy", "codespell", "lint-imports"):
        assert f"bin/{tool}" in commands["lint"]
        assert f"bin/{tool}" not in commands["test"]


# Versions


def pins(file):
    """The pinned versions of each package; there may be one for older and one for newer Python versions."""
    found = {}
    for line in (ROOT / "requirements" / file).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, version = re.fullmatch(r"([\w.-]+)==([\w.]+)(?: ; python_version (?:<|>=) \"3\.12\")?", line).groups()
            found.setdefault(normalised(name), []).append(version)
    return found


def normalised(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def requirements(*extras):
    """Dependencies of hazboost with these extras, by name, with their version specifiers."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    wanted, needed = list(extras), {}
    lines = list(project["dependencies"])
    while wanted:
        lines += project["optional-dependencies"][wanted.pop()]
    while lines:
        name, own_extras, specifier = re.fullmatch(r"([\w.-]+)(?:\[([\w,-]+)\])?(.*)", lines.pop()).groups()
        if name == "hazboost":
            lines += [line for extra in own_extras.split(",") for line in project["optional-dependencies"][extra]]
        else:
            needed[normalised(name)] = specifier
    return needed


def test_every_dependency_of_the_tests_and_the_demo_has_a_pin():
    assert set(requirements("demo", "tune", "datasets", "test")) <= set(pins("constraints.txt")) | set(pins("lint.txt"))


def test_every_dependency_of_the_documentation_has_a_pin():
    files = ("constraints.txt", "lint.txt", "docs.txt")
    assert set(requirements("docs")) <= set().union(*map(pins, files))


def test_no_package_is_pinned_twice():
    names = [name for file in ("constraints.txt", "lint.txt", "docs.txt") for name in pins(file)]
    assert len(names) == len(set(names))


def test_pins_of_a_dependency_are_recent_enough():
    oldest = pins("oldest.txt")
    for name, versions in {**pins("constraints.txt"), **pins("lint.txt")}.items():
        for version in versions if name in oldest else []:
            assert as_numbers(version) >= as_numbers(oldest[name][0]), name


def as_numbers(version):
    return tuple(int(part) for part in version.split("."))


def test_oldest_versions_are_the_lower_bounds():
    lower = {name: re.fullmatch(r"(?:>=|==)([\d.]+)", bound).group(1) for name, bound in requirements("test").items()}
    lower.pop("ruff")  # whose version is that of the linter
    oldest = pins("oldest.txt")
    for name, bound in lower.items():
        length = len(as_numbers(bound))
        assert as_numbers(oldest[name][0]) == as_numbers(bound) + (0,) * (3 - length), name


def test_tools_of_the_linter_have_a_pin():
    assert {"codespell", "import-linter", "mypy", "ruff"} <= set(pins("lint.txt"))


def test_sdist_has_what_the_tests_read():
    with (ROOT / "pyproject.toml").open("rb") as file:
        included = tomllib.load(file)["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert {"/src", "/tests", "/examples", "/benchmarks", "/docs", "/requirements", "/.ci", "/Makefile"} <= set(
        included
    )
    assert all((ROOT / path.removeprefix("/")).exists() for path in included)


# GitHub


@pytest.mark.parametrize("path", sorted((ROOT / ".github").rglob("*.yml")), ids=lambda path: path.name)
def test_forms_and_workflows_are_valid(path):
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    if path.parent.name == "workflows":
        commands = [step["run"] for job in content["jobs"].values() for step in job["steps"] if "run" in step]
        assert commands
        assert {command.removeprefix("make ") for command in commands} <= set(makefile_targets())
    elif path.name != "config.yml":
        assert {"name", "description", "body"} <= set(content)
        identities = [field["id"] for field in content["body"]]
        assert len(identities) == len(set(identities))
        assert all(field["attributes"]["label"] for field in content["body"])


def test_ci_runs_demo_tests_and_lint_in_this_order():
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith("make")] == ["make demo", "make test", "make lint"]
