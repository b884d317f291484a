"""Other documents inside a Word file (`w:altChunk`): a part's bytes in, its blocks and pictures out.

They are read as files of their own would be, one level deep: what a Word file inside holds is only named.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, cast

from models.cdom.errors import ExtractError, ResourceLimit, UnsupportedFormat
from models.cdom.original import Format, ReadOptions
from models.extract.formats.common.opc import Package
from models.extract.formats.flow.blocks import FlowBlock
from models.extract.formats.flow.document import Assets, FlowDocument
from models.extract.formats.sniffing.signatures import sniff
from models.extract.registry import INSIDE, find_reader

MAX_CHUNKS: Final = 200
"""Documents inside one; programs that build reports from pieces put in some dozens."""
_BETWEEN: Final = "\0"
"""Between the name of a part and that of a picture in it: no part's name has it."""


@dataclass(slots=True)
class ChunkReader:
    """Reads parts of one package; the pictures of all of them are had by names of their own."""

    package: Package
    assets: dict[str, Assets] = field(default_factory=dict)
    count: int = 0

    def size(self, name: str) -> int:
        part, _, inner = name.partition(_BETWEEN)
        return self.assets[part].size(inner) if inner else self.package.size(part)

    def read(self, name: str) -> bytes:
        part, _, inner = name.partition(_BETWEEN)
        return self.assets[part].read(inner) if inner else self.package.read(part)

    def blocks(self, part: str, read_word: Callable[[bytes], tuple[list[FlowBlock], Assets]]) -> list[FlowBlock] | None:
        """The blocks of a part; None when it is of no kind that is read. Raises `ResourceLimit` beyond a count."""
        self.count += 1
        if self.count > MAX_CHUNKS:
            raise ResourceLimit(f"more than {MAX_CHUNKS} documents inside one")
        try:
            data = self.package.read(part)
            found = sniff(data)
            blocks, self.assets[part] = read_word(data) if found is Format.DOCX else _read(found, data)
        except ResourceLimit:
            raise
        except ExtractError:
            return None
        for block in blocks:
            block.path = f"{part} {block.path}" if block.path else part
            block.asset = f"{part}{_BETWEEN}{block.asset}" if block.asset else None
        return blocks


def _read(found: Format, data: bytes) -> tuple[list[FlowBlock], Assets]:
    """Raises `ExtractError`."""
    if found not in INSIDE[Format.DOCX]:
        raise UnsupportedFormat(f"{found.value} inside a Word file")
    document = cast(FlowDocument, find_reader(found)(data, ReadOptions()))
    return [block for page in document.written() for block in page], document.pictures
