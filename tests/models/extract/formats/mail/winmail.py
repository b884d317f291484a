"""Makes small winmail.dat files (TNEF)."""

import struct
from collections.abc import Sequence

MESSAGE, ATTACHMENT = 1, 2


def attribute(level: int, number: int, content: bytes) -> bytes:
    checksum = sum(content) & 0xFFFF
    return struct.pack("<BII", level, 0x10000 | number, len(content)) + content + struct.pack("<H", checksum)


def wide(number: int, text: str) -> bytes:
    """A Unicode property."""
    raw = text.encode("utf-16-le") + b"\0\0"
    return struct.pack("<HHII", 0x1F, number, 1, len(raw)) + raw.ljust((len(raw) + 3) // 4 * 4, b"\0")


def long(number: int, value: int) -> bytes:
    return struct.pack("<HHI", 3, number, value)


def binary(number: int, content: bytes, kind: int = 0x102) -> bytes:
    return struct.pack("<HHII", kind, number, 1, len(content)) + content.ljust((len(content) + 3) // 4 * 4, b"\0")


def named(text: str, value: str) -> bytes:
    """A Unicode property with a name instead of a number."""
    name = text.encode("utf-16-le") + b"\0\0"
    head = struct.pack("<HH16sII", 0x1F, 0x8001, bytes(16), 1, len(name)) + name.ljust((len(name) + 3) // 4 * 4, b"\0")
    return head + wide(0, value)[4:]


def properties(*values: bytes) -> bytes:
    return struct.pack("<I", len(values)) + b"".join(values)


def attached(name: str, content: bytes, *values: bytes) -> bytes:
    """An attached file."""
    parts = attribute(ATTACHMENT, 0x9002, bytes(14)) + attribute(ATTACHMENT, 0x8010, name.encode() + b"\0")
    parts += attribute(ATTACHMENT, 0x800F, content) if content else b""
    return parts + (attribute(ATTACHMENT, 0x9005, properties(*values)) if values else b"")


def winmail(*values: bytes, body: str = "", people: Sequence[bytes] = (), files: Sequence[bytes] = ()) -> bytes:
    data = b"\x78\x9f\x3e\x22\x01\x00" + attribute(MESSAGE, 0x9007, struct.pack("<II", 1252, 0))
    data += attribute(MESSAGE, 0x8004, b"Short subject\0")
    data += attribute(MESSAGE, 0x800C, body.encode("cp1252") + b"\0") if body else b""
    data += attribute(MESSAGE, 0x9003, properties(*values)) if values else b""
    if people:
        data += attribute(MESSAGE, 0x9004, struct.pack("<I", len(people)) + b"".join(people))
    return data + b"".join(files)
