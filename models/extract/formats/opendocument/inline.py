"""Paragraph content of OpenDocument text: an element in; runs, notes, pictures and boxes out."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.common.xml import Element
from quire.models.extract.formats.flow.blocks import PLAIN, FlowBlock, InlineMarkup, StyledRun, fold
from quire.models.extract.formats.flow.mathml import mathml_to_latex
from quire.models.extract.formats.opendocument.charts import read_chart
from quire.models.extract.formats.opendocument.styles import DRAW, OFFICE, TABLE, TEXT, XLINK, OdfStyles, count

MAX_BLANKS: Final = 1000
"""Blanks that one `text:s` may represent."""
_SKIPPED: Final = frozenset(
    (
        TEXT + "tracked-changes", TEXT + "bookmark-start", TEXT + "soft-page-break", OFFICE + "annotation-end",
        TEXT + "ruby-text", TEXT + "note-citation",
    )
)  # fmt: skip


_REFERENCES: Final = frozenset(TEXT + name for name in ("bookmark-ref", "reference-ref", "sequence-ref"))
_BLANKS: Final = {TEXT + "s": " ", TEXT + "tab": "\t", TEXT + "line-break": "\n"}


@dataclass(slots=True)
class Inline:
    """Content of a paragraph: its runs, and the objects in it."""

    runs: list[StyledRun] = field(default_factory=list)
    notes: list[Element] = field(default_factory=list)
    comments: list[Element] = field(default_factory=list)
    frames: list[Element] = field(default_factory=list)
    leading: int = 0
    """Number of frames before all text."""


def read_inline(node: Element, styles: OdfStyles, mark: Callable[[], str]) -> Inline:
    """Return the content of a paragraph; `mark` returns the number of the next note."""
    inline = Inline()
    _read(node, styles, mark, PLAIN, inline)
    return inline


def _read(node: Element, styles: OdfStyles, mark: Callable[[], str], style: InlineMarkup, inline: Inline) -> None:
    if node.text:
        inline.runs.append(StyledRun(fold(node.text), style))
    for child in node:
        _read_child(child, styles, mark, style, inline)
        if child.tail:
            inline.runs.append(StyledRun(fold(child.tail), style))


def _read_child(
    child: Element, styles: OdfStyles, mark: Callable[[], str], style: InlineMarkup, inline: Inline
) -> None:
    match child.tag:
        case t if t in _SKIPPED:
            return
        case t if t in _BLANKS:
            inline.runs.append(StyledRun(_BLANKS[str(t)] * count(child.get(TEXT + "c"), MAX_BLANKS), style))
        case t if t == TEXT + "span":
            _read(child, styles, mark, _span_style(child.get(TEXT + "style-name"), styles, style), inline)
        case t if t == TEXT + "a":
            href = child.get(XLINK + "href")
            _read(child, styles, mark, replace(style, href=href) if href else style, inline)
        case t if t in _REFERENCES:
            name = child.get(TEXT + "ref-name")
            _read(child, styles, mark, replace(style, href=f"#{name}") if name else style, inline)
        case t if t == TEXT + "note":
            inline.notes.append(child)
            inline.runs.append(StyledRun(mark(), replace(style, superscript=True)))
        case t if t == OFFICE + "annotation":
            inline.comments.append(child)
        case t if t in (DRAW + "frame", DRAW + "custom-shape", DRAW + "g", DRAW + "rect"):
            inline.leading += inline.leading == len(inline.frames) and not any(run.text.strip() for run in inline.runs)
            inline.frames.append(child)
        case t if isinstance(t, str):
            _read(child, styles, mark, style, inline)


def _span_style(name: str | None, styles: OdfStyles, style: InlineMarkup) -> InlineMarkup:
    bold, italic = styles.emphasis(name)
    raised = styles.raised(name)
    return replace(
        style,
        bold=style.bold if bold is None else bold,
        italic=style.italic if italic is None else italic,
        hidden=style.hidden or styles.is_hidden(name),
        strike=style.strike if (struck := styles.is_struck(name)) is None else struck,
        superscript=style.superscript if raised is None else raised > 0,
        subscript=style.subscript if raised is None else raised < 0,
        code=style.code or styles.is_a(name, "Source_20_Text", "Teletype"),
    )


_NAMED: Final = {
    TEXT + "bookmark": TEXT + "name",
    TEXT + "bookmark-start": TEXT + "name",
    TEXT + "reference-mark": TEXT + "name",
    TEXT + "reference-mark-start": TEXT + "name",
    TEXT + "sequence": TEXT + "ref-name",
}


def find_names(node: Element) -> list[str]:
    """Return the names by which links and references name a paragraph or table: its marks, or what they head."""
    names = [name for mark in node.iter(*_NAMED) if (name := mark.get(_NAMED[str(mark.tag)]))]
    table = node.get(TABLE + "name")
    if node.tag == TEXT + "h":
        names.append("".join(map(str, node.itertext())) + "|outline")
    return names if table is None else [*names, table, table + "|table"]


def read_object(content: Element | None, alt: str = "") -> FlowBlock | None:
    """Return a formula as LaTeX, or a chart as a picture with its values; None for other objects."""
    if content is None or not isinstance(content.tag, str):
        return None
    if content.tag.endswith("}math") or content.tag == "math":
        text = mathml_to_latex(content)
        return FlowBlock(BlockType.FORMULA, text) if text else None
    return read_chart(content, alt)
