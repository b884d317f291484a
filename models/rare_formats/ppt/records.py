"""Records of a deck of PowerPoint 97 to 2003: finds the current version of the document, its slides and its notes.

The file keeps old versions of what it saved. Each save has a directory of objects, and the newest entry of an object
counts. The records are described in [MS-PPT].
"""

import struct
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field
from typing import Final

from quire.models.cdom.errors import Encrypted, Malformed, ResourceLimit, UnsupportedFormat
from quire.models.extract.formats.common.compound import CompoundFile, StreamPath
from quire.models.extract.formats.flow.drawings import DrawnRecord, read_records

STREAM: Final = "PowerPoint Document"
_USER: Final = "Current User"
_DUAL: Final = "PP97_DUALSTORAGE"
"""Storage of the newer version in files that PowerPoint 95 can also open."""
_LOCKED: Final = 0xF3D1C4DF
"""Mark of the current user in an encrypted file."""
DOCUMENT, DOCUMENT_HEAD, SLIDE, SLIDE_HEAD, NOTES, MASTER = 0x03E8, 0x03E9, 0x03EE, 0x03EF, 0x03F0, 0x03F8
"""Kinds of records of the main objects, as the format numbers them."""
SLIDE_ENTRY, SLIDE_LIST, EDIT, DIRECTORY = 0x03F3, 0x0FF0, 0x0FF5, 0x1772
"""Kinds of records of lists and saves, as the format numbers them."""
TAGS, TAG, TAG_DATA = 0x1388, 0x138A, 0x138B
"""Kinds of records for additions of later versions, as the format numbers them."""
STRING: Final = 0x0FBA
"""Kinds of records, as the format numbers them."""
SLIDES, MASTERS, NOTES_LIST = 0, 1, 2
"""Instances of the lists of slides, masters and notes."""
_EDIT_HEAD: Final = struct.pack("<HHI", 0, EDIT, 28)
MAX_SAVES: Final = 10_000
"""Saves of one file: each adds a directory."""
MAX_OBJECTS: Final = 200_000
"""Objects of one file: a slide has two, itself and its notes."""
MAX_RECORDS: Final = 2_000_000
"""Records of one deck: a file of 50 MB rarely has a tenth of them."""
MAX_DEPTH: Final = 40
"""Nesting depth of records; deeper ones are ignored."""


@dataclass(frozen=True, slots=True)
class ListedSlide:
    """An entry of a list of slides: its object, its number, and the records of its outline text."""

    object: int
    number: int
    texts: list[DrawnRecord] = field(default_factory=list)


