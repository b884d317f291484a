"""Compound files: bytes in, streams by path out. Chains that loop or leave the file end as `Malformed`."""

import struct
from array import array
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from quire.models.cdom.errors import Malformed, ResourceLimit
from quire.models.cdom.tree import Metadata

MAX_ENTRIES: Final = 100_000
"""Streams and storages of one file; a mailbox item with thousands of recipients has fewer."""
MAX_DEPTH: Final = 200
"""Nesting depth of storages: messages attached to messages take two levels each."""
_MAGIC: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_END: Final = 0xFFFFFFFA
"""Sector numbers from here on are markers: end, free, table."""
_NONE: Final = 0xFFFFFFFF
"""Marker for "no sector" or "no entry", by the format."""
_ENTRY_BYTES: Final = 128
"""Bytes of a directory entry, by the format."""
_STORAGE, _STREAM, _ROOT = 1, 2, 5
"""Kinds of entries, as the format numbers them."""

StreamPath = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Entry:
    """One entry of the directory, with its neighbours by number."""

    name: str
    kind: int
    left: int
    right: int
    child: int
    start: int
    size: int


def is_compound(data: bytes) -> bool:
    """Return whether the bytes begin as a compound file does."""
    return data.startswith(_MAGIC)


class CompoundFile:
    """The streams of a file: located on opening, read on demand."""

    def __init__(self, data: bytes) -> None:
        """Read the directory.

        Raises:
            Malformed: The file has no readable directory.
        """
        if len(data) < 512 or not data.startswith(_MAGIC):
            raise Malformed("no compound file")
        self._data = data
        major, shift, mini = struct.unpack_from("<H2xHH", data, 26)
        if not (7 <= shift <= 16 and 1 <= mini <= shift):
            raise Malformed("a compound file with odd sectors")
        self._size, self._mini_size = 1 << shift, 1 << mini
        first_directory, self._cutoff, first_mini, _, first_difat, difats = struct.unpack_from("<I4xIIIII", data, 48)
        self._long_sizes = major >= 4
        self._fat = self._read_fat(first_difat, difats)
        self._entries = self._read_directory(first_directory)
        self._mini_fat = self._numbers(self._chain(first_mini, self._fat)) if first_mini < _END else array("I")
        self._mini: bytes | None = None
        self.paths: dict[StreamPath, _Entry] = {}
        self.storages: set[StreamPath] = {()}
        if self._entries:
            self._walk(self._entries[0].child, ())
        self._folded = {_fold(path): entry for path, entry in self.paths.items()}

    def read(self, path: StreamPath) -> bytes:
        """Return the bytes of a stream, ignoring case; empty when it does not exist.

        Raises:
            Malformed: The chain of its sectors is broken.
        """
        entry = self.paths.get(path) or self._folded.get(_fold(path))
        if entry is None:
            return b""
        if entry.size < self._cutoff:
            if self._mini is None:
                root = self._entries[0]
                self._mini = self._join(root.start, root.size)
            size = self._mini_size
            chain = self._chain(entry.start, self._mini_fat) if entry.size else []
            return b"".join(self._mini[sector * size : (sector + 1) * size] for sector in chain)[: entry.size]
        return self._join(entry.start, entry.size)

    @property
    def is_cut_off(self) -> bool:
        """Whether the file lacks sectors that its tables use."""
        used = max((number for number, following in enumerate(self._fat) if following != _NONE), default=-1)
        return bool((max(used, self._last_table) + 1) * self._size >= len(self._data))

    def has(self, *path: str) -> bool:
        """Return whether the stream exists, ignoring case."""
        return path in self.paths or _fold(path) in self._folded

    def root_names(self) -> set[str]:
        """Return the names of streams and storages in the root storage, in lower case."""
        return {path[0].lower() for path in (*self.paths, *self.storages) if len(path) == 1}

    def find(self, name: str) -> StreamPath | None:
        """Return the path of a stream in the root storage by its name, ignoring case."""
        return next((path for path in self.paths if len(path) == 1 and path[0].lower() == name.lower()), None)

    def _read_fat(self, first: int, count: int) -> "array[int]":
        sectors = [number for number in struct.unpack_from("<109I", self._data, 76) if number < _END]
        seen: set[int] = set()
        while first < _END and first not in seen and len(seen) < max(count, 1):
            seen.add(first)
            numbers = self._numbers([first])
            sectors += [number for number in numbers[:-1] if number < _END]
            first = numbers[-1] if numbers else _NONE
        self._last_table = max(sectors, default=-1)
        return self._numbers(list(dict.fromkeys(sectors)))

    def _numbers(self, sectors: list[int]) -> "array[int]":
        joined = b"".join(self._sector(number) for number in sectors)
        return array("I", joined[: len(joined) // 4 * 4])

    def _sector(self, number: int) -> bytes:
        start = (number + 1) * self._size
        return self._data[start : start + self._size]

    def _chain(self, start: int, fat: "array[int]") -> list[int]:
        """Return the sectors of a chain from `start` on.

        Raises:
            Malformed: The chain loops or leaves the file.
        """
        sectors: list[int] = []
        while start < _END:
            if len(sectors) > len(fat) or start >= len(fat):
                raise Malformed("a chain of sectors that loops or leaves the file")
            sectors.append(start)
            start = fat[start]
        return sectors

    def _join(self, start: int, size: int) -> bytes:
        if size > len(self._data):
            raise Malformed("a stream larger than its file")
        return b"".join(self._sector(number) for number in self._chain(start, self._fat))[:size]

    def _read_directory(self, first: int) -> list[_Entry]:
        data = b"".join(self._sector(number) for number in self._chain(first, self._fat))
        if len(data) // _ENTRY_BYTES > MAX_ENTRIES:
            raise ResourceLimit("a compound file with too many streams")
        return [self._read_entry(data[i : i + _ENTRY_BYTES]) for i in range(0, len(data) - 127, _ENTRY_BYTES)]

    def _read_entry(self, raw: bytes) -> _Entry:
        length = min(64, int.from_bytes(raw[64:66], "little"))
        left, right, child = struct.unpack_from("<III", raw, 68)
        start, size = struct.unpack_from("<IQ", raw, 116)
        name = raw[: max(0, length - 2)].decode("utf-16-le", "replace")
        return _Entry(name, raw[66], left, right, child, start, size if self._long_sizes else size & 0xFFFFFFFF)

    def _walk(self, first: int, root: StreamPath) -> None:
        """Record the streams below an entry; each entry is used once, even if the tree has loops."""
        seen: set[int] = set()
        stack = [(first, root)]
        while stack:
            number, parent = stack.pop()
            if number >= len(self._entries) or number in seen:
                continue
            seen.add(number)
            entry = self._entries[number]
            stack += [(entry.left, parent), (entry.right, parent)]
            path = (*parent, entry.name)
            if entry.kind == _STREAM:
                self.paths.setdefault(path, entry)
            elif entry.kind == _STORAGE:
                if len(path) > MAX_DEPTH:
                    raise ResourceLimit("storages are nested too deep")
                self.storages.add(path)
                stack.append((entry.child, path))


def _fold(path: StreamPath) -> StreamPath:
    return tuple(name.lower() for name in path)


SUMMARY: Final = "\x05SummaryInformation"
MAX_CHARS: Final = 1000
"""Characters of one property that are stored, as for other formats."""
_TITLE, _AUTHOR, _CREATED, _SAVED = 2, 4, 12, 13
"""Properties, by the numbers of the format."""
_EPOCH: Final = datetime(1601, 1, 1, tzinfo=UTC)


def read_summary(file: CompoundFile) -> Metadata:
    """Return title, author and dates; empty metadata when the stream is missing or broken."""
    try:
        values = _read_properties(file.read((SUMMARY,)))
    except (struct.error, IndexError, ValueError, OverflowError, Malformed):
        return Metadata()
    return Metadata(
        title=values.get(_TITLE), author=values.get(_AUTHOR), created=values.get(_CREATED), modified=values.get(_SAVED)
    )


def filetime(value: int) -> str | None:
    """Return a count of 100-nanosecond steps since 1601 as an ISO time; None for 0 and invalid values."""
    return (_EPOCH + timedelta(microseconds=value // 10)).isoformat() if 0 < value < 2**62 else None


def codec_of(code_page: int) -> str:
    """Return the Python codec of a Windows code page number."""
    return _CODECS.get(code_page, f"cp{code_page}")


_CODECS: Final = {
    1200: "utf-16-le", 65001: "utf-8", 10000: "mac_roman", 32768: "mac_roman", 32769: "cp1252", 20127: "ascii",
    28591: "latin-1", 50220: "iso2022_jp", 50221: "iso2022_jp", 50222: "iso2022_jp", 51932: "euc_jp", 51949: "euc_kr",
    20866: "koi8_r", 21866: "koi8_u", 54936: "gb18030",
}  # fmt: skip


def decode(data: bytes, code_page: int) -> str:
    """Decode bytes of a code page; an unknown code page is read as Windows-1252."""
    try:
        return data.decode(codec_of(code_page), "replace")
    except LookupError:
        return data.decode("cp1252", "replace")


def _read_properties(data: bytes) -> dict[int, str]:
    if len(data) < 48:
        return {}
    start = struct.unpack_from("<I", data, 44)[0]
    count = min(struct.unpack_from("<I", data, start + 4)[0], 100)
    offsets = dict(struct.unpack_from("<II", data, start + 8 + 8 * i) for i in range(count))
    code_page = struct.unpack_from("<H", data, start + offsets[1] + 4)[0] if 1 in offsets else 1252
    values: dict[int, str] = {}
    for name in (_TITLE, _AUTHOR, _CREATED, _SAVED):
        if name in offsets and (text := _read_value(data, start + offsets[name], code_page)):
            values[name] = text
    return values


def _read_value(data: bytes, offset: int, code_page: int) -> str | None:
    kind, size = struct.unpack_from("<II", data, offset)
    if kind == 0x40:
        return filetime(struct.unpack_from("<Q", data, offset + 4)[0])
    size = min(size, 2 * MAX_CHARS)
    raw = data[offset + 8 : offset + 8 + size * (2 if kind == 0x1F else 1)]
    text = raw.decode("utf-16-le", "replace") if kind == 0x1F else decode(raw, code_page)
    return text.partition("\0")[0].strip()[:MAX_CHARS] or None
