"""Makes small Word 97 files: text with properties of paragraphs and characters in, bytes out."""

import struct
from collections.abc import Sequence

from tests.models.extract.formats.common.compound_files import compound

PAGE, FIRST = 512, 2048
FIRST_STORED = 1500
"""A byte of the head that no table lies in: room for a small picture."""
HEADING_2, TITLE = 2, 3

Part = tuple[str, int, bytes]
"""Text with the sign that ends it, the number of its style, its own changes."""


def sprm(code: int, operand: bytes) -> bytes:
    return struct.pack("<H", code) + operand


IN_TABLE = sprm(0x2416, b"\x01")
ROW_END = IN_TABLE + sprm(0x2417, b"\x01")


def row(*edges: int, merges: Sequence[int] = ()) -> bytes:
    """The changes that end a row whose cells lie between those edges."""
    count = len(edges) - 1
    cells = b"".join(struct.pack("<H18x", merges[at] if at < len(merges) else 0) for at in range(count))
    definition = bytes([count]) + struct.pack(f"<{count + 1}h", *edges) + cells
    return ROW_END + struct.pack("<HH", 0xD608, len(definition) + 1) + definition


def item(use: int, level: int = 0) -> bytes:
    return sprm(0x260A, bytes([level])) + sprm(0x460B, struct.pack("<h", use))


def _style(built_in: int, name: str) -> bytes:
    base = struct.pack("<HHHHH", built_in, 0xFFF1, 2, 0, 0)
    raw = (
        base + struct.pack("<H", len(name)) + name.encode("utf-16-le") + bytes(2) + struct.pack("<HH", 2, 0) + bytes(2)
    )
    return struct.pack("<H", len(raw)) + raw


def _styles() -> bytes:
    head = struct.pack("<HH14x", 4, 10)
    names = ((0, "Normal"), (1, "heading 1"), (2, "heading 2"), (62, "Title"))
    return struct.pack("<H", len(head)) + head + b"".join(_style(number, name) for number, name in names)


def _fonts(names: Sequence[str]) -> bytes:
    named = [bytes(39) + name.encode("utf-16-le") + b"\0\0" for name in names]
    return struct.pack("<HH", len(named), 0) + b"".join(bytes([len(one)]) + one for one in named)


def _lists(kinds: Sequence[tuple[int, str]]) -> tuple[bytes, bytes, bytes]:
    table = struct.pack("<H", len(kinds)) + b"".join(struct.pack("<i22xBx", at + 1, 1) for at in range(len(kinds)))
    levels = b"".join(
        struct.pack("<iB23x", 1, kind) + struct.pack("<H", len(text)) + text.encode("utf-16-le") for kind, text in kinds
    )
    uses = struct.pack("<I", len(kinds)) + b"".join(struct.pack("<i12x", at + 1) for at in range(len(kinds)))
    return table, levels, uses


