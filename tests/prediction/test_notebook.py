"""The summary of an estimator in a notebook."""

import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from hazboost import FPBoost
from hazboost.prediction import notebook


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    y = rng.random(90) < 0.7, 12.5 * rng.random(90) + 0.1
    model = FPBoost(2, 1, heads={"gompertz": 1}, init="marginal", n_estimators=20, patience=3, random_state=0)
    return model.fit(X, y)


def test_an_unfitted_estimator_shows_its_parameters_only():
    html = FPBoost(weibull_heads=3)._repr_html_()
    assert "weibull_heads" in html
    assert "loss over rounds" not in html


def test_a_fitted_estimator_shows_what_it_learned(fitted):
    html = fitted._repr_html_()
    made = len(fitted.history_["train_loss"]) - 1
    assert "weibull_heads" in html
    assert "2 weibull, 1 loglogistic, 1 gompertz" in html
    assert (
        f"{fitted.n_estimators_} of {made} made, {fitted.n_estimators_ * 13} trees of depth {fitted.max_depth_}" in html
    )
    assert "<svg" in notebook.summary_card(fitted)
    assert notebook.summary_card(fitted) in html


def test_the_summary_shows_the_losses_at_the_kept_round(fitted):
    summary, kept = notebook.key_figures(fitted), fitted.n_estimators_
    for row, name in (("training loss", "train_loss"), ("validation concordance", "validation_concordance")):
        values = fitted.history_[name]
        assert summary[row] == f"{values[0]:.4f} → {values[kept]:.4f}"
    assert summary["features"] == "3"
    assert summary["follow-up"] == f"{fitted.unique_times_.max():g}"


def test_the_curves_have_a_point_for_each_round(fitted):
    svg = re.search("<svg.*?</svg>", notebook.loss_curves(fitted)).group()
    lines = ET.fromstring(svg).findall("polyline")
    assert len(lines) == 2
    for line, name in zip(lines, ("train_loss", "validation_loss"), strict=True):
        points = np.array([point.split(",") for point in line.get("points").split()], dtype=float)
        assert len(points) == len(fitted.history_[name])
        assert (np.diff(points[:, 0]) > 0.0).all()
        assert np.argmin(points[:, 1]) == np.argmax(fitted.history_[name]), "a high loss is drawn high"
        assert (points >= 0.0).all()
        assert (points <= [notebook.WIDTH, notebook.HEIGHT + 4]).all()


def test_a_constant_loss_can_be_drawn():
    X = np.ones((20, 1))
    model = FPBoost(init="marginal", n_estimators=1, learning_rate=1e-12).fit(X, (np.ones(20), np.arange(1.0, 21.0)))
    model.history_ = {"train_loss": [1.0, 1.0]}
    assert "nan" not in notebook.loss_curves(model)


def test_values_are_escaped(fitted, monkeypatch):
    monkeypatch.setattr(notebook, "key_figures", lambda estimator: {"<i>name</i>": "<b>bold</b> & more"})
    card = notebook.summary_card(fitted)
    assert "<b>" not in card
    assert "<i>" not in card
    assert "&lt;b&gt;bold&lt;/b&gt; &amp; more" in card


def test_parameters_are_escaped():
    html = FPBoost(heads={"<blink>": 1})._repr_html_()
    assert "<blink>" not in html
    assert "&lt;blink&gt;" in html


def test_mime_bundle_has_text_and_html(fitted):
    bundle = fitted._repr_mimebundle_()
    assert bundle["text/plain"] == repr(fitted)
    assert notebook.summary_card(fitted) in bundle["text/html"]
    assert "loss over rounds" not in FPBoost()._repr_mimebundle_()["text/html"]


def test_display_text_gives_no_html(fitted):
    from sklearn import config_context

    with config_context(display="text"):
        assert fitted._repr_mimebundle_().keys() == {"text/plain"}


def test_repr_names_what_differs_from_the_defaults():
    assert repr(FPBoost(weibull_heads=3)) == "FPBoost(weibull_heads=3)"
