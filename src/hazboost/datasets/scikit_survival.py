"""The five data sets of the paper that come with scikit-survival."""

from __future__ import annotations

from typing import Any

from hazboost.data.surv import Surv
from hazboost.datasets.dataset import Dataset, Leak
from hazboost.datasets.packages import require


def aids() -> Dataset:
    """ACTG 320: time to AIDS or death with two and with three drugs."""
    return _load(
        "load_aids",
        endpoint="aids",
        name="aids",
        title="AIDS",
        description=(
            "Trial ACTG 320: 1151 HIV patients on two or three drugs, followed to an AIDS-defining event or death. "
            "It was stopped early, hence 96 events only. (scikit-survival has a second endpoint, death, which the "
            "paper does not use.)"
        ),
        citation=(
            "Hammer et al., A controlled trial of two nucleoside analogues plus indinavir in persons with human "
            "immunodeficiency virus infection, New England Journal of Medicine 337:725-733, 1997; data: Hosmer, "
            "Lemeshow and May, Applied Survival Analysis, 2nd edition, Wiley 2008."
        ),
    )


def breast_cancer() -> Dataset:
    """TRANSBIG: time to distant metastasis, with 76 genes of a signature."""
    return _load(
        "load_breast_cancer",
        name="breast_cancer",
        title="Breast",
        description=(
            "TRANSBIG: 198 women with node-negative breast cancer, followed to a distant metastasis. Expressions of "
            "the genes of a prognostic signature (78 probes), estrogen receptor and grade."
        ),
        citation=(
            "Desmedt et al., Strong time dependence of the 76-gene prognostic signature for node-negative breast "
            "cancer patients in the TRANSBIG multicenter independent validation series, Clinical Cancer Research "
            "13(11):3207-3214, 2007."
        ),
    )


def flchain() -> Dataset:
    """Free light chains and death in a general population."""
    return _load(
        "load_flchain",
        name="flchain",
        title="FLCHAIN",
        description=(
            "7874 residents of Olmsted County aged 50 and more, followed to death; free light chains in their blood. "
            "Three died on day 0."
        ),
        citation=(
            "Dispenzieri et al., Use of nonclonal serum immunoglobulin free light chains to predict overall survival "
            "in the general population, Mayo Clinic Proceedings 87(6):517-523, 2012."
        ),
        leaks=(
            Leak(
                ("chapter",),
                "chapter is the chapter of the cause of death: a value is there for each of the 2169 dead and "
                "missing for each of the 5705 others.",
            ),
        ),
    )


def gbsg2() -> Dataset:
    """German Breast Cancer Study Group: recurrence-free survival with and without hormones."""
    return _load(
        "load_gbsg2",
        name="gbsg2",
        title="GBSG2",
        description="686 women with node-positive breast cancer, to recurrence or death; with or without hormones.",
        citation=(
            "Schumacher et al., Randomized 2 x 2 trial evaluating hormonal treatment and the duration of "
            "chemotherapy in node-positive breast cancer patients, Journal of Clinical Oncology 12:2086-2093, 1994."
        ),
    )


def veterans() -> Dataset:
    """Veterans' Administration lung cancer trial: two chemotherapies."""
    return _load(
        "load_veterans_lung_cancer",
        name="veterans",
        title="Veterans",
        description="137 men with advanced lung cancer, followed to death; standard or test chemotherapy.",
        citation=("Kalbfleisch and Prentice, The Statistical Analysis of Failure Time Data, 2nd edition, Wiley 2002."),
    )


def _load(function: str, *, endpoint: str | None = None, **facts: Any) -> Dataset:
    """Features as scikit-survival has them. Of its ``y`` the first field is the event, whatever it is called."""
    load = getattr(require("sksurv.datasets"), function)
    X, theirs = load() if endpoint is None else load(endpoint)
    event, time = theirs.dtype.names
    return Dataset(X=X, y=Surv.right(theirs[event], theirs[time]), time_unit="days", **facts)
