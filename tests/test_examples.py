"""The examples run, and the README and the documentation say what is true."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt

ROOT = Path(__file__).resolve().parents[1]
PNG = b"\x89PNG"


@pytest.fixture(autouse=True)
def without_display():
    with mpl.rc_context():
        mpl.use("Agg")
        yield


def load_example(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def python_blocks(document):
    """Blocks of Python code in a Markdown file, without the indentation that a list gives them."""
    blocks = re.findall(
        r"^( *)```python\n(.*?)^ *```", (ROOT / document).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    return [re.sub(rf"^{indent}", "", block, flags=re.MULTILINE) for indent, block in blocks]


def printed_numbers(text, label):
    """Numbers in the line that begins with a label."""
    line = next(line for line in text.splitlines() if line.startswith(label))
    return [float(word) for word in line.removeprefix(label).split()]


def test_demo(tmp_path, capsys):
    load_example("demo").main(["--output", str(tmp_path / "new"), "--splits", "1"])
    printed = capsys.readouterr().out
    scores = {
        name: printed_numbers(printed, name)
        for name in ("FPBoost", "Random survival forest", "Cox regression", "Kaplan-Meier (no features)")
    }
    for c_index, brier in scores.values():
        assert 49.0 < c_index < 80.0
        assert 10.0 < brier < 25.0
    assert scores["FPBoost"][0] > 60.0
    assert scores["FPBoost"][1] < scores["Kaplan-Meier (no features)"][1]
    for name in ("survival", "anatomy", "calibration"):
        path = tmp_path / "new" / f"{name}.png"
        assert path.read_bytes().startswith(PNG)
        assert str(path) in printed


def test_universal_approximation(tmp_path, capsys):
    load_example("universal_approximation").main(["--output", str(tmp_path)])
    printed = capsys.readouterr().out
    for label in ("bathtub ", "oscillation", "bathtub, from a million times"):
        errors = printed_numbers(printed, label)
        assert errors == sorted(errors, reverse=True)
    path = tmp_path / "universal_approximation.png"
    assert path.read_bytes().startswith(PNG)
    assert str(path) in printed


def test_selection(tmp_path, capsys):
    load_example("selection").main(["--output", str(tmp_path)])
    path = tmp_path / "selection.png"
    assert path.read_bytes().startswith(PNG)
    assert str(path) in capsys.readouterr().out


@pytest.mark.parametrize("number", range(len(python_blocks("README.md"))))
def test_code_of_the_readme_runs(number, capsys):
    exec(compile(python_blocks("README.md")[number], "README.md", "exec"), {})


def test_code_of_the_page_on_metrics_runs():
    """The blocks build on each other."""
    names = {}
    for block in python_blocks("docs/metrics.md"):
        exec(compile(block, "docs/metrics.md", "exec"), names)
    assert 0.6 < names["discrimination"] < 1.0
    assert 0.0 < names["brier"] < 0.25
    assert names["test"].p_value > 0.001
    assert (names["scores"] < 0.0).all()


def test_example_of_the_readme_prints_what_it_promises(capsys):
    exec(compile(python_blocks("README.md")[0], "README.md", "exec"), {})
    printed = capsys.readouterr().out
    assert 0.6 < float(re.search(r"C-index (\S+)", printed)[1]) < 0.8
    assert "weibull_1" in printed


@pytest.mark.parametrize("number", range(len(python_blocks("docs/tuning.md"))))
def test_code_of_the_tuning_page_runs(number, capsys):
    code = re.sub(r"n_trials=\d+", "n_trials=1, cv=2", python_blocks("docs/tuning.md")[number])  # more are for minutes
    exec(compile(code, "docs/tuning.md", "exec"), {})
    plt.close("all")


@pytest.mark.parametrize("number", range(len(python_blocks("docs/architecture.md"))))
def test_code_in_the_architecture_is_the_code(number):
    path, _, code = python_blocks("docs/architecture.md")[number].partition("\n")
    assert code.strip() in (ROOT / path.removeprefix("# ")).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "document", ["README.md", "CONTRIBUTING.md", "docs/architecture.md", "docs/metrics.md", "docs/tuning.md"]
)
def test_links_lead_somewhere(document):
    text = (ROOT / document).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text) + re.findall(r'src="([^"]+)"', text)
    missing = [link for link in links if "://" not in link and not ((ROOT / document).parent / link).exists()]
    assert links
    assert not missing


def test_architecture_names_every_module():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    modules = {path.name for path in (ROOT / "src" / "hazboost").glob("*.py")}
    packages = {f"{path.parent.name}/" for path in (ROOT / "src" / "hazboost").glob("*/__init__.py")}
    assert {name for name in modules | packages if name not in text} == set()
