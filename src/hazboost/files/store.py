"""Writing and reading a model file. Its format is described in docs/model-file.md."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from hazboost.files import contents, document, manifest
from hazboost.files.archive import LARGEST, pack, size_of, unpack
from hazboost.files.contents import Fitted, read_contents, write_contents
from hazboost.files.errors import ModelFileError
from hazboost.files.manifest import FORMAT_VERSION, check_entries, read_manifest, with_manifest, writer
from hazboost.utils.files import complete_file
from hazboost.utils.versions import own_version

Read = TypeVar("Read")

#: What may go wrong while a file is read that somebody has made or changed.
FAULTS = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError, MemoryError, ImportError)


def write_file(path: str | os.PathLike[str], fitted: Fitted, summary: Mapping[str, str]) -> None:
    """Write a fitted model to a file, whole or not at all.

    Parameters
    ----------
    path : path
        Where to.
    fitted : Fitted
        What is written.
    summary : mapping of str to str
        Key figures, for people who look into the file.
    """
    try:
        written = write_contents(fitted)
        read_contents(written)  # a file that cannot be read must not take the place of one that can
        entries = with_manifest(written, summary)
    except FAULTS as error:
        raise ModelFileError(
            f"path: a model file has no place for what was found ({error}); use numbers, text, dates, lists and "
            "dictionaries for parameters and categories, and the engines and starts of this library."
        ) from error
    size = size_of(entries)
    if size > LARGEST or max(len(entries[one.NAME]) for one in (contents, manifest)) > document.LARGEST:
        raise ModelFileError(
            f"path: the model would need {size} bytes, and a model file must not be larger than {LARGEST} bytes, with "
            f"{document.LARGEST} for names; use fewer rounds, smaller trees or fewer features."
        )
    with complete_file(path) as beside, beside.open("xb") as file:
        file.writelines(pack(entries))


def read_file(path: str | os.PathLike[str]) -> Fitted:
    """Read what `write_file` has written; a `ModelFileError` for any other file."""
    return _read(Path(path), lambda found, entries: read_contents(entries, found["version"]))


def read_versions(path: str | os.PathLike[str]) -> dict[str, str]:
    """Versions of hazboost and of other software that have written a file, by name; the model itself is not read."""
    return _read(Path(path), lambda found, _: {str(name): str(one) for name, one in found["written_by"].items()})


def _read(file: Path, part: Callable[[Mapping[str, Any], Mapping[str, bytes]], Read]) -> Read:
    """A part of what is in a file, made of its manifest and its other entries, whose checksums have been compared."""
    if file.stat().st_size > LARGEST:
        raise ModelFileError(f"path: {file.name} is too large; a model file must not have more than {LARGEST} bytes.")
    try:
        return part(*_open(file))
    except ModelFileError:
        raise
    except FAULTS as error:
        reason = " ".join(str(error).split())[:160] or type(error).__name__
        raise ModelFileError(
            f"path: {file.name} is damaged, was changed, or is not a hazboost model file ({reason}); use another "
            "copy of it, or save the model again."
        ) from error


def _open(file: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    data = file.read_bytes()
    if not data.startswith(b"PK"):
        raise ModelFileError(
            f"path: {file.name} is not a hazboost model file; give one that was written by FPBoost.save, and load "
            "others with what has written them."
        )
    entries = unpack(data)
    found = read_manifest(entries.pop(manifest.NAME))
    if found["version"] > FORMAT_VERSION:
        raise ModelFileError(
            f"path: {file.name} was written by hazboost {writer(found)}, in a format that this version, "
            f"{own_version()}, does not know; install the newer version."
        )
    check_entries(found, entries)
    return found, entries
