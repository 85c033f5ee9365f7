"""The documentation site: every page is found, every public name has its place, links lead somewhere, code runs."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest
from matplotlib import pyplot as plt

import hazboost
from hazboost import dask, datasets, explain, metrics, plots, tuning

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
#: What `make docs` writes into the folder.
BUILT = {"api", "gallery"}
PAGES = sorted(
    page
    for page in [*DOCS.rglob("*.md"), *DOCS.rglob("*.rst")]
    if not {part for part in page.relative_to(DOCS).parts if part in BUILT or part.startswith("_")}
)


def load(path):
    spec = importlib.util.spec_from_file_location(Path(path).stem, DOCS / path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


TEXT, LINKS, TUTORIAL = load("_extensions/page_text.py"), load("check_links.py"), load("make_tutorial.py")


def name_of(page):
    return page.relative_to(DOCS).with_suffix("").as_posix()


# Structure


def test_every_page_is_in_one_table_of_contents():
    entries = [
        page.parent / re.sub(r".*<(.*)>", r"\1", line)
        for page in PAGES
        for block in re.findall(r"```\{toctree\}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
        for line in block.split("\n")
        if line and not line.startswith(":")
    ]
    listed = [name_of(entry.resolve()) for entry in entries if entry.with_suffix(".md").exists()]
    assert sorted(listed) == sorted({name_of(page) for page in PAGES} - {"index", "api"})


@pytest.mark.parametrize("module", [hazboost, metrics, explain, plots, tuning, datasets, dask])
def test_the_reference_has_every_public_name(module):
    reference = (DOCS / "api.rst").read_text(encoding="utf-8")
    sections = re.findall(r"module:: (\S+)\n(.*?)(?=module::|\Z)", reference, re.DOTALL)
    listed = {f"{name}.{entry}" for name, text in sections for entry in re.findall(r"^   (\w+)$", text, re.MULTILINE)}
    public = {f"{module.__name__}.{name}" for name in module.__all__ if not name.startswith("__")}
    assert public - listed <= {"hazboost.tuning.tune"}, "which is hazboost.tune"


# Links


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_of_pages_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text) + re.findall(r'src="([^"]+)"', text)
    links += re.findall(r"```\{include\} (\S+)", text)
    assert links or page.stem in {"api", "glossary", "messages", "tables"}
    links = [link for link in links if "://" not in link and link != "gallery/index.rst"]  # which is built
    assert not [link for link in links if not (page.parent / link).exists()]


@pytest.mark.parametrize(
    ("file", "page", "link", "expected"),
    [
        ("docs/kinds.md", "kinds", "metrics.md#definitions", "metrics.md#definitions"),
        ("docs/kinds.md", "kinds", "../CONTRIBUTING.md#style", "contributing.md#style"),
        ("docs/kinds.md", "kinds", "../src/hazboost/data/surv.py", "source:src/hazboost/data/surv.py"),
        ("docs/kinds.md", "kinds", "missing.md", "missing.md"),
        ("docs/kinds.md", "kinds", "https://optuna.org", "https://optuna.org"),
        ("CONTRIBUTING.md", "contributing", "docs/tuning.md", "tuning.md"),
        (
            "benchmarks/results/accuracy/report.md",
            "benchmarks/accuracy-results",
            "ranks.svg",
            "../../benchmarks/results/accuracy/ranks.svg",
        ),
    ],
)
def test_links_on_the_site_lead_where_they_do_in_the_repository(file, page, link, expected):
    redirected = TEXT.redirect(f"see [this]({link}).", ROOT / file, page, TEXT.included_files())
    assert redirected == f"see [this]({expected})."


def test_code_of_two_packages_stands_side_by_side():
    ours, theirs = "**hazboost**\n\n```python\nb\n```", "**other**\n\n```py\na\n```"
    page = TEXT.translate(f"Text.\n\n{theirs}\n\n{ours}\n\nMore.")
    assert page.count(":::{grid-item}") == 2
    assert page.index(theirs) < page.index(ours) < page.index("More.")


def test_arrows_of_a_diagram_become_a_table():
    assert "| `dask` | `data`, `engines` |" in TEXT.translate("```mermaid\ngraph TD\n    dask --> data & engines\n```")


def test_broken_links_of_the_built_site_are_found(tmp_path):
    (tmp_path / "good.html").write_text('<h1 id="top">A</h1><a href="#top">top</a><a href="https://a.org/b">b</a>')
    (tmp_path / "bad.html").write_text('<a href="good.html#low">a</a><img src="no.png"><a href="../out.html">c</a>')
    assert LINKS.find_faults(tmp_path) == [
        "bad.html: ../out.html: leads out of the site",
        "bad.html: good.html#low: there is no such anchor",
        "bad.html: no.png: there is no such file",
    ]


# Code


def words_and_numbers(text):
    """What is printed, as words in any order, and numbers in their order."""
    parts = re.findall(r"[+-]?\d+(?:\.\d+)?|[^\d\s+-]+", text)
    numbers = [float(part) for part in parts if part[-1].isdigit()]
    return sorted(part for part in parts if not part[-1].isdigit()), numbers


def test_the_tutorial_prints_and_draws_what_it_shows():
    """Numbers depend a little on the version of XGBoost."""
    steps = list(TUTORIAL.run_page(TUTORIAL.PAGE.read_text(encoding="utf-8")))
    for step in steps:
        words, numbers = words_and_numbers(step.printed)
        shown_words, shown_numbers = words_and_numbers(step.shown)
        assert words == shown_words, step.code
        assert numbers == pytest.approx(shown_numbers, rel=0.15, abs=0.15), step.code
        assert len(step.images) == len(step.figures), step.code
        assert all((DOCS / image).exists() for image in step.images)
    assert sum(len(step.images) for step in steps) == 4


def run_blocks(page, language):
    """Run the blocks of a page, which build on each other, and return their names."""
    names = {}
    for block in re.findall(rf"^```{language}\n(.*?)^```", (DOCS / page).read_text("utf-8"), re.MULTILINE | re.DOTALL):
        exec(compile(block, page, "exec"), names)
    plt.close("all")
    return names


@pytest.fixture
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plt.switch_backend("Agg")


def test_code_of_the_page_on_competing_risks_runs(in_folder, capsys):
    names = run_blocks("competing-risks.md", "python")
    assert names["if_nobody_died"].mean() > names["one"][:, 2].mean() + 0.1
    assert names["discrimination"] > 0.65


def test_code_of_the_page_on_deploying_runs(in_folder, capsys):
    (old, young), seen = (
        run_blocks("deploying.md", "python")["answer"]([{"stage": "III", "age": 71.0}, {"stage": "I", "age": 50.0}]),
        capsys.readouterr().out,
    )
    assert all(one < other for one, other in zip(old, young, strict=True))
    assert seen


@pytest.mark.parametrize("page", ["scikit-survival", "lifelines", "xgboost"])
def test_code_of_both_packages_runs_and_finds_much_the_same(page, in_folder):
    ours, theirs = (run_blocks(f"migrating/{page}.md", language) for language in ("python", "py"))
    if page == "xgboost":
        order = theirs["median"].argsort()
        assert ours["median"][order[:100]].mean() < ours["median"][order[-100:]].mean()
    else:
        assert ours["c_index"] > theirs["c_index"] - 0.05


@pytest.mark.parametrize("page", ["fpboost", "r-survival"])
def test_our_code_for_those_who_come_from_elsewhere_runs(page, in_folder):
    names = run_blocks(f"migrating/{page}.md", "python")
    assert names["model"].score(names["X"], names["y"]) > 0.5
