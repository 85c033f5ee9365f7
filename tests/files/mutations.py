"""Files that were damaged on the way, or changed on purpose; each is made of a seed and its number only.

Damage leaves the manifest as it was, so that such a file must be refused or, where nothing that matters was hit, give
the same predictions. A forger writes a new manifest: such a file must be refused or give a model that predicts
something, without ever running code, ending the process or taking a gigabyte.
"""

from __future__ import annotations

import io
import json
import struct
import warnings
import zipfile
from typing import NamedTuple

import numpy as np

from hazboost.files.archive import pack, unpack
from hazboost.files.manifest import FORMAT_VERSION, NAME, with_manifest

#: Values that take the place of others in JSON.
JUNK = [
    None,
    True,
    0,
    -1,
    1,
    2**31,
    2**63,
    10**400,
    0.0,
    -0.0,
    1e308,
    -1e-308,
    "",
    "nan",
    "inf",
    "os.system",
    "../../etc/passwd",
    "arrays/00003.npy",
    "trees/00020.ubj",
    [],
    {},
    [[]],
    [None] * 1000,
    {"class": "Popen"},
    {"tuple": [[], {}]},
    {"dict": [[[], 1]]},
    {"number": "nan"},
    {"generator": [1, 2, 3, 4]},
    {"interval": [1, 0, "left"]},
    {"timestamp": "yesterday"},
    {"numbers": {"array": "arrays/00000.npy", "type": "|O", "shape": [1], "by_column": False}},
]


class Mutation(NamedTuple):
    """A changed file, how it was changed, and whether its manifest was made anew."""

    data: bytes
    how: str
    forged: bool


def mutate(original, seed, number):
    """The file of this number."""
    rng = np.random.default_rng([seed, number])
    how = list(CHANGES)[number % len(CHANGES)]
    changed = CHANGES[how](original, rng)
    if isinstance(changed, dict):
        entries = {name: data for name, data in changed.items() if name != NAME}
        return Mutation(b"".join(pack(with_manifest(entries, {}))), how, forged=True)
    return Mutation(changed, how, forged=False)


# Damage


def flip_bytes(data, rng):
    changed = bytearray(data)
    for place in rng.integers(0, len(data), rng.integers(1, 5)):
        changed[place] ^= rng.integers(1, 256)
    return bytes(changed)


def flip_header(data, rng):
    """Beginnings and ends, where sizes and names are."""
    heads = [place for place in range(len(data) - 46) if data[place : place + 2] == b"PK"]
    place = heads[rng.integers(len(heads))] + rng.integers(0, 46)
    changed = bytearray(data)
    changed[min(place, len(data) - 1)] = rng.integers(0, 256)
    return bytes(changed)


def cut(data, rng):
    return data[: rng.integers(0, len(data))]


def remove_bytes(data, rng):
    first = rng.integers(0, len(data) - 1)
    return data[:first] + data[first + rng.integers(1, 100) :]


def insert_bytes(data, rng):
    place = rng.integers(0, len(data))
    return data[:place] + rng.bytes(rng.integers(1, 100)) + data[place:]


def swap_parts(data, rng):
    first, second = np.sort(rng.integers(0, len(data), 2))
    return data[second:] + data[first:second] + data[:first]


def inflate_size(data, rng):
    """A size of an entry that is far larger than the file."""
    heads = [place for place in range(len(data) - 46) if data[place : place + 4] in (b"PK\x03\x04", b"PK\x01\x02")]
    place = heads[rng.integers(len(heads))]
    offset = place + (18 if data[place + 2] == 3 else 20) + 4 * rng.integers(0, 2)
    size = struct.pack("<I", rng.choice([2**32 - 1, 2**31, 2**30, len(data)]))
    return data[:offset] + size + data[offset + 4 :]