class PptFile:
    """The records of the newest version of a deck."""

    def __init__(self, file: CompoundFile) -> None:
        """Read the directory of objects.

        Raises:
            Encrypted: The deck has a password.
            UnsupportedFormat: An older PowerPoint wrote the deck.
            Malformed: The document is missing.
        """
        self.storage: StreamPath = (_DUAL,) if file.has(_DUAL, STREAM) else ()
        self.data = file.read((*self.storage, STREAM))
        self._objects: dict[int, int] = {}
        self._used: set[int] = set()
        self._budget = MAX_RECORDS
        document = self._read_edits(_find_edit(file.read((*self.storage, _USER)), self.data))
        root = self._record_at(self._objects.get(document, -1))
        if root is None or root.kind != DOCUMENT:
            raise Malformed("the deck holds no document")
        self.document = root

    def again(self) -> "PptFile":
        """Return the file with no object taken and no record read, for a second pass."""
        other = copy(self)
        other._used, other._budget = set(), MAX_RECORDS
        return other

    def children(self, record: DrawnRecord) -> list[DrawnRecord]:
        """Return the records inside a record.

        Raises:
            ResourceLimit: The deck has too many records.
        """
        found = list(read_records(self.data, record.start, record.end))
        self._budget -= len(found)
        if self._budget < 0:
            raise ResourceLimit("a deck with too many records")
        return found

    def walk(self, record: DrawnRecord, depth: int = 0) -> Iterator[DrawnRecord]:
        """Yield all records below a record in order, without it."""
        for child in self.children(record):
            yield child
            if child.container and depth < MAX_DEPTH:
                yield from self.walk(child, depth + 1)

    def child(self, record: DrawnRecord, kind: int, instance: int | None = None) -> DrawnRecord | None:
        """Return the first record of a kind inside a record."""
        matches = (child for child in self.children(record) if child.kind == kind)
        return next((child for child in matches if instance is None or child.instance == instance), None)

    def content(self, record: DrawnRecord) -> bytes:
        """Return the content of a record."""
        return self.data[record.start : record.end]

    def numbers(self, record: DrawnRecord | None, form: str, offset: int = 0) -> tuple[int, ...]:
        """Return numbers of a record; zeros when it is missing or shorter."""
        if record is None or record.start + offset + struct.calcsize(form) > record.end:
            return struct.unpack(form, bytes(struct.calcsize(form)))
        return struct.unpack_from(form, self.data, record.start + offset)

    def string(self, record: DrawnRecord) -> str:
        """Return the text of a string record."""
        return self.content(record).decode("utf-16-le", "replace").rstrip("\0")

    def listed(self, instance: int) -> list[ListedSlide]:
        """Return the entries of the list of slides, masters or notes."""
        entries: list[ListedSlide] = []
        found = self.child(self.document, SLIDE_LIST, instance)
        for record in self.children(found) if found is not None else ():
            if record.kind == SLIDE_ENTRY:
                reference, number = self.numbers(record, "<I8xI")
                entries.append(ListedSlide(reference, number))
            elif entries:
                entries[-1].texts.append(record)
        return entries

    def take(self, reference: int, kind: int) -> DrawnRecord | None:
        """Return an object of that kind; None when it is missing, of another kind or taken before."""
        offset = self._objects.get(reference, -1)
        record = self._record_at(offset) if offset not in self._used else None
        self._used.add(offset)
        return record if record is not None and record.kind == kind else None

    def tag_records(self, record: DrawnRecord, name: str) -> Iterator[DrawnRecord]:
        """Yield the records that a later version of PowerPoint added to a record under its name (`___PPT9`)."""
        tags = self.child(record, TAGS)
        for tag in self.children(tags) if tags is not None else ():
            inner = self.children(tag) if tag.kind == TAG else []
            if any(part.kind == STRING and self.string(part) == name for part in inner):
                for part in inner:
                    if part.kind == TAG_DATA:
                        yield from self.children(part)

    def _record_at(self, offset: int) -> DrawnRecord | None:
        return next(read_records(self.data, offset, len(self.data)), None) if offset >= 0 else None

    def _read_edits(self, offset: int) -> int:
        """Read the directories from the newest save to the oldest; return the object of the document."""
        document, seen = 0, set[int]()
        while offset not in seen and len(seen) < MAX_SAVES:
            seen.add(offset)
            edit = self._record_at(offset)
            if edit is None or edit.kind != EDIT:
                break
            previous, directory, reference = self.numbers(edit, "<8xIII")
            document = document or reference
            self._read_directory(directory)
            offset = previous or -1
        return document

    def _read_directory(self, offset: int) -> None:
        record = self._record_at(offset)
        if record is None or record.kind != DIRECTORY:
            return
        start = record.start
        while start + 4 <= record.end:
            head = struct.unpack_from("<I", self.data, start)[0]
            first, count = head & 0xFFFFF, head >> 20
            count = min(count, (record.end - start - 4) // 4)
            for index, position in enumerate(struct.unpack_from(f"<{count}I", self.data, start + 4)):
                self._objects.setdefault(first + index, position)
            if len(self._objects) > MAX_OBJECTS:
                raise ResourceLimit("a deck with too many objects")
            start += 4 + 4 * count if count else 4


def _find_edit(user: bytes, data: bytes) -> int:
    """Return the offset of the newest save: as the current user states it, else the last one in the stream."""
    if len(user) >= 20:
        mark, offset = struct.unpack_from("<II", user, 12)
        if mark == _LOCKED:
            raise Encrypted()
        if data[offset + 2 : offset + 4] == _EDIT_HEAD[2:4]:
            return int(offset)
    found = data.rfind(_EDIT_HEAD)
    if found < 0:
        raise UnsupportedFormat("PowerPoint 95 and older is not read; save it as .pptx or PDF")
    return found
