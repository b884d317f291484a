"""Contents of pages as an earlier file had them: a page that did not change is not read again.

Contents are stored by a digest of everything that reading depends on: the page, the options and the reader's version.
"""

import hashlib
import zlib
from dataclasses import replace

from pydantic import ValidationError

from quire.models.cdom.original import ReadOptions
from quire.models.cdom.tree import PageStatus
from quire.models.cdom.version import READER_VERSION
from quire.models.extract.contract import ComparesPages, PageContent, PageRead, dump_page, load_page

MOST_KEPT_BYTES = 64 << 20
"""Bytes of the contents of one file: 5,000 dense pages take sixty million."""


class KeptPages:
    """The contents of an earlier file and of the one that is being read."""

    def __init__(self, document: ComparesPages, options: ReadOptions, earlier: bytes) -> None:
        """Take what `dump` returned for the earlier file, or nothing."""
        seed = f"{READER_VERSION} {options.digest()} ".encode()
        found = document.find_digests()
        self._digests = {n: hashlib.sha256(seed + digest).hexdigest().encode() for n, digest in found.items()}
        self._document, self._earlier = document, _load(earlier)
        self._kept: dict[bytes, bytes] = {}
        self.reused = 0

    def find(self, number: int) -> PageRead | None:
        """Return page `number` (1-based) as it was read before; None if it has to be read."""
        digest = self._digests.get(number, b"")
        stored = self._earlier.get(digest)
        if stored is None:
            return None
        try:
            content = self._document.move_page(load_page(stored), number)
        except ValidationError:
            return None
        self._kept[digest] = stored
        self.reused += 1
        return PageRead(content=content)

    def keep(self, read: PageRead) -> None:
        """Keep a page that was read, unless it depends on more than the file."""
        content = read.content
        digest = self._digests.get(content.number)
        waits = read.pixels is not None or read.pictures or read.doubted is not None or content.areas
        if digest and not waits and read.fault is None and content.status is PageStatus.OK and not content.warnings:
            self._kept[digest] = dump_page(content)

    def dump(self) -> bytes:
        """Return the contents for the next file, compressed; nothing if they are too many."""
        if sum(map(len, self._kept.values())) > MOST_KEPT_BYTES // 2:
            return b""
        lines = (digest + b" " + stored for digest, stored in self._kept.items())
        return zlib.compress(b"\n".join(lines), 6)


def _load(stored: bytes) -> dict[bytes, bytes]:
    try:
        lines = zlib.decompressobj().decompress(stored, MOST_KEPT_BYTES).split(b"\n") if stored else []
    except zlib.error:
        return {}
    return {digest: content for digest, _, content in (line.partition(b" ") for line in lines)}


def move_content(content: PageContent, number: int) -> PageContent:
    """Return the content of a page that is page `number` (1-based) now."""
    if content.number == number:
        return content
    before, now = f"p{content.number}-", f"p{number}-"
    blocks = [
        replace(block, asset_ref=now + block.asset_ref.removeprefix(before)) if block.asset_ref else block
        for block in content.blocks
    ]
    coverage = replace(content.coverage, number=number) if content.coverage is not None else None
    return replace(content, number=number, blocks=tuple(blocks), coverage=coverage)
