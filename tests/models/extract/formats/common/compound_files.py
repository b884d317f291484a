"""Makes small compound files and what old Office keeps in them."""

import struct
from collections.abc import Mapping

SECTOR = 512
END, FREE, FAT_SECTOR = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD


def compound(streams: Mapping[tuple[str, ...], bytes]) -> bytes:
    """A compound file of version 3 without small sectors; each stream follows the one before."""
    paths: list[tuple[str, ...]] = []
    for path in streams:
        for length in range(1, len(path) + 1):
            if path[:length] not in paths:
                paths.append(path[:length])
    children: dict[tuple[str, ...], list[int]] = {}
    for number, path in enumerate(paths, start=1):
        children.setdefault(path[:-1], []).append(number)
    body, fat = b"", list[int]()
    starts: dict[tuple[str, ...], int] = {}
    for path, data in streams.items():
        starts[path] = len(fat) if data else END
        count = -(-len(data) // SECTOR)
        fat += [*range(len(fat) + 1, len(fat) + count), *([END] if count else [])]
        body += data.ljust(count * SECTOR, b"\0")
    entries = [_entry("Root Entry", 5, FREE, _first(children, ()), END, 0)]
    for number, path in enumerate(paths, start=1):
        family = children[path[:-1]]
        at = family.index(number)
        right = family[at + 1] if at + 1 < len(family) else FREE
        is_stream = path in streams
        entries.append(
            _entry(path[-1], 2 if is_stream else 1, right, _first(children, path), starts.get(path, 0),
                   len(streams.get(path, b"")))
        )  # fmt: skip
    directory = b"".join(entries)
    directory = directory.ljust(-(-len(directory) // SECTOR) * SECTOR, b"\0")
    first_directory = len(fat)
    count = len(directory) // SECTOR
    fat += [*range(first_directory + 1, first_directory + count), END]
    tables = 1
    while (len(fat) + tables) * 4 > tables * SECTOR:
        tables += 1
    first_fat = len(fat)
    fat += [FAT_SECTOR] * tables
    fat += [FREE] * (tables * SECTOR // 4 - len(fat))
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    head += struct.pack("<IIIIIIIII", 0, tables, first_directory, 0, 0, END, 0, END, 0)
    head += struct.pack("<109I", *(list(range(first_fat, first_fat + tables)) + [FREE] * (109 - tables)))
    return head + body + directory + struct.pack(f"<{len(fat)}I", *fat)


def _first(children: Mapping[tuple[str, ...], list[int]], path: tuple[str, ...]) -> int:
    return children[path][0] if path in children else FREE


def _entry(name: str, kind: int, right: int, child: int, start: int, size: int) -> bytes:
    raw = name.encode("utf-16-le")
    head = raw.ljust(64, b"\0") + struct.pack("<HBB", len(raw) + 2, kind, 1)
    return head + struct.pack("<III", FREE, right, child) + bytes(36) + struct.pack("<IQ", start, size)


def record(kind: int, data: bytes = b"") -> bytes:
    """A record of a binary workbook."""
    return struct.pack("<HH", kind, len(data)) + data


def wide(text: str) -> bytes:
    """A string of BIFF 8 with its length in two bytes."""
    return struct.pack("<HB", len(text), 1) + text.encode("utf-16-le")


def workbook(sheets: Mapping[str, list[bytes]], *before: bytes, hidden: tuple[str, ...] = ()) -> bytes:
    """A BIFF 8 stream; `before` stands among the records of all sheets, each sheet has its own records."""
    bof = record(0x809, struct.pack("<HH12x", 0x600, 5))
    names = [
        (name, struct.pack("<BB", int(name in hidden), 0) + struct.pack("<BB", len(name), 1) + name.encode("utf-16-le"))
        for name in sheets
    ]
    size = len(bof) + sum(map(len, before)) + sum(8 + len(rest) for _, rest in names) + 4
    bound, bodies = b"", b""
    for name, rest in names:
        bound += record(0x85, struct.pack("<I", size + len(bodies)) + rest)
        sheet = record(0x809, struct.pack("<HH12x", 0x600, 0x10)) + b"".join(sheets[name]) + record(0x0A)
        bodies += sheet
    return bof + b"".join(before) + bound + record(0x0A) + bodies


def cell(kind: int, row: int, column: int, data: bytes, style: int = 0) -> bytes:
    return record(kind, struct.pack("<HHH", row, column, style) + data)


def xls(stream: bytes) -> bytes:
    return compound({("Workbook",): stream})
