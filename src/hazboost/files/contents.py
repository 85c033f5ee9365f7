"""A fitted estimator as entries of an archive: parameters, fitted attributes and the model."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from hazboost.files.consistency import check_attributes, check_model
from hazboost.files.document import from_json, items, to_json
from hazboost.files.earlier import read_first_version
from hazboost.files.entries import EntryReader, EntryWriter
from hazboost.files.manifest import FORMAT_VERSION
from hazboost.files.plain import Plain
from hazboost.files.records import ATTRIBUTES, LATER_ATTRIBUTES, read_model, write_model
from hazboost.files.values import Kind
from hazboost.prediction.model import Model

NAME = "model.json"
PARTS = {"parameters", "attributes", "model"}
#: A fitted attribute ends in an underscore and does not begin with one; no method and no parameter does. Properties
#: may: whoever makes an estimator of what was read refuses their names.
ATTRIBUTE = re.compile(r"[A-Za-z]\w*(?<!_)_", re.ASCII)

#: Who reads the model of a file, by version of the format.
READERS = {1: read_first_version, FORMAT_VERSION: read_model}


class Fitted(NamedTuple):
    """What a fitted estimator consists of: its parameters and, by name, what it has learned besides its model."""

    parameters: dict[str, Any]
    attributes: dict[str, Any]
    model: Model


def write_contents(fitted: Fitted) -> dict[str, bytes]:
    """All entries but the manifest; a `ValueError` that says what has no place in a file."""
    entries = EntryWriter()
    contents = {
        "parameters": _write_values(fitted.parameters, {}, entries),
        "attributes": _write_values(fitted.attributes, ATTRIBUTES, entries),
        "model": write_model(fitted.model, entries),
    }
    return {NAME: to_json(contents), **entries.entries}


def _write_values(values: Mapping[str, Any], kinds: Mapping[str, Kind], entries: EntryWriter) -> dict[str, Any]:
    written = {}
    for name, value in sorted(values.items()):
        try:
            written[name] = kinds.get(name, Plain()).write(value, entries)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error
    return written


def read_contents(entries: Mapping[str, bytes], version: int = FORMAT_VERSION) -> Fitted:
    """What `write_contents` has written, now or for an earlier version; an error if anything is not as it should be."""
    reader = EntryReader({name: data for name, data in entries.items() if name != NAME})
    contents = dict(items(from_json(entries[NAME])))
    if set(contents) != PARTS:
        raise ValueError("parts are missing, or not known")
    parameters = {name: Plain().read(one, reader) for name, one in items(contents["parameters"])}
    attributes = _read_attributes(contents["attributes"], reader)
    model = READERS[version](contents["model"], attributes["n_features_in_"], reader)
    check_model(model, attributes["n_features_in_"])
    check_attributes(attributes, model)
    if reader.left:
        raise ValueError("there are entries that nothing refers to")
    return Fitted(parameters, attributes, model)


def _read_attributes(found: Any, reader: EntryReader) -> dict[str, Any]:
    """Fitted attributes. Those that are not in `ATTRIBUTES` are plain values, and cannot hide a method."""
    attributes = dict(LATER_ATTRIBUTES)
    for name, one in items(found):
        if not ATTRIBUTE.fullmatch(name) or name == "model_":
            raise ValueError("an attribute has no proper name")
        attributes[name] = ATTRIBUTES.get(name, Plain()).read(one, reader)
    missing = sorted(set(ATTRIBUTES) - set(attributes))
    if missing:
        raise ValueError(f"{missing[0]} is missing")
    return attributes
