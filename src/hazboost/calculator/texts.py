"""The words of the page, in one file for each language."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from importlib.resources import files

from hazboost.utils.describe import and_more, describe

#: Places in a text in which something is filled in.
PLACE = re.compile(r"\{(\w+)\}")
#: Codes of languages, as browsers know them.
TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")


def languages() -> list[str]:
    """The languages that there are, English first."""
    folder = files("hazboost.calculator").joinpath("texts")
    return sorted((path.name.removesuffix(".json") for path in folder.iterdir()), key=lambda one: (one != "en", one))


def read_texts(language: str, changed: Mapping[str, str] | None) -> dict[str, str]:
    """All texts in a language, some of them changed by the user; all of them for a language that there is not."""
    changed, known = dict(changed or {}), languages()
    if not isinstance(language, str) or not TAG.fullmatch(language):
        raise ValueError(f"language must be the code of a language, such as 'en'; got {describe(language)}.")
    path = files("hazboost.calculator").joinpath("texts", f"{language if language in known else known[0]}.json")
    texts: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    missing = [name for name in texts if name not in changed]
    if language not in known and missing:
        raise ValueError(
            f"language must be one of {', '.join(map(repr, known))}; got {describe(language)}. For another one, give "
            f"translations of all texts as texts; {and_more(missing[:3], len(missing))} are missing."
        )
    for name, text in changed.items():
        if name not in texts:
            raise ValueError(f"texts: there is no text {describe(name)}; use the names of texts/en.json.")
        places = sorted(set(PLACE.findall(texts[name])))
        strange = sorted(set(PLACE.findall(str(text))) - set(places))
        if strange:
            raise ValueError(
                f"texts: {describe(name)} has the place {strange[0]}, for which there is no value; use "
                f"{', '.join(places) or 'none'}."
            )
        texts[name] = str(text)
    return texts
