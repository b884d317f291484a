"""HTML of blocks with their lines, formulas and the open file, for all readers of light markup."""

import re
from collections.abc import Callable
from html import escape
from typing import Final

from quire.models.cdom.errors import ResourceLimit
from quire.models.cdom.original import Format, ReadOptions
from quire.models.cdom.tree import Metadata
from quire.models.extract.formats.common.html.page import read_markup
from quire.models.extract.formats.flow.blocks import FlowPage
from quire.models.extract.formats.flow.document import FlowDocument, FlowFile, open_flow
from quire.models.extract.formats.sniffing.charset import decode_file
from quire.models.extract.formats.text.plain import read_paragraphs

MAX_CHARS: Final = 5_000_000
"""Characters of one text: a thick book has two million."""
MAX_LISTS: Final = 30
"""Nesting depth of lists; deeper items stay at this depth."""
MAX_NAME: Final = 1000
"""Characters of a title or an author that are stored."""
_TAG: Final = re.compile(r"<[^<>]{0,2000}>")

Converted = tuple[str, Metadata]
"""HTML of a text, and what the text states about itself."""


def open_markup(
    data: bytes, options: ReadOptions, format_: Format, convert: Callable[[str], Converted]
) -> FlowDocument:
    """Open the text in `data`, which `convert` turns into HTML.

    Raises:
        ResourceLimit: The text is too long.
    """

    def read() -> FlowFile:
        decoded = decode_file(data)
        if len(decoded.text) > MAX_CHARS:
            raise ResourceLimit("the text is too long")
        text = decoded.text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff")
        try:
            html, metadata = convert(text)
        except RecursionError:
            page = FlowPage(blocks=read_paragraphs(text), warnings=["nested-too-deep"])
            return FlowFile(format=format_, pages=[page], engine=format_.value, reason="markup")
        return read_markup(
            f"<html><body>{html}</body></html>",
            format_,
            engine=format_.value,
            reason="markup",
            metadata=metadata,
            warnings=decoded.warnings,
        )

    return open_flow(read, options)


def formula(tex: str, *, is_block: bool = False) -> str:
    """Return a formula as the element that the reader of pages knows."""
    note = f'<semantics><annotation encoding="application/x-tex">{escape(tex.strip())}</annotation></semantics>'
    return f'<math display="block">{note}</math>' if is_block else f"<math>{note}</math>"


def listing(code: str, language: str, lines: str) -> str:
    """Return code with its language."""
    stated = f' class="language-{escape(language)}"' if language else ""
    return f"<pre{stated} {lines}>{escape(code, quote=False)}</pre>"


def at_lines(first: int, last: int) -> str:
    """Return the attribute that says where a block is in the file."""
    return f'data-lines="line {first}"' if first >= last else f'data-lines="lines {first}-{last}"'


def plain(html: str) -> str | None:
    """Return a title or an author without tags."""
    return " ".join(_TAG.sub("", html).split())[:MAX_NAME] or None


class BlockWriter:
    """Collects lines as paragraphs and items, and nests lists by their indent. `inline` turns a paragraph into HTML."""

    def __init__(self, inline: Callable[[str], str]) -> None:
        self.parts: list[str] = []
        self._inline = inline
        self._lines: list[str] = []
        self._first = 1
        self._lists: list[tuple[int, str]] = []

    def text(self, line: str, number: int) -> None:
        """Add a line to the open paragraph; a line that is not indented like its item ends the list."""
        if not self._lines:
            self._first = number
            indent = len(line) - len(line.lstrip())
            while self._lists and indent <= self._lists[-1][0]:
                self._close()
        self._lines.append(line.strip())

    def item(self, indent: int, tag: str, text: str, number: int, value: str = "") -> None:
        """Begin an item of a list."""
        self.flush()
        while self._lists and indent < self._lists[-1][0]:
            self._close()
        if self._lists and (indent == self._lists[-1][0] or len(self._lists) >= MAX_LISTS):
            if self._lists[-1][1] == tag:
                self.parts.append("</li>")
            else:
                self._close()
        if not self._lists or (indent > self._lists[-1][0] and len(self._lists) < MAX_LISTS):
            start = f' start="{value}"' if value.isdecimal() and len(value) < 7 and value != "1" else ""
            self.parts.append(f"<{tag}{start}>")
            self._lists.append((indent, tag))
        self.parts.append("<li>")
        self._lines, self._first = [text] if text else [], number

    def flush(self) -> None:
        """End the open paragraph."""
        lines, self._lines = self._lines, []
        if lines:
            where = at_lines(self._first, self._first + len(lines) - 1)
            self.parts.append(f"<div {where}>{self._inline(chr(10).join(lines))}</div>")

    def add(self, html: str, *, inside: int = -1) -> None:
        """Add a block; one that is indented by `inside` or more stays in the items that are open."""
        self.flush()
        while self._lists and inside <= self._lists[-1][0]:
            self._close()
        self.parts.append(html)

    def finish(self) -> str:
        """Return the HTML of all blocks."""
        self.add("")
        return "".join(self.parts)

    def _close(self) -> None:
        self.parts.append(f"</li></{self._lists.pop()[1]}>")
