"""Pictures of a Word file: positions in its streams in, pictures with their bytes out.

A picture in the text is a character with the position of its bytes in the stream `Data`. A floating picture is a
character at its anchor, and a shape of the file's drawings by number.
"""

import struct
from dataclasses import dataclass
from typing import Final

from quire.models.cdom.errors import ResourceLimit
from quire.models.extract.formats.flow.drawings import (
    MAX_RECORDS,
    SHAPE,
    STORE,
    DrawnShape,
    StoredPicture,
    StoredPictures,
    read_groups,
    read_picture,
    read_records,
    read_shape,
)
from quire.models.rare_formats.doc.fib import ANCHORS, DRAWINGS, WordStreams

MAX_PICTURES: Final = 20_000
"""Pictures that one file shows; each becomes a block. A package may have as many parts."""
MAX_STORED: Final = 20_000
"""Pictures that floating shapes may use."""
BROKEN: Final = "broken"
"""Asset of a picture whose bytes are missing or broken."""
_HEAD_BYTES: Final = 68
"""Bytes before the shape of a picture in the text, by the format."""
_LINKED: Final = 0x66
"""The kind of a picture in an external file."""
_ANCHOR_BYTES: Final = 26
"""Bytes of an anchor table entry after its position."""


@dataclass(frozen=True, slots=True)
class WordPicture:
    """A picture; `asset` names its bytes and is missing for external pictures."""

    asset: str | None
    alt: str = ""


class WordPictures(StoredPictures):
    """The pictures of one file by asset name; their bytes are read on demand."""

    def __init__(self, streams: WordStreams, data: bytes) -> None:
        """Locate the floating pictures; `data` is the stream of that name.

        Raises:
            ResourceLimit: There are too many pictures.
        """
        self._data, self._main = data, streams.main
        self._drawn = streams.part(DRAWINGS)
        super().__init__()
        self._inline: dict[int, WordPicture | None] = {}
        self._count = 0
        anchors = streams.part(ANCHORS)
        count = max(0, (len(anchors) - 4) // (4 + _ANCHOR_BYTES))
        positions = struct.unpack_from(f"<{count}i", anchors) if count else ()
        self._anchored = {
            position: struct.unpack_from("<I", anchors, 4 * (count + 1) + _ANCHOR_BYTES * index)[0]
            for index, position in enumerate(positions)
        }
        self._floating = self._read_floating() if self._anchored else {}

    def in_text(self, position: int) -> list[WordPicture]:
        """Return the picture at a byte of `Data`; none for a shape without a picture.

        Raises:
            ResourceLimit: There are too many pictures.
        """
        self._count_on(1)
        if position not in self._inline:
            self._inline[position] = self._read_inline(position)
        picture = self._inline[position]
        return [picture] if picture is not None else []

    def floating(self, position: int) -> list[WordPicture]:
        """Return the pictures anchored at a character of the text.

        Raises:
            ResourceLimit: There are too many pictures.
        """
        pictures = self._floating.get(self._anchored.get(position, 0), [])
        self._count_on(len(pictures))
        return pictures

    def _count_on(self, by: int) -> None:
        self._count += by
        if self._count > MAX_PICTURES:
            raise ResourceLimit(f"more than {MAX_PICTURES} pictures")

    def _read_inline(self, position: int) -> WordPicture | None:
        data = self._data
        if not 0 <= position <= len(data) - _HEAD_BYTES:
            return WordPicture(BROKEN)
        size, head, kind = struct.unpack_from("<IHH", data, position)
        if head < _HEAD_BYTES or size < head:
            return WordPicture(BROKEN)
        start, end = position + head, min(len(data), position + size)
        if kind == _LINKED and start < end:
            start += 1 + data[start]
        shape: DrawnShape | None = None
        for count, record in enumerate(read_records(data, start, end)):
            if count >= MAX_RECORDS:
                break
            if record.kind == SHAPE:
                shape = read_shape(data, record)
            elif (stored := read_picture(data, record, b"")) is not None:
                return WordPicture(self._store(f"text-{position}", stored), shape.alt if shape else "")
        if kind == _LINKED:
            return WordPicture(None, shape.alt if shape else "")
        return WordPicture(BROKEN, shape.alt if shape else "") if shape is None or shape.picture else None

    def _store(self, name: str, stored: tuple[StoredPicture, bytes]) -> str:
        kind = stored[0].kind
        name = f"{name}.{'bmp' if kind == 'dib' else kind}"
        self._found[name] = stored
        return name

    def _read_floating(self) -> dict[int, list[WordPicture]]:
        """Return the pictures of each shape by number: its own, or those of a group's shapes."""
        drawn = self._drawn
        top = next(read_records(drawn, 0, len(drawn)), None)
        if top is None:
            return {}
        stores = (record for record in read_records(drawn, top.start, top.end) if record.kind == STORE)
        store = next(stores, None)
        stored: list[str] = []
        for number, record in enumerate(read_records(drawn, store.start, store.end) if store else ()):
            if number >= MAX_STORED:
                raise ResourceLimit(f"more than {MAX_STORED} pictures")
            picture = read_picture(drawn, record, self._main)
            stored.append(self._store(f"drawn-{number + 1}", picture) if picture is not None else BROKEN)
        return {
            number: [
                WordPicture(stored[shape.picture - 1] if shape.picture <= len(stored) else BROKEN, shape.alt)
                for shape in shapes
                if shape.picture
            ]
            for number, shapes in read_groups(drawn, top.end)
        }