def _page(bounds: list[int], changes: Sequence[bytes], *, paragraphs: bool) -> bytes:
    """A page of properties: bounds, places, and the changes from the end of the page backwards."""
    body = bytearray(PAGE)
    end = PAGE - 2
    places = b""
    for one in changes:
        raw = one if len(one) % 2 else one + b"\0"
        stored = bytes([(len(raw) + 1) // 2]) + raw if paragraphs else bytes([len(one)]) + one
        end -= len(stored) + (len(stored) + end) % 2
        end -= end % 2
        body[end : end + len(stored)] = stored
        places += bytes([end // 2]) + (bytes(12) if paragraphs else b"")
    head = struct.pack(f"<{len(bounds)}I", *bounds) + places
    body[: len(head)] = head
    body[PAGE - 1] = len(changes)
    return bytes(body)


def word(
    parts: Sequence[Part], *, kinds: Sequence[tuple[int, str]] = (), notes: Sequence[str] = (), flags: int = 0,
    version: int = 0xC1, looks: Sequence[tuple[int, int, bytes]] = (), running: Sequence[str] = (),
    facing: bool = False, data: bytes = b"", drawings: bytes = b"", anchors: Sequence[tuple[int, int]] = (),
    stored: bytes = b"", fonts: Sequence[str] = (),
) -> bytes:  # fmt: skip
    """A Word file; signs `\\x02` in the text call the `notes` in turn, `looks` are changes between characters.

    `running` are the six headers and footers of a section; `facing`: even pages have theirs. `data` is the stream of
    pictures in the text, `fonts` are names, `drawings` the table of what floats, anchored at characters by number
    (`anchors`), whose bytes (`stored`) begin at `FIRST_STORED`.
    """
    text = "".join(part[0] for part in parts)
    story = "".join(note + "\r" for note in notes) + ("\r" if notes else "")
    below = story
    story += "".join(one + "\r" for one in running if one) + ("\r" if running else "")
    raw = (text + story).encode("utf-16-le")
    bounds, at = [FIRST], FIRST
    for part in (*parts, *(((story, 0, b""),) if story else ())):
        at += 2 * len(part[0])
        bounds.append(at)
    changes = [struct.pack("<H", style) + own for _, style, own in parts] + ([b"\0\0"] if story else [])
    table = b"\0" * 16
    places: dict[int, tuple[int, int]] = {}

    def put(number: int, data: bytes, *, states: int | None = None) -> None:
        nonlocal table
        places[number] = len(table), len(data) if states is None else states
        table += data

    put(1, _styles())
    pages = -(-(FIRST + len(raw)) // PAGE)
    put(13, struct.pack("<III", bounds[0], bounds[-1], pages))
    inner = [FIRST, *(FIRST + 2 * edge for look in looks for edge in look[:2]), bounds[-1]]
    runs = [b"", *(change for look in looks for change in (look[2], b""))]
    put(12, struct.pack("<III", bounds[0], bounds[-1], pages + 1))
    put(33, b"\x02" + struct.pack("<I", 16) + struct.pack("<IIHIH", 0, len(text + story), 0, FIRST, 0))
    if kinds:
        lists, levels, uses = _lists(kinds)
        put(73, lists + levels, states=len(lists))
        put(74, uses)
    if notes:
        calls = [at for at, char in enumerate(text) if char == "\x02"]
        put(2, struct.pack(f"<{len(calls) + 1}I", *calls, len(text)) + bytes(2 * len(calls)))
        ends = [0]
        for note in notes:
            ends.append(ends[-1] + len(note) + 1)
        put(3, struct.pack(f"<{len(ends) + 1}I", *ends, ends[-1] + 1))
    if running:
        ends = [0] * 7
        for one in running:
            ends.append(ends[-1] + len(one) + bool(one))
        put(11, struct.pack(f"<{len(ends) + 1}I", *ends, ends[-1] + 1))
        put(31, bytes([facing]))
    put(15, _fonts(fonts))
    if drawings:
        put(50, drawings)
        anchored = struct.pack(f"<{len(anchors) + 1}i", *(at for at, _ in anchors), len(text))
        put(40, anchored + b"".join(struct.pack("<I22x", number) for _, number in anchors))
    fib = bytearray(FIRST)
    fib[FIRST_STORED : FIRST_STORED + len(stored)] = stored
    struct.pack_into("<HH", fib, 0, 0xA5EC, version)
    struct.pack_into("<H", fib, 10, 0x0200 | flags)
    struct.pack_into("<iii", fib, 76, len(text), len(below), len(story) - len(below))
    for number, (start, size) in places.items():
        struct.pack_into("<II", fib, 154 + 8 * number, start, size)
    main = (bytes(fib) + raw).ljust(pages * PAGE, b"\0")
    main += _page(bounds, changes, paragraphs=True) + _page(inner, runs, paragraphs=False)
    streams: dict[tuple[str, ...], bytes] = {("WordDocument",): main, ("1Table",): table}
    return compound(streams | ({("Data",): data} if data else {}))
