"""Pictures of a Word file: places in its streams in, pictures with their bytes out.

One in the text is a sign with the place of its bytes in the stream `Data`; one that floats is a sign where it is
anchored, by number a shape of the file's drawings.
"""

import struct
from dataclasses import dataclass
from typing import Final

from models.cdom.errors import ResourceLimit
from models.extract.formats.word.doc.drawings import (
    MAX_RECORDS,
    SHAPE,
    STORE,
    DrawnShape,
    StoredPicture,
    read_groups,
    read_picture,
    read_records,
    read_shape,
    unpack_picture,
)
from models.extract.formats.word.doc.fib import ANCHORS, DRAWINGS, WordStreams

MAX_PICTURES: Final = 20_000
"""Pictures that one file shows; each becomes a block. A package may have as many parts."""
MAX_STORED: Final = 20_000
"""Pictures that floating shapes may name."""
BROKEN: Final = "broken"
"""Asset of a picture whose bytes cannot be found."""
_HEAD_BYTES: Final = 68
"""Bytes before the shape of a picture in the text, as the format says."""
_LINKED: Final = 0x66
"""The kind of a picture that names a file outside."""
_ANCHOR_BYTES: Final = 26
"""Bytes that the table of anchors holds for each beside its place."""


@dataclass(frozen=True, slots=True)
class WordPicture:
    """`asset` names the bytes; None when they lie outside the file."""

    asset: str | None
    alt: str = ""


class WordPictures:
    """The pictures of one file by the name of their asset; their bytes are read when asked for."""

    def __init__(self, streams: WordStreams, data: bytes) -> None:
        """`data` is the stream of that name. Raises `ResourceLimit`."""
        self._data, self._main = data, streams.main
        self._drawn = streams.part(DRAWINGS)
        self._found: dict[str, tuple[StoredPicture, bytes]] = {}
        self._inline: dict[int, WordPicture | None] = {}
        self._count = 0
        anchors = streams.part(ANCHORS)
        count = max(0, (len(anchors) - 4) // (4 + _ANCHOR_BYTES))
        places = struct.unpack_from(f"<{count}i", anchors) if count else ()
        self._anchored = {
            place: struct.unpack_from("<I", anchors, 4 * (count + 1) + _ANCHOR_BYTES * at)[0]
            for at, place in enumerate(places)
        }
        self._floating = self._read_floating() if self._anchored else {}

    def size(self, name: str) -> int:
        return self._found[name][0].size if name in self._found else 0

    def read(self, name: str) -> bytes:
        if name not in self._found:
            return b""
        picture, data = self._found[name]
        return unpack_picture(data, picture)

    def in_text(self, place: int) -> list[WordPicture]:
        """The picture at a byte of `Data`; none where a shape without one lies. Raises `ResourceLimit`."""
        self._count_on(1)
        if place not in self._inline:
            self._inline[place] = self._read_inline(place)
        found = self._inline[place]
        return [found] if found is not None else []

    def floating(self, place: int) -> list[WordPicture]:
        """The pictures that are anchored at a character of the text. Raises `ResourceLimit`."""
        found = self._floating.get(self._anchored.get(place, 0), [])
        self._count_on(len(found))
        return found

    def _count_on(self, by: int) -> None:
        self._count += by
        if self._count > MAX_PICTURES:
            raise ResourceLimit(f"more than {MAX_PICTURES} pictures")

    def _read_inline(self, place: int) -> WordPicture | None:
        data = self._data
        if not 0 <= place <= len(data) - _HEAD_BYTES:
            return WordPicture(BROKEN)
        size, head, kind = struct.unpack_from("<IHH", data, place)
        if head < _HEAD_BYTES or size < head:
            return WordPicture(BROKEN)
        start, end = place + head, min(len(data), place + size)
        if kind == _LINKED and start < end:
            start += 1 + data[start]
        shape: DrawnShape | None = None
        for count, record in enumerate(read_records(data, start, end)):
            if count >= MAX_RECORDS:
                break
            if record.kind == SHAPE:
                shape = read_shape(data, record)
            elif (found := read_picture(data, record, b"")) is not None:
                return WordPicture(self._keep(f"text-{place}", found), shape.alt if shape else "")
        if kind == _LINKED:
            return WordPicture(None, shape.alt if shape else "")
        return WordPicture(BROKEN, shape.alt if shape else "") if shape is None or shape.picture else None

    def _keep(self, name: str, found: tuple[StoredPicture, bytes]) -> str:
        kind = found[0].kind
        name = f"{name}.{'bmp' if kind == 'dib' else kind}"
        self._found[name] = found
        return name

    def _read_floating(self) -> dict[int, list[WordPicture]]:
        """By number of a shape its pictures: its own, or those of the shapes of a group."""
        drawn = self._drawn
        top = next(read_records(drawn, 0, len(drawn)), None)
        if top is None:
            return {}
        stores = (one for one in read_records(drawn, top.start, top.end) if one.kind == STORE)
        store = next(stores, None)
        stored: list[str] = []
        for number, record in enumerate(read_records(drawn, store.start, store.end) if store else ()):
            if number >= MAX_STORED:
                raise ResourceLimit(f"more than {MAX_STORED} pictures")
            found = read_picture(drawn, record, self._main)
            stored.append(self._keep(f"drawn-{number + 1}", found) if found is not None else BROKEN)
        return {
            number: [
                WordPicture(stored[shape.picture - 1] if shape.picture <= len(stored) else BROKEN, shape.alt)
                for shape in shapes
                if shape.picture
            ]
            for number, shapes in read_groups(drawn, top.end)
        }
