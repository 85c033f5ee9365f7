"""Values, arrays and archives: what is written is read again, and nothing else is."""

from __future__ import annotations

import io
import json
import math
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as nps

from hazboost.files.archive import pack, size_of, unpack
from hazboost.files.document import from_json, to_json
from hazboost.files.entries import DTYPES, EntryReader, EntryWriter
from hazboost.files.plain import Plain
from hazboost.files.values import Flag, Many, Maybe, Number, Numbers, OneOf, Pairs, Record, Text, Whole

DATES = st.dates() | st.datetimes().map(lambda one: one.replace(fold=0))
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | DATES
ARRAYS = st.sampled_from(DTYPES).flatmap(lambda dtype: nps.arrays(dtype, nps.array_shapes(min_dims=0, min_side=0)))
VALUES = st.recursive(
    SCALARS,
    lambda one: st.lists(one) | st.lists(one).map(tuple) | st.dictionaries(st.text() | st.integers(), one),
    max_leaves=15,
)


def round_trip(kind, value):
    """What is read of what was written, through JSON and an archive."""
    writer = EntryWriter()
    written = to_json(kind.write(value, writer))
    entries = unpack(b"".join(pack({"model.json": written, **writer.entries})))
    reader = EntryReader({name: data for name, data in entries.items() if name != "model.json"})
    read = kind.read(from_json(entries["model.json"]), reader)
    assert not reader.left
    return read


@given(VALUES)
def test_plain_values(value):
    read = round_trip(Plain(), value)
    assert read == value
    assert repr(read) == repr(value)  # of the same types


@given(ARRAYS)
def test_arrays(values):
    read = round_trip(Plain(), values)
    assert read.dtype == values.dtype.newbyteorder("=")
    assert read.tobytes() == values.tobytes()
    assert read.shape == values.shape


@given(st.floats())
def test_numbers_keep_every_bit(value):
    read = round_trip(Number(), value)
    assert read == value or (math.isnan(read) and math.isnan(value))
    assert math.copysign(1.0, read) == math.copysign(1.0, value) or math.isnan(value)


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_order_of_an_array_is_kept(order):
    """Products of matrices may be rounded in another way in another order."""
    read = round_trip(Numbers(np.float64, 2), np.asarray(np.arange(6.0).reshape(2, 3), order=order))
    assert read.flags[f"{order}_CONTIGUOUS"]
    assert read.tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]


@given(ARRAYS)
def test_numpy_reads_the_arrays(values):
    writer = EntryWriter()
    writer.add_array(values)
    (data,) = writer.entries.values()
    assert np.load(io.BytesIO(data), allow_pickle=False).tobytes() == values.tobytes()


@given(st.dictionaries(st.text("abc/.", min_size=1, max_size=9), st.binary(max_size=50), max_size=5))
def test_an_archive_is_a_zip(entries):
    data = b"".join(pack(entries))
    assert len(data) == size_of(entries)
    assert unpack(data) == entries
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == entries


REFUSED = {
    "text for a number": (Number(), "1.5"),
    "a whole number for a number": (Number(), 1),
    "zero": (Number(positive=True), 0.0),
    "infinite": (Number(positive=True), "inf"),
    "not a number": (Number(positive=True), "nan"),
    "true for a whole number": (Whole(0), True),
    "a number for a whole one": (Whole(0), 1.0),
    "negative": (Whole(0), -1),
    "a whole number for a flag": (Flag(), 1),
    "null": (Text(), None),
    "another text": (Text(("a", "b")), "c"),
    "no list": (Many(Text()), "ab"),
    "too few": (Many(Text(), least=1), []),
    "one wrong": (Many(Text()), ["a", 1]),
    "no pairs": (Pairs(Text(), Text()), [["a"]]),
    "twice": (Pairs(Text(), Text()), [["a", "b"], ["a", "c"]]),
    "an object for pairs": (Pairs(Text(), Text()), {"a": "b"}),
    "no array": (Numbers(np.float64), [1.0]),
    "a wrong field": (Record(dict, {"a": Text()}), {"b": "c"}),
    "one field more": (Record(dict, {"a": Text()}), {"a": "c", "b": "c"}),
    "no class": (OneOf({dict: Record(dict, {})}), {}),
    "another class": (OneOf({dict: Record(dict, {})}), {"class": "list"}),
    "maybe": (Maybe(Whole(0)), "x"),
    "an unknown form": (Plain(), {"evil": 1}),
    "two forms": (Plain(), {"tuple": [], "dict": []}),
    "no generator": (Plain(), {"generator": [1, 2, 3, 4]}),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_values_are_refused(name):
    kind, found = REFUSED[name]
    with pytest.raises(ValueError, match=r"\w"):
        kind.read(found, EntryReader({}))


@pytest.mark.parametrize("text", [b"", b"{", b"NaN", b'{"a":1,"a":2}', b"\xff", b"[" * 100_000, b"9" * 10_000])
def test_bad_json_is_refused(text):
    with pytest.raises(ValueError, match=r"\w"):
        from_json(text)


def test_arrays_must_have_the_size_that_they_say():
    writer = EntryWriter()
    facts = json.loads(to_json(writer.add_array(np.arange(3.0))))
    for change in ({"shape": [4]}, {"shape": [2**39]}, {"shape": [-3]}, {"type": "<i8"}, {"type": "|O"}, {"shape": 3}):
        with pytest.raises(ValueError, match="an array has"):
            EntryReader(dict(writer.entries)).take_array({**facts, **change})
