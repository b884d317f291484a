"""Blocks while a file is being read: mutable, linked by object. Styled runs in, text with spans out."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, Final, Protocol, TypeVar

from models.cdom.errors import ResourceLimit
from models.cdom.geometry import Bbox
from models.cdom.table import Table
from models.cdom.tree import BlockType, Span

_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff\ufeff]")
_BREAKS: Final = re.compile("\r\n?|\x85|\u2028|\u2029|\x0b|\x0c")
_BLANKS: Final = re.compile("[ \t\n\r\f\v]+")


def clean(text: str) -> str:
    """The text with one kind of line break and nothing that cannot be printed."""
    if "\r" in text or not text.isprintable():
        text = _CONTROL.sub("", _BREAKS.sub("\n", text))
    return text


def fold(text: str) -> str:
    """White space as HTML folds it: each run of it (but not a no-break space) is one blank."""
    return _BLANKS.sub(" ", text)


BULLET: Final = "• "
_LABEL_LIKE: Final = re.compile(
    r"\(?(?:\d{1,9}|[A-Za-z]|[ivxlcdmIVXLCDM]{2,8})(?:\.\d{1,9})*[.)]+\s|\d{1,9}(?:\.\d{1,9})+\s"
)
_TYPED: Final = re.compile(r"(\d{1,3})[.)]\s+\S")
MAX_BLOCKS: Final = 400_000
"""Blocks of one document: as many as a tree of half a gigabyte holds."""


@dataclass(frozen=True, slots=True)
class InlineMarkup:
    """How a stretch of text looks and where it leads."""

    bold: bool = False
    italic: bool = False
    code: bool = False
    hidden: bool = False
    href: str | None = None
    strike: bool = False


PLAIN: Final = InlineMarkup()


@dataclass(frozen=True, slots=True)
class StyledRun:
    text: str
    style: InlineMarkup = PLAIN


@dataclass(slots=True, eq=False)
class FlowBlock:
    """A block to be. `bullet` marks an unordered list item; `asset` names a picture of the file's assets."""

    type: BlockType
    text: str = ""
    spans: tuple[Span, ...] = ()
    level: int | None = None
    table: Table | None = None
    bbox: Bbox | None = None
    asset: str | None = None
    parent: "FlowBlock | None" = None
    flags: tuple[str, ...] = ()
    path: str | None = None
    bullet: bool = False


@dataclass(slots=True)
class FlowPage:
    """One page: size in points (0 = the format has none), its label, blocks in order, notes that stand at its end, and
    what runs above and below."""

    width: float = 0.0
    height: float = 0.0
    label: str | None = None
    blocks: list[FlowBlock] = field(default_factory=list)
    notes: list[FlowBlock] = field(default_factory=list)
    headers: list[FlowBlock] = field(default_factory=list)
    footers: list[FlowBlock] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def in_order(self) -> list[FlowBlock]:
        return [*self.headers, *self.blocks, *self.notes, *self.footers]


def _look_of(run: StyledRun) -> InlineMarkup:
    return replace(run.style, hidden=False) if run.style.hidden else run.style


def join_runs(
    runs: Iterable[StyledRun], *, prefix: str = "", keep_indent: bool = False
) -> tuple[str, tuple[Span, ...]]:
    """Text and spans of styled runs, outer white space removed; `prefix` stands before it, unstyled."""
    groups = groupby((run for run in runs if run.text), key=_look_of)
    joined = [(clean("".join(run.text for run in group)), style) for style, group in groups]
    whole = "".join(text for text, _ in joined)
    text = whole.strip("\n").rstrip() if keep_indent else whole.strip()
    if not text:
        return "", ()
    shift = len(prefix) - whole.find(text)
    spans: list[Span] = []
    at = 0
    for part, style in joined:
        start, end = max(at + shift, len(prefix)), min(at + len(part) + shift, len(prefix) + len(text))
        at += len(part)
        if style != PLAIN and end > start and part.strip():
            spans.append(
                Span(
                    start=start, end=end, bold=style.bold, italic=style.italic, code=style.code, href=style.href,
                    strike=style.strike,
                )
            )  # fmt: skip
    return prefix + text, tuple(spans)


