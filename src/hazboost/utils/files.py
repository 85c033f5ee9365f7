"""Writing files whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def complete_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A new file beside the one that is wanted, which takes its place at the end and is removed after an error.

    A half-written file is therefore never seen, not even after a power failure: the disk has all of it before it takes
    its place.
    """
    place = Path(path).resolve()  # the file that a link leads to, not the link
    if not place.parent.is_dir():
        raise FileNotFoundError(f"path: there must be a folder {str(place.parent)!r}; make it first.")
    beside = place.with_name(f".{place.name}-{secrets.token_hex(8)}")
    try:
        yield beside
        with beside.open("rb+") as file:
            os.fsync(file.fileno())
        beside.replace(place)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
