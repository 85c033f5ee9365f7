"""The acceptance test in a browser: ``python -m tests.calculator --rows 10000 --axe axe.min.js``.

It needs ``pip install playwright`` and Chromium. The file ``axe.min.js`` is in the package ``axe-core`` on npm. For the
four models, all predictions of the page are compared with those of the library; then the rules of accessibility are
tested on wide and narrow screens, in light and dark colours, tab stops are visited, and the page is printed.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from playwright.sync_api import sync_playwright

from hazboost import FPBoost
from tests.calculator.browser import Browser
from tests.calculator.models import MODELS, fit, rows
from tests.calculator.running import as_arrays, largest_errors, predict_in_python, without_nan

#: Promised: errors of predictions, milliseconds of an update, and bytes of a page with 200 trees.
LARGEST_ERROR, LONGEST_UPDATE, LARGEST_PAGE = 1e-6, 16.0, 1_000_000
#: Rows that are passed to the browser at a time.
BLOCK = 1_000
EVIL = "</script><script>alert(1)</script>\"'<b>& \U0001f600 \u202eabc \u05e9\u05dc\u05d5\u05dd"


def compare(name, model, browser, n_rows):
    """Largest errors of the page of a model."""
    X, found = rows(name, n_rows), []
    times = model.model_.longest * np.array([0.0, 0.01, 0.1, 0.3, 0.6, 1.0, 1.5])
    encoded = model.model_.schema.encode(X)
    for first in range(0, n_rows, BLOCK):
        given = [without_nan(encoded[first : first + BLOCK]), times.tolist(), float(model.model_.longest)]
        found += browser.predict(*given)
    return largest_errors(as_arrays(found), predict_in_python(model, X, times))


def check_page(name, folder, playwright, options):
    """Everything that is promised of one page; what is wrong, in words."""
    model = fit(name)
    path = folder / f"{name}.html"
    model.calculator(path, time_unit="years")
    with Browser(playwright, options.chromium, path) as browser:
        errors = compare(name, model, browser, options.rows)
        clock, computing = browser.time_updates()
        violations = {mode: browser.violations(options.axe, mode) for mode in ("light", "dark")} if options.axe else {}
        stops, unlabelled = browser.tab_stops()
        keyboard = browser.use_keyboard()
        pages = browser.printed_pages(folder / "page.pdf")
        noise = browser.noise
    size, trees = path.stat().st_size, model.model_.n_trees
    facts = [
        f"{trees} trees, {size / 1000:.0f} kB",
        "largest errors " + ", ".join(f"{what} {error:.1e}" for what, error in errors.items()),
        f"update {computing:.1f} ms of computing, {np.median(clock):.1f} ms of the clock",
        f"{len(stops)} tab stops, {len(unlabelled)} without a label, {pages} printed page",
        f"{sum(map(len, violations.values()))} violations" if options.axe else "accessibility not tested",
        f"{len(noise)} requests and messages",
    ]
    print(f"{name}: {'; '.join(facts)}", flush=True)
    return [
        *(f"{name}: error of {what} is {error}" for what, error in errors.items() if not error <= LARGEST_ERROR),
        *([f"{name}: an update takes {computing} ms"] if computing > LONGEST_UPDATE else []),
        *([f"{name}: {size} bytes for {trees} trees"] if size > LARGEST_PAGE else []),
        *(f"{name}, {mode}: {one}" for mode, found in violations.items() for one in found),
        *(f"{name}: without a label: {one}" for one in unlabelled),
        *([] if stops == sorted(stops) else [f"{name}: the order of tab stops is not that of the page"]),
        *(f"{name}: {one}" for one in keyboard),
        *([f"{name}: {pages} printed pages"] if pages != 1 else []),
        *(f"{name}: {one}" for one in noise),
    ]


def check_text(folder, playwright, options):
    """Names of the user that would do harm as HTML appear as text, everywhere."""
    X = pd.DataFrame({EVIL: np.arange(90.0), "kind": pd.Categorical([EVIL, "b", "c"] * 30)})
    model = FPBoost(n_estimators=4, random_state=0).fit(
        X, (np.ones(90), np.exp(np.arange(90.0) / 30 + np.arange(90) % 3))
    )
    path = folder / "text.html"
    model.calculator(path, title=EVIL, units={EVIL: EVIL}, events={1: EVIL}, time_unit=EVIL)
    with Browser(playwright, options.chromium, path) as browser:
        shown = {
            what: browser.page.locator(where).first.text_content()
            for what, where in {
                "title": "h1",
                "label": "label[for=input0]",
                "category": "#inputs fieldset:has(input[name=input1])",
                "event": ".sentence",
                "unit of time": "label[for=time]",
            }.items()
        }
        noise = browser.noise
    print(f"names of the user: {sum(EVIL in text for text in shown.values())} of {len(shown)} appear as text")
    return [*(f"{what}: {text!r}" for what, text in shown.items() if EVIL not in text), *noise]


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.calculator", description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000, help="rows of each model; 10000 by default")
    parser.add_argument("--chromium", default="/usr/bin/chromium", help="the browser; /usr/bin/chromium by default")
    parser.add_argument(
        "--axe", type=Path, help="axe.min.js of axe-core; without it, accessibility rules are not tested"
    )
    options = parser.parse_args()
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        wrong = check_text(Path(folder), playwright, options)
        wrong += [one for name in MODELS for one in check_page(name, Path(folder), playwright, options)]
    print(*wrong, sep="\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
