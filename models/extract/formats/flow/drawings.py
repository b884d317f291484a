"""Records of Office drawings: bytes in, shapes with their pictures and the positions of picture bytes out.

Every length is cut at the end of its container. Records are counted, so that overlapping ones cannot multiply the work.
"""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from quire.models.extract.formats.flow.blocks import clean, fold

MAX_RECORDS: Final = 50
"""Records read for one picture in the text: its shape has about five, its picture one."""
MAX_PROPERTIES: Final = 300
"""Properties of one shape: the format defines fewer."""
MAX_ALT_BYTES: Final = 20_000
"""Bytes of one alternative text; Office programs stop at some hundred characters."""
MAX_DRAWN: Final = 1_000_000
"""Records of all floating drawings: a shape has about six, a file of 50 MB room for that many."""
MAX_DEPTH: Final = 40
"""Nesting depth of groups; deeper ones are ignored."""
STORE, ENTRY, DRAWING, GROUP, SHAPE, SHAPE_HEAD, PROPERTIES = 0xF001, 0xF007, 0xF002, 0xF003, 0xF004, 0xF00A, 0xF00B
"""Kinds of records, as the format numbers them."""
_KINDS: Final = {
    0xF01A: "emf", 0xF01B: "wmf", 0xF01C: "pict", 0xF01D: "jpg", 0xF01E: "png", 0xF01F: "dib", 0xF029: "tiff",
    0xF02A: "jpg",
}  # fmt: skip
_METAFILES: Final = ("emf", "wmf", "pict")
_HEAD_BYTES, _ENTRY_BYTES, _DIGEST_BYTES, _METAFILE_BYTES = 8, 36, 16, 34
"""Bytes of the format's heads: of a record, of an entry of the store, of a digest, of a metafile."""
_PICTURE, _ALT = 0x0104, 0x0381
"""Properties of a shape: the number of its picture, its alternative text."""
_COMPLEX: Final = 0x8000
"""The bit of a property whose value follows all of them."""
_PLACEABLE: Final = 0x9AC6CDD7
"""First bytes of a metafile that states its size."""
_PER_INCH: Final = 1440
"""Units per inch of the size to write: twentieths of a point."""
_EMU: Final = 635
"""English metric units in one twentieth of a point."""


@dataclass(frozen=True, slots=True)
class DrawnRecord:
    """A record: its kind, the number in its head, and the start and end of its content."""

    kind: int
    instance: int
    start: int
    end: int
    container: bool


@dataclass(frozen=True, slots=True)
class DrawnShape:
    """A shape: its number, the number of its picture (0 = none), its alternative text."""

    number: int = 0
    picture: int = 0
    alt: str = ""


@dataclass(frozen=True, slots=True)
class StoredPicture:
    """Position of a picture's bytes; `size` is their unpacked size as the file states it."""

    kind: str
    start: int
    end: int
    size: int
    head: int = 0
    packed: bool = False


def read_records(data: bytes, start: int, end: int) -> Iterator[DrawnRecord]:
    """Yield the records between two bytes, without those inside them."""
    end = min(end, len(data))
    while start + _HEAD_BYTES <= end:
        bits, kind, size = struct.unpack_from("<HHI", data, start)
        start += _HEAD_BYTES
        yield DrawnRecord(kind, bits >> 4, start, min(end, start + size), bits & 0xF == 0xF)
        start += size


def read_shape(data: bytes, record: DrawnRecord) -> DrawnShape:
    """Return the shape that a record of that kind holds."""
    number, picture, alt = 0, 0, ""
    for count, inner in enumerate(read_records(data, record.start, record.end)):
        if count >= MAX_RECORDS:
            break
        if inner.kind == SHAPE_HEAD and inner.end - inner.start >= 4:
            number = struct.unpack_from("<I", data, inner.start)[0]
        elif inner.kind == PROPERTIES:
            picture, alt = _read_properties(data, inner)
            break
    return DrawnShape(number, picture, alt)