def squeeze_runs(runs: Iterable[StyledRun]) -> list[StyledRun]:
    """The runs with white space as a browser shows it: runs of it are one blank, a `\\n` that was put there stays."""
    out: list[StyledRun] = []
    ends_blank = True
    for run in runs:
        parts: list[str] = []
        for line_number, line in enumerate(run.text.split("\n")):
            if line_number:
                parts.append("\n")
                ends_blank = True
            words = line.split(" ")
            kept = " ".join(word for word in words if word)
            if line[:1] == " " and not ends_blank:
                kept = " " + kept
            if line[-1:] == " " and kept.strip():
                kept += " "
            if kept:
                ends_blank = kept.endswith(" ")
                parts.append(kept)
        if text := "".join(parts):
            out.append(StyledRun(text, run.style))
    return out


def flatten(blocks: list[FlowBlock]) -> tuple[str, list[FlowBlock]]:
    """Blocks as the text of a cell, a line each, and those that stay blocks of their own beside it."""
    lines: list[str] = []
    children: list[FlowBlock] = []
    kept: set[int] = set()
    for block in blocks:
        if block.type in (BlockType.PICTURE, BlockType.TABLE) or block.flags:
            children.append(block)
            kept.add(id(block))
        if block.flags or block.type is BlockType.PICTURE or (block.parent is not None and id(block.parent) in kept):
            continue
        if block.table is not None:
            lines.append(flatten_table(block.table))
        elif block.text:
            lines.append((BULLET if block.bullet else "") + _in_cell(block))
    return "\n".join(line for line in lines if line), children


def _in_cell(block: FlowBlock) -> str:
    return f"${block.text}$" if block.type is BlockType.FORMULA else block.text


def number_typed(blocks: Iterable[FlowBlock]) -> None:
    """Lists with bullets whose items all begin with the numbers 1, 2, 3 that somebody typed become numbered ones."""
    lists: dict[tuple[int, int | None], list[FlowBlock]] = {}
    for block in blocks:
        if block.type is BlockType.LIST_ITEM:
            lists.setdefault((id(block.parent), block.level), []).append(block)
        elif block.parent is None:
            _end_lists(lists)
    _end_lists(lists)


def _end_lists(lists: dict[tuple[int, int | None], list[FlowBlock]]) -> None:
    for items in lists.values():
        typed = (_TYPED.match(item.text) for item in items if item.bullet)
        if len(items) > 1 and [int(found.group(1)) if found else 0 for found in typed] == [*range(1, len(items) + 1)]:
            for item in items:
                item.bullet = False
    lists.clear()


def keep_bullet(block: FlowBlock) -> None:
    """Writes the bullet of an item whose words would be taken for its number ("A. Smith")."""
    if block.bullet and block.type is BlockType.LIST_ITEM and _LABEL_LIKE.match(block.text):
        by = len(BULLET)
        block.text = BULLET + block.text
        block.spans = tuple(replace(span, start=span.start + by, end=span.end + by) for span in block.spans)


class HasParent(Protocol):
    """A block while its file is read, of whichever reader."""

    parent: Any


Child = TypeVar("Child", bound=HasParent)


def adopt(children: list[Child], parent: Child) -> list[Child]:
    """The children, with `parent` as parent of those that have none among themselves."""
    inside = {id(child) for child in children}
    for child in children:
        if child.parent is None or id(child.parent) not in inside:
            child.parent = parent
    return children


def flatten_table(table: Table) -> str:
    """A table as lines of cells, for the place of a nested one."""
    rows: list[list[str]] = [[] for _ in range(table.rows)]
    for cell in table.cells:
        rows[cell.row].append(cell.text)
    return "\n".join(line for row in rows if (line := "\t".join(row).strip()))


def check_count(pages: Iterable[FlowPage]) -> None:
    """Raises `ResourceLimit` when the pages hold more blocks than a tree may have."""
    if sum(len(page.blocks) + len(page.notes) for page in pages) > MAX_BLOCKS:
        raise ResourceLimit(f"more than {MAX_BLOCKS} blocks")
