"""Links, form fields, notes of reviewers, struck-out text and attached files, which the text of a page lacks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from quire.models.cdom.flags import COMMENT
from quire.models.cdom.geometry import Bbox, round_bbox
from quire.models.cdom.tree import ATTACHMENT, BlockType
from quire.models.extract.contract import PageBlock
from quire.models.extract.formats.pdf.engine import mupdf, pymupdf, turn_box
from quire.models.extract.formats.pdf.facts import clean_text
from quire.models.extract.layout.figures.forms import plain_name
from quire.models.extract.layout.lines.marks import Line, PageMarks, PrintedField, Run


@dataclass(frozen=True, slots=True)
class AnnotationLimits:
    """What is read of a page or file; one with more is an attack."""

    most_annotations: int = 2000
    """Links, and form fields, of a page."""
    most_notes: int = 2000
    """Notes of a page, and attachments of a file."""
    part_chars: int = 6
    """Characters of a part of a printed address; shorter words are in many addresses."""


LIMITS = AnnotationLimits()
_INSIDE = ("#", "file:")
"""Prefixes of addresses inside this file and of files in the same folder."""
_AROUND = "<>()[]{}.,;:\"'“”"
"""Signs that stand around a printed address."""
_BUTTONS = frozenset({pymupdf.PDF_WIDGET_TYPE_CHECKBOX, pymupdf.PDF_WIDGET_TYPE_RADIOBUTTON})
_VALUES = frozenset({pymupdf.PDF_WIDGET_TYPE_TEXT, pymupdf.PDF_WIDGET_TYPE_COMBOBOX, pymupdf.PDF_WIDGET_TYPE_LISTBOX})
_NOT_SHOWN = 2 | 32
"""Bits of a widget's flags: hidden, and not for viewing."""
_OFF = frozenset({"", "Off", "False", "None"})


def add_links(page: Any, marks: PageMarks) -> None:
    """Add links to addresses, and drop underlines of links inside the file.

    They are read one by one: PyMuPDF's list would resolve every link inside the file as well.
    """
    link = mupdf.fz_load_links(page.this)
    has_underlines = any(run.underline for line in marks.lines for run in line.runs)
    for _ in range(LIMITS.most_annotations):
        if not link.m_internal:
            return
        stated = link.m_internal.uri
        address = clean_text(stated) if stated and not stated.startswith(_INSIDE) else None
        area = link.m_internal.rect
        x0, y0, x1, y1 = area.x0, area.y0, area.x1, area.y1
        for line in marks.lines if address or has_underlines else ():
            if y0 <= (line.y0 + line.y1) / 2 <= y1 and line.x0 < x1 and line.x1 > x0:
                if address:
                    _add_link(line, marks, x0, x1, address)
                else:
                    line.runs = [run for run in line.runs if not run.underline]
        link = link.next()


def _add_link(line: Line, marks: PageMarks, x0: float, x1: float, address: str) -> None:
    """Add a run over the words of the line whose middle is between x0 and x1."""
    if x0 <= line.x0 + 2 and x1 >= line.x1 - 2:
        line.runs.append(Run(0, len(line.text), href=address))
        return
    covered: list[tuple[int, int]] = []
    offset = 0
    for word in marks.words_of(line):
        offset = max(line.text.find(word.text, offset), 0)
        if x0 <= (word.x0 + word.x1) / 2 <= x1:
            covered.append((offset, offset + len(word.text)))
        offset += len(word.text)
    printed = [(start, end) for start, end in covered if _is_part(line.text[start:end], address)]
    if covered:
        start, end = (printed or covered)[0][0], (printed or covered)[-1][1]
        line.runs.append(Run(start, end, href=address))


def _is_part(word: str, address: str) -> bool:
    """Return True for a word that is the address or the part of it that stands on this line."""
    part = word.strip(_AROUND)
    return len(part) >= LIMITS.part_chars and not part.isalnum() and part in address


def add_fields(page: Any, marks: PageMarks) -> None:
    """Add the form fields to the marks."""
    marks.fields += _find_fields(page)


