import pytest

from hazboost.datasets import load_dataset


@pytest.fixture(scope="session")
def load(load_local):
    """``load_dataset``, which skips where a package or a file is missing."""

    def loader(name, **options):
        if name in {"metabric", "whas"}:
            return load_local(name, **options)
        pytest.importorskip("SurvSet" if name == "support2" or name.startswith("survset/") else "sksurv")
        return load_dataset(name, **options)

    return loader
