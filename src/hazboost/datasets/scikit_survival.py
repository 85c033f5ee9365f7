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
        # The default of scikit-survival as well; stated because there are two endpoints.
        endpoint="aids",
        name="aids",
        title="AIDS",
        description=(
            "Trial ACTG 320: 1151 HIV patients on two or three drugs, followed to an AIDS-defining event or death. "
            "The trial was stopped early, so there are only 96 events. (scikit-survival has a second endpoint, death, "
            "which the paper does not use.)"
        ),
        citation=(
            "Hammer et al., A controlled trial of two nucleoside analogues plus indinavir in persons with human "
            "immunodeficiency virus infection, New England Journal of Medicine 337:725-733, 1997; data: Hosmer, "
            "Lemeshow and May, Applied Survival Analysis, 2nd edition, Wiley 2008."
        ),
    )


def breast_cancer() -> Dataset:
    """TRANSBIG: time to distant metastasis, with a 76-gene signature."""
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
            "7874 residents of Olmsted County aged 50 or older, followed to death; serum free light chains. Three "
            "died on day 0."
        ),
        citation=(
            "Dispenzieri et al., Use of nonclonal serum immunoglobulin free light chains to predict overall survival "
            "in the general population, Mayo Clinic Proceedings 87(6):517-523, 2012."
        ),
        leaks=(
            Leak(
                ("chapter",),
                "chapter is the ICD chapter of the cause of death: present for all 2169 subjects who died and "
                "missing for all 5705 others.",
            ),
        ),
    )


def gbsg2() -> Dataset:
    """German Breast Cancer Study Group 2: recurrence-free survival with and without hormonal therapy."""
    return _load(
        "load_gbsg2",
        name="gbsg2",
        title="GBSG2",
        description="686 women with node-positive breast cancer, followed to recurrence or death.",
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
    """Load with scikit-survival's function; its covariates are kept as they are."""
    # By name, so that scikit-survival is imported only when a data set is loaded.
    load = getattr(require("sksurv.datasets"), function)
    X, theirs = load() if endpoint is None else load(endpoint)
    # The fields have a different name in each data set, but the event is always the first.
    event, time = theirs.dtype.names
    # All five data sets count time in days.
    return Dataset(X=X, y=Surv.right(theirs[event], theirs[time]), time_unit="days", **facts)