def zip_again(data, rng):
    """What another program makes: compressed, of another order, with a comment, or with further entries."""
    entries, buffer = unpack(data), io.BytesIO()
    kind = rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
    names = [str(name) for name in rng.permutation(list(entries))]
    bad = ["../../evil.py", "/etc/passwd", "C:\\evil", "model.json", "manifest.json/", "__init__.py"]
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w", int(kind)) as archive:
        warnings.simplefilter("ignore")  # a name occurs twice
        for name in names[: rng.integers(1, len(names) + 1)]:
            archive.writestr(name, entries[name])
        archive.writestr(str(rng.choice(bad)), b"import os")
        archive.comment = rng.bytes(rng.integers(0, 9))
    return buffer.getvalue()


def zip_bomb(data, rng):
    """An entry that becomes a thousand times as large."""
    entries, buffer = unpack(data), io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, one in entries.items():
            archive.writestr(name, one if rng.random() < 0.9 else bytes(2**24))
    return buffer.getvalue()


def foreign(data, rng):
    """Files that never were models."""
    pickled = b"cposix\nsystem\n(S'true'\ntR."
    empty = b"PK\x05\x06" + bytes(18)
    return [b"", b"PK", empty, pickled, rng.bytes(1000), b"PK\x03\x04" + rng.bytes(1000), b"{}"][rng.integers(7)]


# Forgery


def remove_entry(data, rng):
    entries = unpack(data)
    del entries[str(rng.choice(list(entries)[1:]))]
    return entries


def rename_entry(data, rng):
    entries = unpack(data)
    name = str(rng.choice(list(entries)[1:]))
    new = str(rng.choice(["../../evil.py", "/etc/passwd", "x", "arrays/00001.npy", "a/../model.json"]))
    return {new if one == name else one: value for one, value in entries.items()}


def change_json(data, rng):
    """A value of the model in another place, of another type, twice, or not at all."""
    entries = unpack(data)
    document = json.loads(entries["model.json"])
    for _ in range(rng.integers(1, 3)):
        change_somewhere(document, rng)
    return {**entries, "model.json": json.dumps(document).encode()}


def change_somewhere(document, rng):
    places = list(places_of(document))
    owner, key = places[rng.integers(len(places))]
    choice = rng.random()
    if choice < 0.3:
        del owner[key]
    elif choice < 0.8:
        owner[key] = JUNK[rng.integers(len(JUNK))]
    else:
        other, place = places[rng.integers(len(places))]
        owner[key] = json.loads(json.dumps(other[place]))


def places_of(value):
    """All owners and keys of values in a document."""
    for key, one in value.items() if isinstance(value, dict) else enumerate(value):
        yield value, key
        if isinstance(one, dict | list):
            yield from places_of(one)


def change_text(data, rng):
    """Bytes of JSON."""
    entries = unpack(data)
    kinds = [
        lambda text: flip_bytes(text, rng),
        lambda text: cut(text, rng),
        lambda text: b"[" * 100_000,
        lambda text: b'{"a":' * 50_000,
        lambda text: b"[" + b"[]," * 300_000 + b"[]]",
        lambda text: b"9" * 100_000,
        lambda text: text.replace(b'"parameters"', b'"parameters":{},"parameters"', 1),
        lambda text: text.replace(b"null", b"NaN", 1),
        lambda text: text.replace(b"0.5", b"1e999"),
    ]
    return {**entries, "model.json": kinds[rng.integers(len(kinds))](entries["model.json"])}


def change_array(data, rng):
    """Bytes of an array: its header, or its numbers."""
    entries = unpack(data)
    name = str(rng.choice([one for one in entries if one.endswith(".npy")]))
    change = [flip_bytes, cut, insert_bytes][rng.integers(3)]
    return {**entries, name: change(entries[name], rng)}


