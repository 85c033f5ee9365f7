"""Data files that no package contains: read from the user's folder or the cache, or downloaded.

Wherever a file comes from, it is used only if its sha256 is the expected one.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from hazboost.datasets.packages import require

#: The environment variable that names the user's folder.
FOLDER = "HAZBOOST_DATA"


@dataclass(frozen=True)
class DataFile:
    """A file to download, and a CSV with the same content that may replace it.

    Attributes
    ----------
    url : str
        Address of the file.
    sha256 : str
        Checksum of the file.
    csv : str
        Name of the CSV.
    csv_sha256 : str
        Checksum of the CSV.
    """

    url: str
    sha256: str
    csv: str
    csv_sha256: str

    @property
    def name(self) -> str:
        """Name of the file."""
        return self.url.rpartition("/")[2]


def obtain(file: DataFile) -> Path:
    """Path of the file or its CSV in the folder ``HAZBOOST_DATA``, else of the file in the cache after a download."""
    return find_in_folder(file) or _from_cache(file)


def find_in_folder(file: DataFile) -> Path | None:
    """Path of the file or its CSV in the folder ``HAZBOOST_DATA``, with verified checksum; None if not there."""
    folder = _folder()
    if folder is None:
        return None
    # The original first, so that a folder with both files behaves like the cache.
    for name, sha256 in ((file.name, file.sha256), (file.csv, file.csv_sha256)):
        path = folder / name
        # A file with the wrong content is an error: falling back to a download would hide what the user set up.
        if path.exists():
            _verify(path, sha256)
            return path
    return None


def _folder() -> Path | None:
    given = os.environ.get(FOLDER)
    if not given:
        return None
    folder = Path(given).expanduser()
    if not folder.is_dir():
        raise NotADirectoryError(f"{FOLDER} must be the path of an existing folder with data files; got {given!r}.")
    return folder


def _verify(path: Path, sha256: str) -> None:
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != sha256:
        raise ValueError(
            f"{path} is not the published file: its checksum (sha256) is {found}, expected is {sha256}. "
            "Replace it with the original, or remove it from the folder."
        )


def _from_cache(file: DataFile) -> Path:
    """Path of the file in the user's cache; pooch downloads it if it is missing or its checksum is wrong."""
    pooch = require("pooch")
    cache = pooch.os_cache("hazboost")
    try:
        return Path(pooch.retrieve(file.url, f"sha256:{file.sha256}", fname=file.name, path=cache))
    except OSError as error:  # also catches network errors: those of requests are subclasses
        raise FileNotFoundError(_what_to_do(file, cache, f"could not be downloaded ({error})")) from error
    # pooch deletes a download with the wrong checksum, so nothing wrong stays in the cache.
    except ValueError as error:
        raise ValueError(_what_to_do(file, cache, "was refused because its sha256 is not the expected one")) from error


def _what_to_do(file: DataFile, cache: Path, failure: str) -> str:
    """Error message that lists where the file was looked for and how to provide it by hand."""
    folder = os.environ.get(FOLDER)
    looked = f"the folder {folder!r} of {FOLDER}" if folder else f"a folder ({FOLDER} is not set)"
    return (
        f"{file.name} is not in {looked} and not in the cache {str(cache)!r}, and {file.url} {failure}. "
        f"Put {file.name} (sha256 {file.sha256}), or {file.csv} with the same content, into a folder and set the "
        f"environment variable {FOLDER} to it; or put {file.name} into the cache."
    )
