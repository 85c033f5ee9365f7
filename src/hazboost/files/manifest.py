"""The manifest: what a file is, who has written it, and the checksums of all its other entries."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from hazboost.engines.storage import versions
from hazboost.files.document import from_json, to_json

NAME = "manifest.json"
FORMAT, FORMAT_VERSION = "hazboost model", 2


def with_manifest(entries: Mapping[str, bytes], summary: Mapping[str, str]) -> dict[str, bytes]:
    """The entries after their manifest; ``summary`` is for people who look into it."""
    manifest = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "written_by": versions(),
        "summary": dict(summary),
        "entries": _facts(entries),
    }
    return {NAME: to_json(manifest), **entries}


def read_manifest(data: bytes) -> dict[str, Any]:
    """The manifest, of whatever version of the format."""
    manifest = from_json(data)
    if type(manifest) is not dict or manifest.get("format") != FORMAT:
        raise ValueError("its manifest is not that of a model")
    if type(manifest.get("version")) is not int or manifest["version"] < 1:
        raise ValueError("the version of its format is not known")
    return manifest


def writer(manifest: Mapping[str, Any]) -> str:
    """The version of hazboost that has written the file."""
    by = manifest.get("written_by")
    found = by.get("hazboost") if type(by) is dict else None
    return found[:20] if type(found) is str else "?"


def check_entries(manifest: Mapping[str, Any], entries: Mapping[str, bytes]) -> None:
    """Compare names, sizes and checksums of all entries, before anything is made of them."""
    listed = manifest.get("entries")
    if type(listed) is not dict or list(listed) != list(entries):
        raise ValueError("its entries are not those of its manifest")
    for name, facts in _facts(entries).items():
        if listed[name] != facts:
            raise ValueError(f"the checksum of {name} is another")


def _facts(entries: Mapping[str, bytes]) -> dict[str, dict[str, Any]]:
    return {name: {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()} for name, data in entries.items()}