def change_numbers(data, rng):
    """Numbers of an array, which stays an array."""
    entries = unpack(data)
    name = str(rng.choice([one for one in entries if one.endswith(".npy")]))
    array = np.load(io.BytesIO(entries[name]))
    if array.size:
        value = rng.choice([0, 1, -1, 2**31, -(2**62)]) if array.dtype.kind == "i" else rng.choice(SPECIAL)
        array.flat[rng.integers(array.size)] = value
    head = len(entries[name]) - array.nbytes
    order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
    return {**entries, name: entries[name][:head] + array.tobytes(order)}


SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -1.0, 1e308, 1e-308]


def change_trees(data, rng):
    """Bytes of trees."""
    entries = unpack(data)
    name = str(rng.choice([one for one in entries if one.endswith(".ubj")]))
    change = [flip_bytes, flip_bytes, flip_bytes, cut, remove_bytes, insert_bytes, swap_parts][rng.integers(7)]
    return {**entries, name: change(entries[name], rng)}


def change_nodes(data, rng):
    """A number that XGBoost believes: children, features, categories, sizes."""
    entries = unpack(data)
    name = str(rng.choice([one for one in entries if one.endswith(".ubj")]))
    return {**entries, name: change_field(entries[name], rng)}


WHOLE = ["left_children", "right_children", "parents", "split_indices", "categories", "categories_nodes"]
LONG, BYTES = ["categories_segments", "categories_sizes"], ["default_left", "split_type"]
TEXTS = ["num_nodes", "num_feature", "num_target", "num_class", "num_trees", "size_leaf_vector", "num_deleted"]


def change_field(trees, rng):
    """One number of one array of some tree, or one that is written as text."""
    field = str(rng.choice([*WHOLE, *LONG, *BYTES, *TEXTS, "base_score"]))
    is_text = field in TEXTS or field == "base_score"
    start = field.encode() + (b"S" if is_text else b"[")
    places = [place for place in range(len(trees)) if trees.startswith(start, place)]
    place = places[rng.integers(len(places))] + len(start)
    if is_text:  # the marker is followed by L and the length
        new = rng.choice(["0", "1", "2", "-1", "7", "99999999", "4294967296", "nan", "[1E0,2E0]", "9" * 30]).encode()
        size = struct.unpack(">q", trees[place + 1 : place + 9])[0]
        return trees[: place + 1] + struct.pack(">q", len(new)) + new + trees[place + 9 + size :]
    place += len("$l#L")
    size = struct.unpack(">q", trees[place : place + 8])[0]
    kind = ">i" if field in WHOLE else ">q" if field in LONG else ">B"
    if not size or rng.random() < 0.1:  # another length
        return trees[:place] + struct.pack(">q", int(rng.choice([size + 1, 2**40, -1, 0]))) + trees[place + 8 :]
    width = struct.calcsize(kind)
    low, high = {4: (-(2**31), 2**31 - 1), 8: (-(2**63), 2**63 - 1), 1: (0, 255)}[width]
    number = int(rng.choice([low, high, 0, 1, 2, 3, 5, 100]))
    place += 8 + width * int(rng.integers(size))
    return trees[:place] + struct.pack(kind, number) + trees[place + width :]


def newer(data, rng):
    """A format of the future, and versions that are none."""
    entries = unpack(data)
    manifest = json.loads(entries[NAME])
    manifest["version"] = [FORMAT_VERSION + 1, 10**9, 0, -1, 1.0, "1", None][rng.integers(7)]
    if rng.random() < 0.3:
        manifest["written_by"] = JUNK[rng.integers(len(JUNK))]
    return b"".join(pack({**entries, NAME: json.dumps(manifest).encode()}))


DAMAGE = (
    flip_bytes,
    flip_header,
    cut,
    remove_bytes,
    insert_bytes,
    swap_parts,
    inflate_size,
    zip_again,
    zip_bomb,
    foreign,
    newer,
)
FORGERY = (
    remove_entry,
    rename_entry,
    change_json,
    change_text,
    change_array,
    change_numbers,
    change_trees,
    change_nodes,
)
CHANGES = {one.__name__.replace("_", " "): one for one in DAMAGE + FORGERY}
