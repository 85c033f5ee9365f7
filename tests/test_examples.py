"""The examples run, and the README and the documentation say what is true."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt

from hazboost import plots

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
    return [float(word) for word in line.removeprefix(label).split() if word != "±"]


def test_demo(tmp_path, capsys):
    load_example("demo").main(["--output", str(tmp_path / "new"), "--splits", "2"])
    printed = capsys.readouterr().out
    scores = {
        name: printed_numbers(printed, name)
        for name in (
            "FPBoost",
            "Random survival forest",
            "the same, leaf size chosen",
            "Cox regression",
            "Kaplan-Meier (no features)",
        )
    }
    own_c_index, own_brier = scores.pop("FPBoost")
    assert own_c_index > 60.0
    for c_index, brier, lead, _, brier_lead, _ in scores.values():
        assert 49.0 < c_index < 80.0
        assert 10.0 < brier < 25.0
        assert lead == pytest.approx(own_c_index - c_index, abs=0.11)  # scores are printed with one digit
        assert brier_lead == pytest.approx(brier - own_brier, abs=0.11)
    assert own_brier < scores["Kaplan-Meier (no features)"][1]
    for name in ("survival", "anatomy", "calibration"):
        path = tmp_path / "new" / f"{name}.png"
        assert path.read_bytes().startswith(PNG)
        assert str(path) in printed
    for name in ("report", "calculator"):
        path = tmp_path / "new" / f"{name}.html"
        assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
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


def print_of_kind(name, folder, capsys, monkeypatch):
    """What an example on a kind of data prints; it must have written its figure."""
    monkeypatch.syspath_prepend(ROOT / "examples")
    load_example(name).main(["--output", str(folder)])
    printed = capsys.readouterr().out
    path = folder / f"{name}.png"
    assert path.read_bytes().startswith(PNG)
    assert str(path) in printed
    return printed


@pytest.mark.parametrize(
    ("name", "labels", "tolerance"),
    [
        ("delayed_entry", ["women", "men"], 0.065),
        ("competing_risks", ["circulation, 80 years and older"], 0.05),
        ("recurrent_events", ["old treatment", "new treatment"], 0.2),
    ],
)
def test_examples_on_kinds_agree_with_what_was_seen(name, labels, tolerance, tmp_path, capsys, monkeypatch):
    """And who ignores the kind is much further away."""
    printed = print_of_kind(name, tmp_path / "new", capsys, monkeypatch)
    for label in labels:
        observed, fitted, ignorant = printed_numbers(printed, label)
        assert abs(fitted - observed) < tolerance
        assert abs(ignorant - observed) > 1.5 * tolerance


def test_example_on_interval_censoring(tmp_path, capsys, monkeypatch):
    """Who takes the day on which a tumour was found for its beginning mistakes which mice are worse off."""
    printed = print_of_kind("interval_censoring", tmp_path, capsys, monkeypatch)
    _, germ_free, found_late = printed_numbers(printed, "germ-free environment")
    _, conventional, conventional_late = printed_numbers(printed, "conventional environment")
    assert germ_free > conventional
    assert found_late < conventional_late


def test_example_on_changing_covariates(tmp_path, capsys, monkeypatch):
    """A new heart seems to work wonders where the time of waiting for it is ignored."""
    printed = print_of_kind("changing_covariates", tmp_path, capsys, monkeypatch)
    waiting, never = printed_numbers(printed, "waiting all along")
    operated, always = printed_numbers(printed, "new heart on day 60")
    assert abs(operated - waiting) < 0.1
    assert always - never > 0.3


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


def test_code_of_the_page_on_kinds_runs():
    """The blocks build on each other."""
    names = {}
    for block in python_blocks("docs/kinds.md"):
        exec(compile(block, "docs/kinds.md", "exec"), names)
    assert names["survival"].shape == (5, 3)
    assert (names["incidence"].sum(axis=1) <= 1.0).all()
    assert 0.5 < names["discrimination"] < 1.0


def test_code_of_the_page_on_explanations_runs(capsys):
    """The blocks build on each other."""
    names = {}
    for block in python_blocks("docs/explaining.md"):
        exec(compile(block, "docs/explaining.md", "exec"), names)
    why = names["why"]
    assert names["np"].allclose(why.base + why.values.sum(axis=-1), why.prediction, atol=1e-9)
    assert names["kept"][0]


def test_code_of_the_page_on_plots_runs():
    """The blocks build on each other, and every display is shown."""
    names, blocks = {}, python_blocks("docs/plots.md")
    for block in blocks:
        exec(compile(block, "docs/plots.md", "exec"), names)
        plt.close("all")
    shown = [name for name in plots.__all__ if name.endswith("Display")]
    assert all(f"plots.{name}.from_estimator" in "".join(blocks) for name in shown)
    assert set(names["by_therapy"].predicted) == {"no", "yes"}


def test_displays(tmp_path, capsys, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    load_example("displays").main(["--output", str(tmp_path)])
    printed = capsys.readouterr().out
    page = (ROOT / "docs" / "plots.md").read_text(encoding="utf-8")
    for name in re.findall(r'src="figures/plots/(\w+\.png)"', page):
        assert (tmp_path / "plots" / name).read_bytes().startswith(PNG)
        assert name in printed


def test_code_on_batches_runs():
    """The blocks on batches build on each other, and both ways of reading give the same model."""
    names, models = {}, []
    for block in [block for block in python_blocks("docs/large-data.md") if "fit_batches" in block]:
        exec(compile(block, "docs/large-data.md", "exec"), names)
        models.append(names["model"].predict(next(iter(names["batches"])).X).tolist())
    assert models[0] == models[1]


def test_code_of_the_page_on_model_files_runs(tmp_path, monkeypatch, capsys):
    """What is read without the library is what its models add to their starts."""
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in python_blocks("docs/model-file.md"):
        exec(compile(block, "docs/model-file.md", "exec"), names)
    inside = names["loaded"].model_
    starts = [start.margin(np.zeros((1, 2))) for start in inside.starts]
    assert len(starts) > 1
    scores = inside.mixture.join_models([start + trees for start, trees in zip(starts, names["trees"], strict=True)])
    assert inside.scores(np.zeros((1, 2))) == pytest.approx(scores, abs=1e-6)


def test_code_of_the_page_on_calculators_runs(tmp_path, monkeypatch):
    """The blocks build on each other."""
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in python_blocks("docs/calculator.md"):
        exec(compile(block, "docs/calculator.md", "exec"), names)
    assert "About the patient" in (tmp_path / "calculator.html").read_text(encoding="utf-8")
    assert names["frame"].startswith('<iframe srcdoc="&lt;!doctype html&gt;')


def test_code_of_the_page_on_summaries_runs(capsys):
    names, (block,) = {}, python_blocks("docs/summary.md")
    exec(compile(block, "docs/summary.md", "exec"), names)
    printed = capsys.readouterr().out
    text = (ROOT / "docs" / "summary.md").read_text(encoding="utf-8")
    described = re.findall(r"^\| ([A-Z][^|]*?) \|", text, re.MULTILINE)
    assert re.findall(r"^([A-Z][a-z ]*)(?: \(|$)", printed, re.MULTILINE) == described


def test_code_of_the_page_on_onnx_runs(tmp_path, monkeypatch, capsys):
    pytest.importorskip("onnxruntime")
    monkeypatch.chdir(tmp_path)
    (block,) = python_blocks("docs/onnx.md")
    exec(compile(block, "docs/onnx.md", "exec"), {})


def test_example_of_the_readme_prints_what_it_promises(capsys):
    exec(compile(python_blocks("README.md")[0], "README.md", "exec"), {})
    printed = capsys.readouterr().out
    (shown,) = re.findall(r"^```text\n(.*?)^```", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    words, scores = r"[A-Za-z]\w*", r"0\.\d\d\b"
    assert re.findall(words, printed) == re.findall(words, shown)
    # Numbers depend a little on the version of XGBoost.
    numbers = [float(number) for number in re.findall(scores, printed)]
    assert numbers == pytest.approx([float(number) for number in re.findall(scores, shown)], abs=0.05)
    assert len(numbers) == 3


@pytest.mark.parametrize("number", range(len(python_blocks("docs/tuning.md"))))
def test_code_of_the_tuning_page_runs(number, capsys):
    code = re.sub(r"n_trials=\d+", "n_trials=1, cv=2", python_blocks("docs/tuning.md")[number])  # more are for minutes
    exec(compile(code, "docs/tuning.md", "exec"), {})
    plt.close("all")


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md"])
def test_links_lead_somewhere(document):
    text = (ROOT / document).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text) + re.findall(r'src="([^"]+)"', text)
    missing = [link for link in links if "://" not in link and not ((ROOT / document).parent / link).exists()]
    assert links
    assert not missing


#: Names of the models in the README and in the results of the accuracy study.
RANKED = {
    "**FPBoost()**": "fpboost",
    "XGBoost AFT": "xgb_aft",
    "ridge Cox, cross-validated": "cox_ridge",
    "Coxnet, cross-validated": "coxnet",
    "log-logistic regression": "loglogistic_aft",
    "Weibull regression": "weibull_aft",
    "XGBoost Cox": "xgb_cox",
    "random survival forest": "rsf",
    "gradient boosting (scikit-survival)": "gbsa",
}


def test_ranks_in_the_readme_are_those_of_the_committed_report():
    report = (ROOT / "benchmarks" / "results" / "accuracy" / "report.md").read_text(encoding="utf-8")
    ranks = {
        name: (c, brier)
        for name, c, brier in re.findall(r"^\| (\w+) \| ([\d.]+) \(.*?\| ([\d.]+) \(", report, re.MULTILINE)
    }
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"\| ([^|\n]+) \| \**([\d.]+)\** \| \**([\d.]+)\** \|", readme)
    shown = [(RANKED[name], c, brier) for name, c, brier in rows if name in RANKED and float(c) < 10.0]
    assert {name for name, _, _ in shown} == set(ranks) == set(RANKED.values())
    assert len(shown) == len(ranks)
    for name, c, brier in shown:
        assert (c, brier) == ranks[name], name
    said = re.search(
        r"([\d.]+) in concordance \(the next has ([\d.]+)\) and ([\d.]+) in Brier\s+score \(the next has ([\d.]+)\)",
        readme,
    )
    assert said is not None
    best = [sorted((pair[score] for pair in ranks.values()), key=float)[:2] for score in (0, 1)]
    assert list(said.groups()) == [rank for pair in best for rank in pair]
