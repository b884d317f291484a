"""A document that the service has read: its tree as objects, and its Markdown."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any

from quire_client.documents.table import Box, Table, box_of

MOST_BLOCKS = 200
"""Blocks of a document that a notebook shows."""
_ELEMENTS = {"title": "h2", "heading": "h3", "list_item": "li", "code": "pre", "page_header": "small"}


@dataclass(frozen=True)
class Block:
    """One block in reading order. `raw` is its JSON with everything else, such as spans and provenance."""

    id: str
    type: str
    page: int
    text: str
    level: int | None
    parent: str | None
    bbox: Box | None
    confidence: float
    flags: list[str]
    table: Table | None
    raw: Mapping[str, Any] = field(repr=False, compare=False)

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> "Block":
        """Return the block of its JSON."""
        return cls(
            id=raw["id"],
            type=raw["type"],
            page=raw["page"],
            text=raw.get("text", ""),
            level=raw.get("level"),
            parent=raw.get("parent"),
            bbox=box_of(raw),
            confidence=raw.get("confidence", 1.0),
            flags=list(raw.get("flags", ())),
            table=Table.of(raw) if raw.get("table") else None,
            raw=raw,
        )

    def _repr_html_(self) -> str:
        if self.table is not None:
            return self.table._repr_html_()
        element = _ELEMENTS.get(self.type, "p")
        return f"<{element}>{escape(self.text)}</{element}>" if self.text else ""


@dataclass(frozen=True)
class Page:
    """One page with the blocks that start on it. `width` and `height` are points."""

    number: int
    label: str | None
    width: float
    height: float
    route: str
    status: str
    blocks: list[Block] = field(repr=False)

    @property
    def text(self) -> str:
        """The texts of the page's blocks, one per line."""
        return "\n".join(block.text for block in self.blocks if block.text)

    @property
    def tables(self) -> list[Table]:
        """Tables that start on this page."""
        return [block.table for block in self.blocks if block.table is not None]

    def _repr_html_(self) -> str:
        title = f"Page {self.number}" + (f": {self.label}" if self.label else "")
        return _section(title, f"{self.width:g} × {self.height:g} points, read by {self.route}", self.blocks)


@dataclass(frozen=True)
class Document:
    """A read document. `tree` is the JSON of the API; `pages`, `blocks` and `tables` are typed views of it."""

    id: str
    job_id: str
    name: str
    markdown: str = field(repr=False)
    tree: Mapping[str, Any] = field(repr=False, compare=False)

    @cached_property
    def blocks(self) -> list[Block]:
        """All blocks in reading order."""
        return [Block.of(raw) for raw in self.tree["blocks"]]

    @cached_property
    def pages(self) -> list[Page]:
        """All pages that were read, in order."""
        blocks: dict[int, list[Block]] = {}
        for block in self.blocks:
            blocks.setdefault(block.page, []).append(block)
        return [_page(raw, blocks.get(raw["number"], [])) for raw in self.tree["pages"]]

    @property
    def tables(self) -> list[Table]:
        """All tables in reading order."""
        return [block.table for block in self.blocks if block.table is not None]

    @property
    def text(self) -> str:
        """The texts of all blocks, one per line."""
        return "\n".join(block.text for block in self.blocks if block.text)

    @property
    def metadata(self) -> Mapping[str, Any]:
        """Title, author, dates and language as the file states them."""
        metadata: Mapping[str, Any] = self.tree["metadata"]
        return metadata

    def _repr_html_(self) -> str:
        counts = f"{len(self.pages)} pages, {len(self.tables)} tables, {len(self.blocks)} blocks"
        return _section(self.name, counts, self.blocks)


def _page(raw: Mapping[str, Any], blocks: list[Block]) -> Page:
    route, status = raw.get("route", ""), raw.get("status", "ok")
    return Page(raw["number"], raw.get("label"), raw["width"], raw["height"], route, status, blocks)


def _section(title: str, detail: str, blocks: list[Block]) -> str:
    """Return HTML for notebooks. All text of documents is escaped."""
    more = f"<p><i>{len(blocks) - MOST_BLOCKS} more blocks</i></p>" if len(blocks) > MOST_BLOCKS else ""
    body = "".join(block._repr_html_() for block in blocks[:MOST_BLOCKS])
    return f"<section><p><b>{escape(title)}</b> <small>{escape(detail)}</small></p>{body}{more}</section>"
