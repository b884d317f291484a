"""Plain text: paragraphs at blank lines, with their line breaks, and their lines as paths."""

import re
from typing import Final

from quire.models.cdom.original import Format, ReadOptions
from quire.models.cdom.tree import BlockType, Metadata
from quire.models.extract.formats.common.html.page import read_markup
from quire.models.extract.formats.flow.blocks import FlowBlock, FlowPage, StyledRun, join_runs
from quire.models.extract.formats.flow.document import FlowDocument, FlowFile, open_flow
from quire.models.extract.formats.sniffing.charset import decode_file
from quire.models.extract.formats.text.known import read_known
from quire.models.extract.formats.text.xml_texts import xml_as_html

ENGINE: Final = "text"
MAX_BLOCK_CHARS: Final = 20_000
"""Characters of a paragraph; a longer one is split at a line, so that a log file is not one block."""
_FORM_FEED: Final = re.compile("\f")


def open_text(data: bytes, options: ReadOptions) -> FlowDocument:
    """Open the text in `data`.

    Raises:
        ResourceLimit: The text is too long.
    """
    return open_flow(lambda: _read(data), options)


def _read(data: bytes) -> FlowFile:
    decoded = decode_file(data)
    if (page_text := xml_as_html(decoded.text)) is not None:
        return read_markup(
            page_text, Format.TXT, engine="xml", reason="markup", metadata=Metadata(), warnings=decoded.warnings
        )
    known = read_known(decoded.text)
    pages: list[FlowPage] = [] if known is None else [FlowPage(blocks=known)]
    line = 1
    for part in _FORM_FEED.split(decoded.text) if known is None else ():
        page = FlowPage(blocks=read_paragraphs(part, line))
        line += part.count("\n")
        if page.blocks or not pages:
            pages.append(page)
    return FlowFile(
        format=Format.TXT,
        pages=pages,
        engine=ENGINE,
        version=decoded.encoding,
        reason="plain-text",
        warnings=decoded.warnings,
    )


def read_paragraphs(text: str, first_line: int = 1) -> list[FlowBlock]:
    """Return paragraphs, which are lines without a blank line between them."""
    blocks: list[FlowBlock] = []
    lines: list[str] = []
    size = 0
    for line_number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), start=first_line):
        if line.strip() and size < MAX_BLOCK_CHARS:
            lines.append(line)
            size += len(line)
            continue
        _add(blocks, lines, line_number - 1)
        lines, size = ([line], len(line)) if line.strip() else ([], 0)
    _add(blocks, lines, line_number)
    return blocks


def _add(blocks: list[FlowBlock], lines: list[str], last: int) -> None:
    text, _ = join_runs([StyledRun("\n".join(lines))])
    if text:
        first = last - len(lines) + 1
        path = f"line {last}" if first == last else f"lines {first}-{last}"
        blocks.append(FlowBlock(BlockType.PARAGRAPH, text, path=path))
