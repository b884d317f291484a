"""Records of binary Excel parts: bytes in, kind and data out; strings and areas inside them."""

import struct
from collections.abc import Iterator

from models.extract.formats.flow.sheet import Area


def read_records(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Kind and data of each record, to the end of the part."""
    at, end = 0, len(data)
    while at < end:
        kind = data[at]
        at += 1
        if kind & 0x80 and at < end:
            kind = (kind & 0x7F) | (data[at] & 0x7F) << 7
            at += 1
        size = shift = 0
        while at < end and shift < 28:
            byte = data[at]
            at += 1
            size |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                break
        yield kind, data[at : at + size]
        at += size


def read_string(data: bytes, at: int = 0) -> tuple[str, int]:
    """A string at a place, and where it ends."""
    count = struct.unpack_from("<I", data, at)[0]
    if count == 0xFFFFFFFF:
        return "", at + 4
    end = at + 4 + 2 * count
    return data[at + 4 : end].decode("utf-16-le", "replace"), min(end, len(data))


def read_area(data: bytes, at: int = 0) -> Area:
    """Rows, then columns, as these files write an area."""
    top, bottom, left, right = struct.unpack_from("<IIII", data, at)
    return top, left, bottom, right