def _find_fields(page: Any) -> list[PrintedField]:
    fields: list[PrintedField] = []
    turn = page.rotation_matrix if page.rotation else None
    for widget in page.widgets():
        if len(fields) >= LIMITS.most_annotations:
            break
        printed = _read_field(page, widget)
        if printed is not None:
            printed.box = printed.box if turn is None else turn_box(printed.box, turn)
            fields.append(printed)
    return fields


def _read_field(page: Any, widget: Any) -> PrintedField | None:
    """Return the field of a widget that is shown and filled (a button always is), else None."""
    if mupdf.pdf_dict_get_int(mupdf.pdf_annot_obj(widget._annot), mupdf.PDF_ENUM_NAME_F) & _NOT_SHOWN:
        return None
    name = clean_text(widget.field_label) or plain_name(clean_text(widget.field_name) or "")
    box: Bbox = (widget.rect.x0, widget.rect.y0, widget.rect.x1, widget.rect.y1)
    if widget.field_type in _BUTTONS:
        return PrintedField(box, name, "", is_checked=_is_ticked(page, widget))
    values = _list_values(widget) if widget.field_type in _VALUES else ()
    chosen = values if widget.field_type == pymupdf.PDF_WIDGET_TYPE_LISTBOX else ()
    return PrintedField(box, name, ", ".join(values), chosen=chosen) if values else None


def _is_ticked(page: Any, widget: Any) -> bool:
    """Read the state from the widget's current appearance, which each button of a group has, else from its value."""
    kind, look = page.parent.xref_get_key(widget.xref, "AS")
    if kind == "name":
        return str(look) != "/Off"
    return (clean_text(str(widget.field_value or "")) or "") not in _OFF


def _list_values(widget: Any) -> tuple[str, ...]:
    """Return the values as people read them: the displayed text of each chosen option."""
    values = widget.field_value if isinstance(widget.field_value, list | tuple) else [widget.field_value]
    pairs = [pair for pair in widget.choice_values or () if isinstance(pair, list | tuple) and len(pair) > 1]
    labels = {pair[0]: pair[1] for pair in pairs}
    return tuple(text for value in values if (text := clean_text(str(labels.get(value, value) or ""))))


_COMMENTED = frozenset(
    {
        pymupdf.PDF_ANNOT_TEXT,
        pymupdf.PDF_ANNOT_HIGHLIGHT,
        pymupdf.PDF_ANNOT_UNDERLINE,
        pymupdf.PDF_ANNOT_SQUIGGLY,
        pymupdf.PDF_ANNOT_STRIKE_OUT,
        pymupdf.PDF_ANNOT_CARET,
        pymupdf.PDF_ANNOT_SQUARE,
        pymupdf.PDF_ANNOT_CIRCLE,
        pymupdf.PDF_ANNOT_INK,
        pymupdf.PDF_ANNOT_LINE,
    }
)
"""Annotations whose text is in a window of its own. Free text and stamps print theirs on the page."""
_STYLES = {
    pymupdf.PDF_ANNOT_STRIKE_OUT: Run(0, 0, strike=True),
    pymupdf.PDF_ANNOT_HIGHLIGHT: Run(0, 0, highlight=True),
    pymupdf.PDF_ANNOT_UNDERLINE: Run(0, 0, underline=True),
    pymupdf.PDF_ANNOT_SQUIGGLY: Run(0, 0, underline=True),
}
"""Annotations over words, and the style that they give them."""
_HIDDEN = pymupdf.PDF_ANNOT_IS_HIDDEN


def add_notes(page: Any, marks: PageMarks) -> None:
    """Add the comments, stamps and attached files of reviewers to the marks, and style the text that they mark."""
    turn = page.rotation_matrix if page.rotation else None
    for annotation in _list_notes(page):
        text = clean_text(annotation.info.get("content"))
        box = _turned((annotation.rect.x0, annotation.rect.y0, annotation.rect.x1, annotation.rect.y1), turn)
        if text and annotation.type[0] in _COMMENTED:
            marks.comments.append((box, " ".join(text.split())))
        if annotation.type[0] == pymupdf.PDF_ANNOT_STAMP:
            marks.stamps.append(box)
        if annotation.type[0] == pymupdf.PDF_ANNOT_FILE_ATTACHMENT:
            marks.attached.append((box, _find_file_name(annotation) or text or ""))
        elif (style := _STYLES.get(annotation.type[0])) is not None:
            corners = annotation.vertices or []
            for start in range(0, len(corners) - 3, 4):
                xs, ys = zip(*corners[start : start + 4], strict=True)
                _style_words(marks, _turned((min(xs), min(ys), max(xs), max(ys)), turn), style)


