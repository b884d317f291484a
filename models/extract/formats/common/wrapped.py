"""Files that only wrap another: signed files (PKCS #7, CMS) and Apple iWork packages with a PDF preview.

The signature is not checked. The parser accepts cut files, so that the head of a file is enough to identify it.
"""

import binascii
import re
from typing import Final

from quire.models.cdom.errors import UnsupportedFormat

PREVIEW: Final = "quicklook/preview.pdf"
"""The preview of the whole document in packages of iWork, in lower case."""
_SIGNED: Final = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02"
"""The identifier of signed data: tag, length and value."""
_HEAD_BYTES: Final = 40
"""Bytes from the start in which the identifier is."""
_SEQUENCE, _OCTETS, _PARTED_OCTETS, _CONTENT = 0x30, 0x04, 0x24, 0xA0
"""Tags of elements."""
_INDEFINITE: Final = 0x80
"""Length of an element that ends with an end mark."""
MAX_DEPTH: Final = 20
"""Nesting depth of elements before the content, which has five levels."""
MAX_ELEMENTS: Final = 1_000_000
"""Pieces of the content and elements before it: programs write pieces of at least a kilobyte."""
_ARMOURED: Final = re.compile(rb"\A(?:-----BEGIN [A-Z0-9 ]{3,30}-----\s+)?(MI[A-Za-z0-9+/=\s]{40,})")
_MAIL_FIELD: Final = re.compile(rb"(?:content-type|content-transfer-encoding):", re.IGNORECASE)


def is_signed(data: bytes) -> bool:
    """Return whether the bytes are a signed file in binary form."""
    return data[:1] == bytes([_SEQUENCE]) and _SIGNED in data[:_HEAD_BYTES]


def unwrap_signed(data: bytes) -> bytes | None:
    """Return the content of a signed file, in binary or in base64 form; None for other files.

    Raises:
        UnsupportedFormat: The file is a signature apart from what it signs.
    """
    if not is_signed(data):
        match = _ARMOURED.match(data)
        data = _decode(match.group(1)) if match is not None else b""
        if not is_signed(data):
            return None
    content = read_content(data)
    if not content:
        raise UnsupportedFormat("a signature apart from its file is not read; send the signed file")
    return b"MIME-Version: 1.0\r\n" + content if _MAIL_FIELD.match(content) else content


def _decode(text: bytes) -> bytes:
    packed = b"".join(text.split())
    try:
        return binascii.a2b_base64(packed[: len(packed) // 4 * 4])
    except binascii.Error:
        return b""


def read_content(data: bytes) -> bytes:
    """Return the content of signed data; empty when it holds none."""
    reader = _ElementReader(data)
    start = reader.enter(0, _SEQUENCE)
    start = reader.enter(reader.skip(start), _CONTENT)  # past the identifier
    start = reader.enter(start, _SEQUENCE)
    start = reader.enter(reader.skip(reader.skip(start)), _SEQUENCE)  # past the version and the digests
    start = reader.enter(reader.skip(start), _CONTENT)  # past the identifier of the content
    return b"".join(reader.octets(start)) if start >= 0 else b""


class _ElementReader:
    """Reads elements in the basic encoding rules of ASN.1; an offset of -1 means that an element is missing."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._count = 0

    def _head(self, offset: int) -> tuple[int, int, int | None]:
        """Return tag, start and length of an element; the length is None when an end mark follows."""
        data = self._data
        self._count += 1
        if not 0 <= offset < len(data) - 1 or self._count > MAX_ELEMENTS:
            return -1, -1, 0
        tag, first = data[offset], data[offset + 1]
        if first == _INDEFINITE:
            return tag, offset + 2, None
        if first < _INDEFINITE:
            return tag, offset + 2, first
        size = first & 0x7F
        return tag, offset + 2 + size, int.from_bytes(data[offset + 2 : offset + 2 + size], "big")

    def enter(self, offset: int, tag: int) -> int:
        """Return the start of an element's content; -1 for another tag."""
        stated, start, _ = self._head(offset)
        return start if stated == tag else -1

    def skip(self, offset: int, depth: int = 0) -> int:
        """Return the offset after an element."""
        tag, start, length = self._head(offset)
        if tag < 0 or depth > MAX_DEPTH:
            return -1
        if length is not None:
            return start + length
        while start >= 0 and self._data[start : start + 2] != b"\0\0":
            start = self.skip(start, depth + 1)
        return start + 2 if start >= 0 else -1

    def octets(self, offset: int, depth: int = 0) -> list[bytes]:
        """Return the pieces of an octet string."""
        tag, start, length = self._head(offset)
        if tag == _OCTETS and length is not None:
            return [self._data[start : start + length]]
        if tag != _PARTED_OCTETS or depth > MAX_DEPTH:
            return []
        pieces: list[bytes] = []
        end = len(self._data) if length is None else start + length
        while 0 <= start < end and self._data[start : start + 2] != b"\0\0":
            pieces += self.octets(start, depth + 1)
            start = self.skip(start)
        return pieces