def _read_properties(data: bytes, record: DrawnRecord) -> tuple[int, str]:
    """Return the number of the picture and the alternative text."""
    picture, alt = 0, ""
    count = min(record.instance, (record.end - record.start) // 6)
    value_start = record.start + 6 * count
    for index in range(min(count, MAX_PROPERTIES)):
        code, value = struct.unpack_from("<HI", data, record.start + 6 * index)
        if code & _COMPLEX:
            if code & 0x3FFF == _ALT:
                raw = data[value_start : min(record.end, value_start + min(value, MAX_ALT_BYTES))]
                alt = fold(clean(raw.decode("utf-16-le", "replace").partition("\0")[0])).strip()
            value_start += value
        elif code & 0x3FFF == _PICTURE:
            picture = value
    return picture, alt


def read_groups(data: bytes, start: int) -> Iterator[tuple[int, list[DrawnShape]]]:
    """Yield the number of each floating object and its shapes; a group has more than one."""
    budget = MAX_DRAWN
    while start + 1 + _HEAD_BYTES <= len(data):
        drawing = next(read_records(data, start + 1, len(data)))
        if drawing.kind != DRAWING:
            return
        for group in read_records(data, drawing.start, drawing.end):
            for record in read_records(data, group.start, group.end) if group.kind == GROUP else ():
                shapes, read_count = _read_group(data, record, budget)
                budget -= read_count
                if budget <= 0:
                    return
                if shapes:
                    yield shapes[0].number, shapes
        start = drawing.end


def _read_group(data: bytes, record: DrawnRecord, budget: int) -> tuple[list[DrawnShape], int]:
    """Return the shapes of one object in order, and the number of records read."""
    shapes: list[DrawnShape] = []
    stack, read_count = [(record, 0)], 0
    while stack and read_count < budget:
        current, depth = stack.pop()
        read_count += 1
        if current.kind == SHAPE:
            shapes.append(read_shape(data, current))
        elif current.kind == GROUP and depth < MAX_DEPTH:
            inner = list(read_records(data, current.start, current.end))
            stack += [(child, depth + 1) for child in reversed(inner)]
    return shapes, read_count


def read_picture(data: bytes, record: DrawnRecord, stream: bytes) -> tuple[StoredPicture, bytes] | None:
    """Return the picture of a store entry or of a picture record, and the bytes that contain it; None when broken."""
    if record.kind != ENTRY:
        picture = _read_stored(data, record)
        return (picture, data) if picture else None
    if record.end - record.start < _ENTRY_BYTES:
        return None
    offset, name = struct.unpack_from("<I4xxB", data, record.start + 28)[0], data[record.start + 33]
    inner = next(read_records(data, record.start + _ENTRY_BYTES + name, record.end), None)
    if inner is not None:
        picture = _read_stored(data, inner)
        return (picture, data) if picture else None
    inner = next(read_records(stream, offset, len(stream)), None) if offset < len(stream) else None
    picture = _read_stored(stream, inner) if inner is not None else None
    return (picture, stream) if picture else None


def _read_stored(data: bytes, record: DrawnRecord) -> StoredPicture | None:
    kind = _KINDS.get(record.kind)
    start = record.start + _DIGEST_BYTES * (2 if record.instance & 1 else 1)
    if kind is None or start >= record.end:
        return None
    if kind not in _METAFILES:
        return StoredPicture(kind, start + 1, record.end, record.end - start - 1)
    if start + _METAFILE_BYTES > record.end:
        return None
    size = struct.unpack_from("<I", data, start)[0]
    packed = data[start + 32] == 0
    return StoredPicture(kind, start + _METAFILE_BYTES, record.end, size, start, packed)


def unpack_picture(data: bytes, picture: StoredPicture) -> bytes:
    """Return the picture as a file of its kind; empty when its bytes contradict its head."""
    raw = data[picture.start : picture.end]
    if picture.packed:
        unpacked = _inflate(raw, picture.size)
        raw = _with_size(data, picture, unpacked) if picture.kind == "wmf" and unpacked else unpacked
    return _as_bitmap(raw) if picture.kind == "dib" else raw


class StoredPictures:
    """Pictures by name; their bytes are read on demand."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[StoredPicture, bytes]] = {}

    def size(self, name: str) -> int:
        """Return the unpacked size of a picture in bytes."""
        return self._found[name][0].size if name in self._found else 0

    def read(self, name: str) -> bytes:
        """Return the bytes of a picture; empty for an unknown name."""
        if name not in self._found:
            return b""
        picture, data = self._found[name]
        return unpack_picture(data, picture)


def _inflate(raw: bytes, size: int) -> bytes:
    """Return the unpacked bytes if they have the stated size, which was counted before."""
    stream = zlib.decompressobj()
    try:
        unpacked = stream.decompress(raw, size + 1)
    except zlib.error:
        return b""
    return unpacked if len(unpacked) == size else b""


def _with_size(data: bytes, picture: StoredPicture, raw: bytes) -> bytes:
    """Return a Windows metafile with the head that states its size, as such files have."""
    width, height = struct.unpack_from("<ii", data, picture.head + 20)
    sides = [max(0, min(32_767, side // _EMU)) for side in (width, height)]
    head = struct.pack("<IHhhhhHI", _PLACEABLE, 0, 0, 0, *sides, _PER_INCH, 0)
    check = 0
    for (word,) in struct.iter_unpack("<H", head):
        check ^= word
    return head + struct.pack("<H", check) + raw


def _as_bitmap(raw: bytes) -> bytes:
    """Return a bitmap with a file head, which states where the pixels begin."""
    if len(raw) < 40:
        return b""
    size, bits, compression, colours = (
        *struct.unpack_from("<I", raw),
        *struct.unpack_from("<HI", raw, 14),
        *struct.unpack_from("<I", raw, 32),
    )
    table = min(colours, 256) if colours or bits > 8 else 1 << bits
    start = 14 + size + 4 * table + (12 if compression == 3 and size == 40 else 0)
    return struct.pack("<2sIHHI", b"BM", 14 + len(raw), 0, 0, start) + raw