def _find_file_name(annotation: Any) -> str | None:
    """Return the name of a pinned file, also of one that is missing; None for a paper clip without a name."""
    stated = mupdf.pdf_dict_gets(mupdf.pdf_annot_obj(annotation.this), "FS")
    if mupdf.pdf_dict_getp(stated, "EF/F").m_internal:
        return clean_text(annotation.file_info.get("filename"))
    names = (mupdf.pdf_dict_gets(stated, "UF"), mupdf.pdf_dict_gets(stated, "F"), stated)
    return next((name for stated in names if (name := clean_text(mupdf.pdf_to_text_string(stated)))), None)


def _list_notes(page: Any) -> Iterator[Any]:
    for count, annotation in enumerate(
        page.annots(types=[*_COMMENTED, pymupdf.PDF_ANNOT_STAMP, pymupdf.PDF_ANNOT_FILE_ATTACHMENT])
    ):
        if count >= LIMITS.most_notes:
            return
        if not annotation.flags & _HIDDEN:
            yield annotation


def _turned(box: Bbox, turn: Any) -> Bbox:
    return box if turn is None else turn_box(box, turn)


def _style_words(marks: PageMarks, box: Bbox, style: Run) -> None:
    """Mark the words whose middle is in the box as struck out, underlined or highlighted."""
    x0, y0, x1, y1 = box
    for line in marks.lines:
        if not (y0 <= (line.y0 + line.y1) / 2 <= y1 and line.x0 < x1 and line.x1 > x0):
            continue
        start, end, at = -1, -1, 0
        for word in marks.words_of(line):
            at = max(line.text.find(word.text, at), 0)
            if x0 <= (word.x0 + word.x1) / 2 <= x1:
                start, end = (at if start < 0 else start), at + len(word.text)
            at += len(word.text)
        if end > start >= 0:
            line.runs.append(replace(style, start=start, end=end))


def make_comments(marks: PageMarks) -> list[PageBlock]:
    """Return a block for each comment of a reviewer, as those of Word files."""
    return [
        PageBlock(type=BlockType.FOOTNOTE, text=text, bbox=round_bbox(box), flags=(COMMENT,))
        for box, text in marks.comments
    ]


def type_stamps(blocks: Sequence[PageBlock], stamps: Sequence[Bbox]) -> list[PageBlock]:
    """Return the blocks with the text of stamps (boxes, points) as comments: no heading is stamped on a page."""
    return [
        replace(block, type=BlockType.FOOTNOTE, level=None, flags=(*block.flags, COMMENT))
        if block.type in _STAMPED and any(_is_inside(block.bbox, stamp) for stamp in stamps)
        else block
        for block in blocks
    ]


_STAMPED = frozenset({BlockType.PARAGRAPH, BlockType.HEADING})


def _is_inside(box: Bbox | None, area: Bbox) -> bool:
    if box is None:
        return False
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    is_central = area[0] <= x <= area[2] and area[1] <= y <= area[3]
    return is_central and box[2] - box[0] <= area[2] - area[0] and box[3] - box[1] <= area[3] - area[1]


def make_attached(marks: PageMarks) -> list[PageBlock]:
    """Return a block with the name of each file that is pinned to the page."""
    return [
        PageBlock(
            type=BlockType.KEY_VALUE,
            text=f"Attached file: {name}",
            bbox=round_bbox(box),
            path=f"{ATTACHMENT}{marks.number}.{number}",
        )
        for number, (box, name) in enumerate(marks.attached, 1)
        if name
    ]


def name_attachments(document: Any) -> list[PageBlock]:
    """Return a block with the name of each file that is attached to the document, or a member of its portfolio."""
    names = document.embfile_names()[: LIMITS.most_notes]
    cleaned = [name for stated in names if (name := clean_text(stated))]
    return [
        PageBlock(type=BlockType.KEY_VALUE, text=f"Attached file: {name}", path=f"{ATTACHMENT}{number}")
        for number, name in enumerate(cleaned, 1)
    ]
