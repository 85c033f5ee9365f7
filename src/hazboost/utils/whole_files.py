"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from pathlib import Path


def write_whole(path: str | os.PathLike[str], parts: Iterable[bytes]) -> None:
    """Write beside the file and put the result in its place, so that a half-written file is never seen."""
    place = Path(path)
    beside = place.with_name(f".{place.name}-{secrets.token_hex(8)}")
    try:
        with beside.open("xb") as file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(place)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
