"""Files that are packed alone (gzip, bzip2, xz): their bytes in, the bytes of the file inside out, within bounds."""

import bz2
import lzma
import zlib
from collections.abc import Callable
from typing import Any, Final

from quire.models.cdom.errors import Malformed, ResourceLimit, UnsupportedFormat
from quire.models.extract.formats.common.opc import MAX_RATIO, MAX_TOTAL_BYTES, RATIO_FROM_BYTES

_CHUNK: Final = 16 << 20
"""Bytes unpacked at a time, so that an exceeded limit is noticed soon."""
_HEAD: Final = 65_536
"""Unpacked bytes that identify the file inside."""
_DICTIONARY: Final = 128 << 20
"""Bytes of memory for an xz file; the strongest ordinary setting takes 65 MiB."""
_MAX_PIECES: Final = 100_000
"""Files that were packed one after the other into one, as block-wise compressors write them."""
_KINDS: Final[tuple[tuple[bytes, Callable[[], Any]], ...]] = (
    (b"\x1f\x8b\x08", lambda: zlib.decompressobj(wbits=31)),
    (b"BZh", bz2.BZ2Decompressor),
    (b"\xfd7zXZ\0", lambda: lzma.LZMADecompressor(memlimit=_DICTIONARY)),
)
"""First bytes, and what unpacks the file."""
_ERRORS: Final = (zlib.error, lzma.LZMAError, OSError, EOFError, ValueError)


def is_packed(data: bytes) -> bool:
    """Return whether the bytes begin like a packed file."""
    return data.startswith(tuple(start for start, _ in _KINDS))


def unpack_head(data: bytes) -> bytes | None:
    """Return the first bytes of the file inside, as far as they are there; None for other files.

    Raises:
        Malformed: The file cannot be unpacked.
    """
    make = next((make for start, make in _KINDS if data.startswith(start)), None)
    if make is None:
        return None
    try:
        return _check(bytes(make().decompress(data[: 2 * _HEAD], _HEAD)))
    except _ERRORS:
        raise Malformed("the file cannot be unpacked") from None


def _check(inside: bytes) -> bytes:
    """Return the bytes inside; raise `UnsupportedFormat` if they are a packed file themselves."""
    if is_packed(inside):
        raise UnsupportedFormat("a file that is packed twice is not read; unpack it")
    return inside


def unpack(data: bytes) -> bytes:
    """Return the file inside.

    Raises:
        Malformed: The file is cut off or cannot be unpacked.
        ResourceLimit: It unpacks to too many bytes.
        UnsupportedFormat: The file inside is packed too.
    """
    make = next(make for start, make in _KINDS if data.startswith(start))
    start, parts, size, rest = data[:3], list[bytes](), 0, data
    for _ in range(_MAX_PIECES):
        unpacker = make()
        while not unpacker.eof:
            try:
                part = unpacker.decompress(rest, _CHUNK)
            except _ERRORS:
                raise Malformed("the file cannot be unpacked") from None
            rest = getattr(unpacker, "unconsumed_tail", b"")
            size += len(part)
            if size > MAX_TOTAL_BYTES or size > max(RATIO_FROM_BYTES, MAX_RATIO * len(data)):
                raise ResourceLimit("the file unpacks to too many bytes")
            if not part and not rest and not unpacker.eof:
                raise Malformed("the file is cut off")
            parts.append(part)
        rest = unpacker.unused_data
        if not rest.startswith(start):  # what is behind the end is padding
            return _check(b"".join(parts))
    raise ResourceLimit("the file has too many parts")
