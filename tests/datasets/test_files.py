from __future__ import annotations

import threading
from functools import partial
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from hazboost.datasets import deepsurv, load_dataset
from hazboost.datasets.files import FOLDER, DataFile, find_in_folder, obtain

CONTENT, CSV = b"the original", b"the,same\n"
NOBODY = "http://127.0.0.1:9"  # an address at which nobody answers


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@pytest.fixture
def server(tmp_path):
    """A folder, and the address under which it can be downloaded."""
    folder = tmp_path / "server"
    folder.mkdir()
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield folder, f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


@pytest.fixture
def file(server):
    return DataFile(f"{server[1]}/data.h5", sha256(CONTENT).hexdigest(), "data.csv", sha256(CSV).hexdigest())


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache."""
    pooch = pytest.importorskip("pooch")
    monkeypatch.setattr(pooch, "os_cache", lambda project: tmp_path / "cache" / project)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return tmp_path / "cache" / "hazboost"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder that ``HAZBOOST_DATA`` names."""
    path = tmp_path / "folder"
    path.mkdir()
    monkeypatch.setenv(FOLDER, str(path))
    return path


@pytest.fixture
def no_folder(monkeypatch):
    monkeypatch.delenv(FOLDER, raising=False)


@pytest.mark.parametrize(("name", "content"), [("data.h5", CONTENT), ("data.csv", CSV)])
def test_folder_comes_first(file, folder, name, content):
    (folder / name).write_bytes(content)
    assert obtain(file) == find_in_folder(file) == folder / name


@pytest.mark.parametrize("name", ["data.h5", "data.csv"])
def test_another_file_in_the_folder_is_refused(file, folder, name):
    (folder / name).write_bytes(b"something else")
    with pytest.raises(ValueError, match=f"{name} is not the published file: its checksum .* expected is"):
        obtain(file)


@pytest.mark.parametrize("value", ["nowhere", ""])
def test_folder_must_exist_if_it_is_named(file, monkeypatch, value):
    monkeypatch.setenv(FOLDER, value)
    if not value:
        assert find_in_folder(file) is None
        return
    with pytest.raises(
        NotADirectoryError, match=r"HAZBOOST_DATA must be the path of an existing folder .* got 'nowhere'"
    ):
        obtain(file)


def test_cache_comes_second(file, folder, cache):
    cache.mkdir(parents=True)
    (cache / "data.h5").write_bytes(CONTENT)
    assert obtain(file) == cache / "data.h5"  # there is nothing to download


@pytest.mark.usefixtures("no_folder")
def test_download_comes_last_and_stays_in_the_cache(file, server, cache):
    (server[0] / "data.h5").write_bytes(CONTENT)
    assert obtain(file) == cache / "data.h5"
    (server[0] / "data.h5").unlink()
    assert obtain(file).read_bytes() == CONTENT


@pytest.mark.usefixtures("no_folder")
def test_damaged_cache_is_downloaded_again(file, server, cache):
    cache.mkdir(parents=True)
    (cache / "data.h5").write_bytes(CONTENT[:5])
    (server[0] / "data.h5").write_bytes(CONTENT)
    assert obtain(file).read_bytes() == CONTENT


@pytest.mark.usefixtures("no_folder")
def test_download_of_something_else_is_refused(file, server, cache):
    (server[0] / "data.h5").write_bytes(b"something else")
    with pytest.raises(ValueError, match=r"data.h5 was refused because its sha256 is not the expected one"):
        obtain(file)
    assert list(cache.iterdir()) == []


@pytest.mark.usefixtures("no_folder")
@pytest.mark.parametrize("name", ["metabric", "whas"])
def test_without_network_the_error_says_what_to_do(name, cache, monkeypatch):
    original = getattr(deepsurv, name.upper())
    address = f"{NOBODY}/{original.name}"
    absent = DataFile(address, original.sha256, original.csv, original.csv_sha256)
    monkeypatch.setattr(deepsurv, name.upper(), absent)
    with pytest.raises(FileNotFoundError) as raised:
        load_dataset(name)
    said = str(raised.value)
    for part in (
        address,
        original.name,
        original.sha256,
        original.csv,
        str(cache),
        "HAZBOOST_DATA is not set",
        "refused",
    ):
        assert part in said


def test_error_names_the_folder(folder, cache):
    file = DataFile(f"{NOBODY}/data.h5", "0", "data.csv", "0")
    with pytest.raises(FileNotFoundError, match=f"not in the folder '{folder}' of HAZBOOST_DATA and not in the cache"):
        obtain(file)


@pytest.mark.parametrize("file", [deepsurv.METABRIC, deepsurv.WHAS], ids=["metabric", "whas"])
def test_addresses_are_of_one_commit(file):
    assert file.url.startswith("https://raw.githubusercontent.com/jaredleekatzman/DeepSurv/41eed003e5b892c8")
    assert file.name.endswith("_train_test.h5")
