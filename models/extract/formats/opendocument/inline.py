"""Inside a paragraph of OpenDocument text: an element in; runs, notes, pictures and boxes out."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from models.extract.formats.common.xml import Element
from models.extract.formats.flow.blocks import PLAIN, InlineMarkup, StyledRun
from models.extract.formats.flow.characters import fold
from models.extract.formats.opendocument.names import DRAW, OFFICE, TEXT, XLINK, count
from models.extract.formats.opendocument.styles import OdfStyles

MAX_BLANKS: Final = 1000
"""Blanks that one `text:s` may stand for."""
_SKIPPED: Final = frozenset(
    (
        TEXT + "tracked-changes", TEXT + "bookmark-start", TEXT + "soft-page-break", OFFICE + "annotation-end",
        TEXT + "ruby-text", TEXT + "note-citation",
    )
)  # fmt: skip


_BLANKS: Final = {TEXT + "s": " ", TEXT + "tab": "\t", TEXT + "line-break": "\n"}


@dataclass(slots=True)
class Inline:
    """What a paragraph holds: its runs, and what stands beside them."""

    runs: list[StyledRun] = field(default_factory=list)
    notes: list[Element] = field(default_factory=list)
    comments: list[Element] = field(default_factory=list)
    frames: list[Element] = field(default_factory=list)
    leading: int = 0
    """Frames that stand before all text."""


def read_inline(node: Element, styles: OdfStyles, mark: Callable[[], str]) -> Inline:
    """The content of a paragraph; `mark` gives the number of the next note."""
    found = Inline()
    _read(node, styles, mark, PLAIN, found)
    return found


def _read(node: Element, styles: OdfStyles, mark: Callable[[], str], style: InlineMarkup, found: Inline) -> None:
    if node.text:
        found.runs.append(StyledRun(fold(node.text), style))
    for child in node:
        _read_child(child, styles, mark, style, found)
        if child.tail:
            found.runs.append(StyledRun(fold(child.tail), style))


def _read_child(child: Element, styles: OdfStyles, mark: Callable[[], str], style: InlineMarkup, found: Inline) -> None:
    match child.tag:
        case t if t in _SKIPPED:
            return
        case t if t in _BLANKS:
            found.runs.append(StyledRun(_BLANKS[str(t)] * count(child.get(TEXT + "c"), MAX_BLANKS), style))
        case t if t == TEXT + "span":
            _read(child, styles, mark, _span_style(child.get(TEXT + "style-name"), styles, style), found)
        case t if t == TEXT + "a":
            href = child.get(XLINK + "href")
            _read(child, styles, mark, replace(style, href=href) if href and href[:1] != "#" else style, found)
        case t if t == TEXT + "note":
            found.notes.append(child)
            found.runs.append(StyledRun(mark(), style))
        case t if t == OFFICE + "annotation":
            found.comments.append(child)
        case t if t in (DRAW + "frame", DRAW + "custom-shape", DRAW + "g", DRAW + "rect"):
            found.leading += found.leading == len(found.frames) and not any(run.text.strip() for run in found.runs)
            found.frames.append(child)
        case t if isinstance(t, str):
            _read(child, styles, mark, style, found)


def _span_style(name: str | None, styles: OdfStyles, style: InlineMarkup) -> InlineMarkup:
    bold, italic = styles.emphasis(name)
    return replace(
        style,
        bold=style.bold if bold is None else bold,
        italic=style.italic if italic is None else italic,
        code=style.code or styles.is_a(name, "Source_20_Text", "Teletype"),
    )
