"""Blocks while a file is being read: mutable, linked by object. Styled runs in, text with spans out."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, Final, Protocol, TypeVar

from quire.models.cdom.errors import ResourceLimit
from quire.models.cdom.geometry import Bbox
from quire.models.cdom.table import Table
from quire.models.cdom.tree import BlockType, PictureFacts, Span
from quire.models.extract.text_quality.scripts import lower_figures, raise_figures

_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff\ufeff]")
_BREAKS: Final = re.compile("\r\n?|\x85|\u2028|\u2029|\x0b|\x0c")
_BLANKS: Final = re.compile("[ \t\n\r\f\v]+")


def clean(text: str) -> str:
    """Return the text with one kind of line break and without control characters."""
    if "\r" in text or not text.isprintable():
        text = _CONTROL.sub("", _BREAKS.sub("\n", text))
    return text


def fold(text: str) -> str:
    """Collapse white space as HTML does: each run of it (except a no-break space) becomes one blank."""
    return _BLANKS.sub(" ", text)


BULLET: Final = "• "
_LABEL_LIKE: Final = re.compile(
    r"\(?(?:\d{1,9}|([A-Za-z])\1{0,2}|[ivxlcdmIVXLCDM]{2,8})(?:\.\d{1,9})*[.)]+\s|\d{1,9}(?:\.\d{1,9})+\s"
)
_TYPED: Final = re.compile(r"(\d{1,3})[.)]\s+\S")
MAX_BLOCKS: Final = 400_000
"""Blocks of one document: as many as a tree of half a gigabyte holds."""


@dataclass(frozen=True, slots=True)
class InlineMarkup:
    """Formatting and link target of a stretch of text."""

    bold: bool = False
    italic: bool = False
    code: bool = False
    hidden: bool = False
    href: str | None = None
    strike: bool = False
    superscript: bool = False
    subscript: bool = False
    latex: str | None = None
    underline: bool = False
    highlight: bool = False


PLAIN: Final = InlineMarkup()


@dataclass(frozen=True, slots=True)
class StyledRun:
    """A stretch of text in one style."""

    text: str
    style: InlineMarkup = PLAIN


@dataclass(slots=True, eq=False)
class FlowBlock:
    """A block in progress. `bullet` marks an unordered list item; `asset` names a picture of the file's assets.

    Blocks with the same `group` belong to shapes that are grouped on a slide. `anchors` are the names by which links of
    the file refer to the block.
    """

    type: BlockType
    text: str = ""
    spans: tuple[Span, ...] = ()
    level: int | None = None
    table: Table | None = None
    bbox: Bbox | None = None
    picture: PictureFacts | None = None
    asset: str | None = None
    parent: "FlowBlock | None" = None
    flags: tuple[str, ...] = ()
    path: str | None = None
    bullet: bool = False
    group: object | None = None
    anchors: tuple[str, ...] = ()


@dataclass(slots=True)
class FlowPage:
    """One page.

    Attributes:
        width: Points; 0 = the format has no pages.
        height: Points; 0 = the format has no pages.
        label: Name of the page.
        blocks: Blocks in order.
        notes: Notes at the end of the page.
        headers: Running headers.
        footers: Running footers.
        warnings: Codes of warnings.
    """

    width: float = 0.0
    height: float = 0.0
    label: str | None = None
    blocks: list[FlowBlock] = field(default_factory=list)
    notes: list[FlowBlock] = field(default_factory=list)
    headers: list[FlowBlock] = field(default_factory=list)
    footers: list[FlowBlock] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def in_order(self) -> list[FlowBlock]:
        """Return all blocks in reading order."""
        return [*self.headers, *self.blocks, *self.notes, *self.footers]


def code_block(text: str, language: str | None) -> FlowBlock:
    """Return a block of code, with its language as a span."""
    spans = (Span(start=0, end=len(text), code=True, language=language),) if language and text else ()
    return FlowBlock(BlockType.CODE, text, spans)


def show_script(text: str, style: InlineMarkup) -> str:
    """Return the text with raised and lowered figures as such characters; its length stays."""
    if style.superscript:
        return raise_figures(text)
    return lower_figures(text) if style.subscript else text


def make_span(start: int, end: int, style: InlineMarkup) -> Span:
    """Return the span of a stretch in one style."""
    return Span(
        start=start, end=end, bold=style.bold, italic=style.italic, code=style.code, href=style.href,
        latex=style.latex, strike=style.strike, superscript=style.superscript, subscript=style.subscript,
        underline=style.underline and not style.href, highlight=style.highlight,
    )  # fmt: skip


def _look_of(run: StyledRun) -> InlineMarkup:
    return replace(run.style, hidden=False) if run.style.hidden else run.style


def join_runs(
    runs: Iterable[StyledRun], *, prefix: str = "", keep_indent: bool = False
) -> tuple[str, tuple[Span, ...]]:
    """Return text and spans of styled runs without outer white space, after an unstyled `prefix`."""
    groups = groupby((run for run in runs if run.text), key=_look_of)
    joined = [(clean("".join(run.text for run in group)), style) for style, group in groups]
    joined = [
        (show_script(text, style) if style.superscript or style.subscript else text, style) for text, style in joined
    ]
    full_text = "".join(text for text, _ in joined)
    text = full_text.strip("\n").rstrip() if keep_indent else full_text.strip()
    if not text:
        return "", ()
    shift = len(prefix) - full_text.find(text)
    spans: list[Span] = []
    offset = 0
    for part, style in joined:
        start, end = max(offset + shift, len(prefix)), min(offset + len(part) + shift, len(prefix) + len(text))
        offset += len(part)
        if style != PLAIN and end > start and part.strip():
            spans.append(make_span(start, end, style))
    return prefix + text, tuple(spans)


def squeeze_runs(runs: Iterable[StyledRun]) -> list[StyledRun]:
    """Collapse white space as a browser displays it: a run of it is one blank, an inserted line break stays."""
    out: list[StyledRun] = []
    ends_blank = True
    for run in runs:
        parts: list[str] = []
        for line_number, line in enumerate(run.text.split("\n")):
            if line_number:
                parts.append("\n")
                ends_blank = True
            words = line.split(" ")
            squeezed = " ".join(word for word in words if word)
            if line[:1] == " " and not ends_blank:
                squeezed = " " + squeezed
            if line[-1:] == " " and squeezed.strip():
                squeezed += " "
            if squeezed:
                ends_blank = squeezed.endswith(" ")
                parts.append(squeezed)
        if text := "".join(parts):
            out.append(StyledRun(text, run.style))
    return out


def move_spans(spans: Iterable[Span], by: int) -> tuple[Span, ...]:
    """Return the spans moved `by` characters."""
    return tuple(replace(span, start=span.start + by, end=span.end + by) for span in spans)


@dataclass(slots=True)
class Flat:
    """Blocks as one text for a cell, a note or a header; `children` remain separate blocks."""

    text: str
    spans: tuple[Span, ...]
    children: list[FlowBlock]


def flatten(blocks: list[FlowBlock]) -> Flat:
    """Return one line per block.

    Nested tables become lines of cells and a child. Pictures and flagged blocks become children only.
    """
    text = ""
    spans: list[Span] = []
    children: list[FlowBlock] = []
    child_ids: set[int] = set()
    for block in blocks:
        nested = block.parent is not None and id(block.parent) in child_ids
        if block.type in (BlockType.PICTURE, BlockType.TABLE) or block.flags:
            children.append(block)
            child_ids.add(id(block))
        line = "" if nested else _line_of(block)
        if not line:
            continue
        text += "\n" if text else ""
        bullet = len(BULLET) if block.bullet else 0
        start = len(text) + bullet
        spans += move_spans(block.spans, start)
        if block.type is BlockType.FORMULA:
            spans.append(Span(start=start, end=start + len(line) - bullet, latex=block.text))
        text += line
    return Flat(text, tuple(spans), children)


def _line_of(block: FlowBlock) -> str:
    if block.flags or block.type is BlockType.PICTURE:
        return ""
    if block.table is not None:
        return flatten_table(block.table)
    text = f"${block.text}$" if block.type is BlockType.FORMULA and block.text else block.text
    return (BULLET if block.bullet else "") + text if text else ""


def number_typed(blocks: Iterable[FlowBlock]) -> None:
    """Make a bulleted list numbered when its items all begin with typed numbers 1, 2, 3 and so on."""
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
        if len(items) > 1 and [int(match.group(1)) if match else 0 for match in typed] == [*range(1, len(items) + 1)]:
            for item in items:
                item.bullet = False
    lists.clear()


def keep_bullet(block: FlowBlock) -> None:
    """Write the bullet of an item whose first word looks like a number label ("A. Smith")."""
    if block.bullet and block.type is BlockType.LIST_ITEM and _LABEL_LIKE.match(block.text):
        by = len(BULLET)
        block.text = BULLET + block.text
        block.spans = tuple(replace(span, start=span.start + by, end=span.end + by) for span in block.spans)


class HasParent(Protocol):
    """A block of any reader while its file is read."""

    parent: Any


Child = TypeVar("Child", bound=HasParent)


def adopt(children: list[Child], parent: Child) -> list[Child]:
    """Set `parent` on the children that have no parent among themselves; return the children."""
    inside = {id(child) for child in children}
    for child in children:
        if child.parent is None or id(child.parent) not in inside:
            child.parent = parent
    return children


def flatten_table(table: Table) -> str:
    """Return a nested table as lines of cells."""
    rows: list[list[str]] = [[] for _ in range(table.rows)]
    for cell in table.cells:
        rows[cell.row].append(cell.text)
    return "\n".join(line for row in rows if (line := "\t".join(row).strip()))


def check_count(pages: Iterable[FlowPage]) -> None:
    """Check the number of blocks.

    Raises:
        ResourceLimit: The pages hold more blocks than a tree may have.
    """
    if sum(len(page.blocks) + len(page.notes) for page in pages) > MAX_BLOCKS:
        raise ResourceLimit(f"more than {MAX_BLOCKS} blocks")
