"""A zip archive that has one form only: named entries one after the other, as they are, without compression.

The same entries are always the same bytes, whatever the version of a library for compression; a few bytes can never
become many when they are read; and a byte that differs from what `pack` writes is noticed. Any program reads it.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping

#: A larger archive is neither written nor read; beyond four gigabytes there would be another format of zip.
LARGEST = 2**30
#: More entries, and longer names, are not needed.
MOST_ENTRIES, LONGEST_NAME = 50_000, 100
#: Version 2.0 of the format; no flags; stored as it is; 1 January 1980, the first day that zip knows.
SAME_FOR_ALL = (20, 0, 0, 0, (1 << 5) | 1)
LOCAL = struct.Struct("<4s5H3I2H")
CENTRAL = struct.Struct("<4sH5H3I5H2I")
END = struct.Struct("<4s4H2IH")


def pack(entries: Mapping[str, bytes]) -> Iterator[bytes]:
    """The bytes of an archive, piece by piece."""
    for name, data in entries.items():
        yield _local_header(name, data)
        yield data
    yield _directory(entries)


def size_of(entries: Mapping[str, bytes]) -> int:
    """Length of the archive."""
    names = sum(len(name) for name in entries)
    return sum(map(len, entries.values())) + (LOCAL.size + CENTRAL.size) * len(entries) + 2 * names + END.size


def unpack(archive: bytes) -> dict[str, bytes]:
    """Entries of an archive that `pack` has made.

    Examples
    --------
    >>> unpack(b"".join(pack({"a.txt": b"some", "b.txt": b"words"})))
    {'a.txt': b'some', 'b.txt': b'words'}
    """
    entries: dict[str, bytes] = {}
    place = 0
    while archive[place : place + 4] == b"PK\x03\x04":
        name, data = _read_entry(archive, place)
        if name in entries or len(entries) == MOST_ENTRIES:
            raise ValueError(f"the entry {name} occurs twice, or there are too many")
        entries[name] = data
        place += LOCAL.size + len(name) + len(data)
    if archive[place:] != _directory(entries):
        raise ValueError("it is cut short, or its list of contents is not that of its contents")
    return entries


def _read_entry(archive: bytes, place: int) -> tuple[str, bytes]:
    """Name and data of the entry that begins at some place."""
    if place + LOCAL.size > len(archive):
        raise ValueError("it is cut short")
    *_, size, length, _ = LOCAL.unpack_from(archive, place)
    begin = place + LOCAL.size + length
    if length > LONGEST_NAME or begin + size > len(archive):
        raise ValueError("it is cut short, or a size in it is wrong")
    name, data = archive[begin - length : begin].decode("ascii"), archive[begin : begin + size]
    if archive[place:begin] != _local_header(name, data):
        raise ValueError(f"the entry {name!r} is not as it was written")
    return name, data


def _local_header(name: str, data: bytes) -> bytes:
    facts = (zlib.crc32(data), len(data), len(data), len(name), 0)
    return LOCAL.pack(b"PK\x03\x04", *SAME_FOR_ALL, *facts) + name.encode("ascii")


def _directory(entries: Mapping[str, bytes]) -> bytes:
    """The list of contents, which comes last."""
    listed, place = [], 0
    for name, data in entries.items():
        facts = (zlib.crc32(data), len(data), len(data), len(name), 0, 0, 0, 0, 0, place)
        listed += [CENTRAL.pack(b"PK\x01\x02", 20, *SAME_FOR_ALL, *facts), name.encode("ascii")]
        place += LOCAL.size + len(name) + len(data)
    directory = b"".join(listed)
    count = len(entries)
    return directory + END.pack(b"PK\x05\x06", 0, 0, count, count, len(directory), place, 0)
