"""A zip archive written while it is sent: files go in, pieces of bytes come out, so memory holds only one piece.

Timestamps are left out, so the same files give the same bytes.
"""

import io
import zipfile
from collections.abc import Iterator
from typing import BinaryIO

PIECE_BYTES = 256 * 1024
"""Bytes that are read, compressed and sent at once."""
_RESERVED = frozenset('/\\:*?"<>|')


class ZipStream:
    """Writes a zip archive; each method yields the bytes that are ready to send."""

    def __init__(self) -> None:
        self._out = _Out()
        self._zip = zipfile.ZipFile(self._out, "w", allowZip64=True)

    def add(self, name: str, data: bytes) -> Iterator[bytes]:
        """Write an in-memory file, compressed, and yield the archive's next bytes."""
        yield from self._write(name, io.BytesIO(data), zipfile.ZIP_DEFLATED)

    def copy(self, name: str, file: BinaryIO) -> Iterator[bytes]:
        """Write a file uncompressed, because originals are compressed already, and yield the archive's next bytes."""
        yield from self._write(name, file, zipfile.ZIP_STORED)

    def end(self) -> Iterator[bytes]:
        """Write the central directory and yield the last bytes."""
        self._zip.close()
        yield self._out.take()

    def _write(self, name: str, file: BinaryIO, method: int) -> Iterator[bytes]:
        entry = zipfile.ZipInfo(name)
        entry.compress_type, entry.external_attr = method, 0o644 << 16
        with self._zip.open(entry, "w", force_zip64=True) as target:
            while piece := file.read(PIECE_BYTES):
                target.write(piece)
                yield self._out.take()
        yield self._out.take()


class EntryNames:
    """Makes names inside an archive safe for file systems, without folders from the sender, and unique."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def unique(self, folder: str, stem: str, ending: str) -> str:
        """Return `folder/stem.ending`, numbered if the name is taken, also if it differs in case only."""
        clean = "".join("_" if char in _RESERVED or ord(char) < 32 else char for char in stem).strip(" .") or "document"
        name, number = f"{folder}{clean}{ending}", 1
        while name.casefold() in self._taken:
            number += 1
            name = f"{folder}{clean}-{number}{ending}"
        self._taken.add(name.casefold())
        return name


class _Out(io.RawIOBase):
    """A write-only target without seeking; written bytes are taken out piece by piece."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: object, /) -> int:
        piece = bytes(data)  # type: ignore[call-overload]
        self._pieces.append(piece)
        return len(piece)

    def take(self) -> bytes:
        data = b"".join(self._pieces)
        self._pieces.clear()
        return data
