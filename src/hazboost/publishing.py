"""What a fitted model becomes for others: a summary, files and pages.

What makes them is imported on first use: no fit and no prediction needs it.
"""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from hazboost.prediction.predictor import Predictor
from hazboost.utils.files import complete_file

if TYPE_CHECKING:
    from hazboost.summary import Summary


class Publisher(Predictor):
    """A predictor that can be shown, kept and given to others."""

    @abstractmethod
    def _settings(self) -> dict[str, Any]:
        """Parameters by name, whatever the constructor of a subclass takes."""

    def _learned(self) -> dict[str, Any]:
        """Attributes that a fit has set, whose names end with an underscore."""
        return {name: value for name, value in vars(self).items() if name.endswith("_")}

    def summary(self) -> Summary:
        """What the model is and how well it fits: data, heads in words, choices, fit, strongest features.

        Returns
        -------
        Summary
            ``print`` shows it as text and a notebook as HTML; ``to_dict()`` has the numbers, and more of them.

        Examples
        --------
        >>> import numpy as np
        >>> from hazboost import FPBoost
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 2))
        >>> y = np.ones(200, dtype=bool), rng.weibull(1.5, size=200) * np.exp(-X[:, 0])
        >>> summary = FPBoost(n_estimators=5, random_state=0).fit(X, y).summary()
        >>> print(str(summary).splitlines()[0])
        FPBoost, trained on 200 subjects with 200 events
        >>> summary.to_dict()["effects"][0]["feature"]
        'x0'
        """
        from hazboost.summary import summarize

        check_is_fitted(self, "model_")
        return summarize(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to one file, which `hazboost.load` reads.

        The file holds data only: nothing in it is ever executed, unlike a pickle. It has everything that predictions
        need, and these are the same to the last bit after loading. The same model, written by the same versions, is
        always the same bytes. An existing file is replaced at once, when the new one is complete.

        Parameters
        ----------
        path : path
            Name of the file, usually with the ending ``.hzb``.

        See Also
        --------
        hazboost.load : Read the file.

        Examples
        --------
        >>> import numpy as np
        >>> import hazboost
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> X = np.arange(20.0)[:, None]
        >>> model = hazboost.FPBoost(n_estimators=2, random_state=0).fit(X, (X[:, 0] > 2.0, X[:, 0] + 1.0))
        >>> with TemporaryDirectory() as folder:
        ...     model.save(Path(folder) / "model.hzb")
        ...     loaded = hazboost.load(Path(folder) / "model.hzb")
        >>> bool((loaded.predict(X) == model.predict(X)).all())
        True
        """
        from hazboost.files import Fitted, write_file

        check_is_fitted(self, "model_")
        self._validate_params()
        attributes = {name: value for name, value in self._learned().items() if name != "model_"}
        write_file(path, Fitted(self._settings(), attributes, self.model_), self.summary().lines())

    def to_onnx(self, path: str | os.PathLike[str], outputs: Sequence[str] | None = None) -> None:
        """Write the fitted model to an ONNX file, for programs in other languages.

        It computes what this model predicts, up to rounding errors of the trees, which are in single precision. The
        page docs/onnx.md describes inputs and outputs.

        Parameters
        ----------
        path : path
            Name of the file, usually with the ending ``.onnx``. An existing file is replaced when the new one is
            complete.
        outputs : sequence of str, optional
            Some of "scores", "parameters", "survival", "cumulative_hazard" and "cumulative_incidence"; all by default.
            Of these, the cumulative incidence of competing causes alone takes much time to compute.

        Raises
        ------
        ValueError
            Weights may be negative (``heads_activation`` "tanh" and "identity"), for which ONNX has no operators.

        See Also
        --------
        save : A file from which all of this model is loaded again.
        """
        from hazboost.onnx import OUTPUTS, write_onnx

        check_is_fitted(self, "model_")
        write_onnx(path, self.model_, self.n_features_in_, OUTPUTS if outputs is None else outputs)

    def calculator(
        self,
        path: str | os.PathLike[str],
        *,
        title: str | None = None,
        labels: Mapping[str, str] | None = None,
        units: Mapping[str, str] | None = None,
        time_unit: str | tuple[str, float] | None = None,
        events: Mapping[int, str] | None = None,
        language: str = "en",
        texts: Mapping[str, str] | None = None,
    ) -> None:
        """Write a web page on which anybody can ask the fitted model for predictions.

        The page is one file that needs no server and no network: the model itself is in it and runs in the browser,
        with the same results. It has an input for each feature that the model uses, with the range of the training
        data, and shows curves beside those of the training data, numbers of 100 people, and what each input changes.

        Parameters
        ----------
        path : path
            Name of the file, usually with the ending ``.html``. An existing file is replaced when the page is complete.
        title : str, optional
            Title of the page.
        labels : mapping of str to str, optional
            Labels of the inputs by name of the column: ``{"horTh": "Hormone therapy"}``. A label of a category, or of
            one of few values, has both in its name: ``{"horTh=yes": "received"}``.
        units : mapping of str to str, optional
            Units of the inputs by name of the column: ``{"age": "years"}``.
        time_unit : str or (str, float), optional
            Unit of time of the data. A pair is a unit in which times are shown, and its length in that of the data:
            ``("years", 365.25)`` for data in days.
        events : mapping of int to str, optional
            What the event of each cause is called: ``{1: "a relapse", 2: "death"}``; without competing risks
            ``{1: "a relapse"}``.
        language : {"en", "de"}, default="en"
            Language of the page.
        texts : mapping of str to str, optional
            Other words for some texts, or translations of all. ``texts/en.json`` in `hazboost.calculator` has them.

        See Also
        --------
        hazboost.calculator.calculator_page : The page as text.

        Notes
        -----
        The page has what ``cohort_`` remembers of the training data: numbers of subjects and events, the smallest, the
        largest and some quantiles of each feature, its categories, and the curve of observed events.

        Examples
        --------
        >>> import numpy as np
        >>> from hazboost import FPBoost
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(100, 1))
        >>> y = X[:, 0] > -1.0, rng.weibull(2.0, 100) * np.exp(-X[:, 0])
        >>> model = FPBoost(n_estimators=2, random_state=0).fit(X, y)
        >>> with TemporaryDirectory() as folder:
        ...     model.calculator(Path(folder) / "page.html", labels={"x0": "Marker"}, time_unit="years")
        ...     size = (Path(folder) / "page.html").stat().st_size
        >>> size < 100_000
        True
        """
        from hazboost.calculator import calculator_page

        page = calculator_page(
            self,
            title=title,
            labels=labels,
            units=units,
            time_unit=time_unit,
            events=events,
            language=language,
            texts=texts,
        )
        with complete_file(path) as beside:
            beside.write_text(page, encoding="utf-8", newline="\n")

    def report(
        self,
        path: str | os.PathLike[str],
        X: Any,
        y: Any,
        X_train: Any = None,
        y_train: Any = None,
        *,
        groups: Any = None,
        title: str | None = None,
        examples: bool = True,
    ) -> None:
        """Write a report on the fitted model, one page for whoever must decide whether to trust it.

        The page has flags with their evidence, the data, what was selected, scores with bootstrap intervals beside
        those of Kaplan-Meier and of a Cox regression, what the heads and the features mean, three subjects, the
        calculator, and the checklist of TRIPOD+AI. It is one file that needs no network. Its figures need matplotlib.

        Parameters
        ----------
        path : path
            Name of the file, usually with the ending ``.html``. An existing file is replaced when the page is complete.
        X : array, DataFrame or sparse matrix of shape (n, features)
            Subjects that the model was not trained with.
        y : structured array, DataFrame, or pair of arrays
            Their outcomes, one row for each, without intervals.
        X_train, y_train : optional
            The training data, for the Cox regression and for flags that need rows, such as subjects that are in
            training and in the evaluation. Without them the page says what is missing.
        groups : array-like of shape (n,), optional
            Labels of the rows of ``X``, such as hospitals, whose scores are to be compared. Categories and features of
            few values are compared anyway.
        title : str, optional
            Title of the page.
        examples : bool, default=True
            Whether three rows of ``X`` are shown as examples.

        See Also
        --------
        hazboost.report.report_page : The page as text.
        hazboost.report.find_flags : The flags alone.

        Notes
        -----
        Of more than 10,000 rows as many are drawn at random for scores, which the page says. ``docs/report.md`` has the
        thresholds of all flags.

        Examples
        --------
        >>> import numpy as np
        >>> from hazboost import FPBoost
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 1))
        >>> event, time = rng.random(200) < 0.7, rng.weibull(1.5, 200) * np.exp(-X[:, 0])
        >>> model = FPBoost(n_estimators=5, random_state=0).fit(X[:100], (event[:100], time[:100]))
        >>> with TemporaryDirectory() as folder:
        ...     model.report(Path(folder) / "report.html", X[100:], (event[100:], time[100:]))
        ...     size = (Path(folder) / "report.html").stat().st_size
        >>> size < 1_000_000
        True
        """
        from hazboost.report import report_page

        heading = {} if title is None else {"title": title}
        page = report_page(self, X, y, X_train, y_train, groups=groups, examples=examples, **heading)
        with complete_file(path) as beside:
            beside.write_text(page, encoding="utf-8", newline="\n")

    def _repr_html_inner(self) -> str:
        """scikit-learn's diagram, and below it what was learned."""
        from hazboost.prediction.notebook import summary_card

        diagram: str = super()._repr_html_inner()
        return diagram + summary_card(self) if hasattr(self, "model_") else diagram

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        return {**bundle, "text/html": self._repr_html_inner()} if "text/html" in bundle else bundle
