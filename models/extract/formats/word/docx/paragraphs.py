"""Kinds of paragraphs: properties in, the kind (heading, list item, caption …) out.

Counts list numbers at the same time.
"""

from dataclasses import dataclass, replace
from typing import Final

from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.common.xml import Element, W, is_on, number, val
from quire.models.extract.formats.word.docx.numbering import ListCounter, Marker
from quire.models.extract.formats.word.docx.styles import (
    BODY_LEVEL,
    PLAIN,
    ParagraphStyle,
    StyleRole,
    StyleSheet,
    Toggles,
    read_indent,
)

MAX_HEADING_LEVEL: Final = 6
"""The deepest level of a heading: HTML and Markdown have six; Word's seventh to ninth become the sixth."""
MAX_OUTLINED_CHARS: Final = 250
"""Characters of a heading that is one only by its outline level: legal texts outline whole clauses."""

_ROLES: Final = {StyleRole.TITLE: BlockType.TITLE, StyleRole.CAPTION: BlockType.CAPTION, StyleRole.CODE: BlockType.CODE}


@dataclass(frozen=True, slots=True)
class ParagraphKind:
    """The kind of a paragraph.

    Attributes:
        type: Type of the block.
        level: Level of the block.
        marker: Marker of a numbered paragraph.
        outlined: Whether only the outline level makes it a heading.
        page_break_before: Whether it starts a page.
        toggles: Formatting from which its runs start.
        indent: Start of its text, in twips from the margin.
    """

    type: BlockType = BlockType.PARAGRAPH
    level: int | None = None
    marker: Marker | None = None
    outlined: bool = False
    page_break_before: bool = False
    toggles: Toggles = PLAIN
    indent: int | None = None


PLAIN_KIND: Final = ParagraphKind()


def read_kind(ppr: Element | None, styles: StyleSheet, counter: ListCounter) -> ParagraphKind:
    """Return the kind of the paragraph with these properties; count it if it is numbered."""
    style = styles.paragraph(val(ppr.find(W + "pStyle")) if ppr is not None else None)
    marker = _read_marker(ppr, styles, counter)
    breaks = is_on(ppr.find(W + "pageBreakBefore")) if ppr is not None else None
    page_break = breaks if breaks is not None else style.page_break_before
    stated = _outline_level(ppr)
    level = style.level if stated is None else stated
    indent = _indent(ppr, style, marker)
    if marker is not None and style.level is not None and not marker.ordered and _is_numbered(ppr):
        return ParagraphKind(BlockType.LIST_ITEM, marker.level, marker, False, page_break, style.toggles, indent)
    if level is not None and level <= BODY_LEVEL:
        return ParagraphKind(
            BlockType.HEADING,
            min(level, MAX_HEADING_LEVEL),
            marker,
            outlined=style.level is None,
            page_break_before=page_break,
            toggles=PLAIN if style.level is not None else style.toggles,
        )
    if marker is not None and style.role not in _ROLES:
        return ParagraphKind(BlockType.LIST_ITEM, marker.level, marker, False, page_break, style.toggles, indent)
    toggles = PLAIN if style.role is StyleRole.TITLE else style.toggles
    return ParagraphKind(_ROLES.get(style.role, BlockType.PARAGRAPH), None, None, False, page_break, toggles, indent)


def _is_numbered(ppr: Element | None) -> bool:
    """Return whether the paragraph itself, not its style, is in a list: a bulleted "heading" is an item."""
    return ppr is not None and val(ppr.find(f"{W}numPr/{W}numId")) is not None


def _indent(ppr: Element | None, style: ParagraphStyle, marker: Marker | None) -> int | None:
    """Return the indent of the paragraph, else of the list it is put into, else of its style (with its list)."""
    own = read_indent(ppr)
    of_list = marker.indent if marker is not None else None
    if own is not None:
        return own
    if of_list is not None and (_is_numbered(ppr) or style.indent is None):
        return of_list
    return style.indent


def _outline_level(ppr: Element | None) -> int | None:
    """Return a directly stated level from 1; above `BODY_LEVEL` for text stated to be body text."""
    node = ppr.find(W + "outlineLvl") if ppr is not None else None
    return None if node is None else number(val(node), BODY_LEVEL) + 1


def _read_marker(ppr: Element | None, styles: StyleSheet, counter: ListCounter) -> Marker | None:
    direct = ppr.find(W + "numPr") if ppr is not None else None
    style = styles.paragraph(val(ppr.find(W + "pStyle")) if ppr is not None else None)
    num_id = val(direct.find(W + "numId")) if direct is not None else None
    level_node = direct.find(W + "ilvl") if direct is not None else None
    num_id = num_id or style.num_id
    if num_id is None or num_id == "0" or not counter.knows(num_id):
        return None
    if level_node is not None:
        level_index = number(val(level_node))
    elif direct is not None and direct.find(W + "numId") is not None:
        level_index = 0
    else:
        linked_level = counter.level_of_style(num_id, style.ids[:1])
        level_index = style.num_level if style.num_level is not None else linked_level or 0
    marker = counter.next(num_id, level_index)
    return replace(marker, level=style.list_depth) if marker.level < style.list_depth else marker
