"""The words of the page, in one file for each language."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from importlib.resources import files

from hazboost.utils.describe import describe

#: Places in a text in which something is filled in.
PLACE = re.compile(r"\{(\w+)\}")


def languages() -> list[str]:
    """The languages that there are."""
    folder = files("hazboost.calculator").joinpath("texts")
    return sorted(path.name.removesuffix(".json") for path in folder.iterdir() if path.name.endswith(".json"))


def read_texts(language: str, changed: Mapping[str, str] | None) -> dict[str, str]:
    """All texts in a language, some of them changed by the user."""
    known = languages()
    if language not in known:
        raise ValueError(
            f"language must be one of {', '.join(map(repr, known))}; got {describe(language)}. For another one, give "
            "translations of all texts as texts={...}."
        )
    path = files("hazboost.calculator").joinpath("texts", f"{language}.json")
    texts: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    for name, text in (changed or {}).items():
        if name not in texts:
            raise ValueError(
                f"texts: there is no text {describe(name)}; see the file texts/en.json of hazboost.calculator."
            )
        strange = sorted(set(PLACE.findall(str(text))) - set(PLACE.findall(texts[name])))
        if strange:
            raise ValueError(
                f"texts: {describe(name)} has the place {{{strange[0]}}}, for which there is no value; use "
                f"{', '.join(f'{{{one}}}' for one in sorted(set(PLACE.findall(texts[name])))) or 'none'}."
            )
        texts[name] = str(text)
    return texts
