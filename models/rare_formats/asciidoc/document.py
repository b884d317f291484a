"""An AsciiDoc text as a page: bytes in, a flow file of one page out, with the lines of each block in its path."""

import re
from typing import Final

from quire.models.cdom.errors import ResourceLimit
from quire.models.cdom.original import Format, ReadOptions
from quire.models.cdom.tree import Metadata
from quire.models.extract.formats.common.html.page import read_markup
from quire.models.extract.formats.flow.document import FlowDocument, FlowFile, open_flow
from quire.models.extract.formats.sniffing.charset import decode_file
from quire.models.rare_formats.asciidoc.blocks import AdocBlocks

ENGINE: Final = "asciidoc"
MAX_CHARS: Final = 20_000_000
"""Characters of one text, as for Markdown."""


def open_asciidoc(data: bytes, options: ReadOptions) -> FlowDocument:
    """Open the text in `data`.

    Raises:
        ResourceLimit: The text is too long.
    """
    return open_flow(lambda: _read(data), options)


def _read(data: bytes) -> FlowFile:
    decoded = decode_file(data)
    text = decoded.text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", "    ")
    if len(text) > MAX_CHARS:
        raise ResourceLimit("the text is too long")
    reader = AdocBlocks()
    html = reader.read(text.split("\n"))
    notes = "".join(f"<p>{note}</p>" for note in reader.notes)
    title = re.match(r"<h1[^>]*>(.*?)</h1>", html)
    metadata = Metadata(
        title=re.sub(r"<[^>]+>", "", title.group(1))[:1000] if title else None,
        author=reader.attributes.get("author") or None,
        language=reader.attributes.get("lang") or None,
    )
    return read_markup(
        html + notes, Format.ASCIIDOC, engine=ENGINE, reason="markup", metadata=metadata, warnings=decoded.warnings
    )
