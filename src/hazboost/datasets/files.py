"""Data files that no package carries: from the user's folder, from the cache, or from the network.

A file is used only if its sha256 is the known one, wherever it comes from.
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
    """A file on the network, and the CSV with the same content that may stand for it.

    Attributes
    ----------
    url : str
        Where it is.
    sha256 : str
        Its checksum.
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
    """The path of a file or of its CSV: in the folder ``HAZBOOST_DATA``, in the cache, or there after a download."""
    return find_in_folder(file) or _from_cache(file)


def find_in_folder(file: DataFile) -> Path | None:
    """The path of a file or of its CSV in the folder ``HAZBOOST_DATA``, if it is there, checked."""
    folder = _folder()
    if folder is None:
        return None
    for name, sha256 in ((file.name, file.sha256), (file.csv, file.csv_sha256)):
        path = folder / name
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
        raise NotADirectoryError(f"{FOLDER} must name a folder that holds data files; {given!r} is none.")
    return folder


def _verify(path: Path, sha256: str) -> None:
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != sha256:
        raise ValueError(
            f"{path} is not the file that it should be: its sha256 is {found}, expected is {sha256}. "
            "Replace it by the original, or take it out of the folder."
        )


def _from_cache(file: DataFile) -> Path:
    """The file in the user's cache; pooch downloads it if it is not there as it should be."""
    pooch = require("pooch")
    cache = pooch.os_cache("hazboost")
    try:
        return Path(pooch.retrieve(file.url, f"sha256:{file.sha256}", fname=file.name, path=cache))
    except OSError as error:  # requests' errors are among them
        raise FileNotFoundError(_what_to_do(file, cache, f"could not be downloaded ({error})")) from error
    except ValueError as error:
        raise ValueError(_what_to_do(file, cache, "was refused, as its sha256 is not the known one")) from error


def _what_to_do(file: DataFile, cache: Path, failure: str) -> str:
    folder = os.environ.get(FOLDER)
    looked = f"the folder {folder!r} of {FOLDER}" if folder else f"a folder ({FOLDER} is not set)"
    return (
        f"{file.name} is not in {looked} and not in the cache {str(cache)!r}, and {file.url} {failure}. "
        f"Put {file.name} (sha256 {file.sha256}), or {file.csv} with the same content, into a folder and set the "
        f"environment variable {FOLDER} to it; or put {file.name} into the cache."
    )
