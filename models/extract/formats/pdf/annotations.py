"""Links and form fields of a PDF page, added to its marks. Reads a page only when it has annotations."""

from typing import Any

from quire.models.cdom.geometry import Bbox
from quire.models.extract.formats.pdf.engine import mupdf, pymupdf
from quire.models.extract.formats.pdf.engine.rotation import turn_box
from quire.models.extract.formats.pdf.facts import clean_text
from quire.models.extract.formats.pdf.notes import add_notes
from quire.models.extract.formats.pdf.structure.contents import has_annotations
from quire.models.extract.layout.figures.forms import plain_name
from quire.models.extract.layout.lines.marks import Line, PageMarks, PrintedField, Run

_MOST_ANNOTATIONS = 2000
"""Links, notes and form fields of a page that are read; a page with more is an attack."""
_INSIDE = ("#", "file:")
"""Prefixes of addresses inside this file and of files in the same folder."""
_BUTTONS = frozenset({pymupdf.PDF_WIDGET_TYPE_CHECKBOX, pymupdf.PDF_WIDGET_TYPE_RADIOBUTTON})
_VALUES = frozenset({pymupdf.PDF_WIDGET_TYPE_TEXT, pymupdf.PDF_WIDGET_TYPE_COMBOBOX, pymupdf.PDF_WIDGET_TYPE_LISTBOX})
_NOT_SHOWN = 2 | 32
"""Bits of a widget's flags: hidden, and not for viewing."""
_OFF = frozenset({"", "Off", "False", "None"})


def add_annotations(page: Any, marks: PageMarks) -> None:
    """Add links as runs of the lines that they cover, form fields as printed fields, and notes."""
    if not has_annotations(page):
        return
    marks.steps.run("links", None, _add_links, page, marks)
    marks.fields += marks.steps.run("form", [], _find_fields, page)
    marks.steps.run("notes", None, add_notes, page, marks)


def _add_links(page: Any, marks: PageMarks) -> None:
    """Add links to addresses, read one by one: PyMuPDF's list would resolve every link inside the file as well."""
    link = mupdf.fz_load_links(page.this)
    for _ in range(_MOST_ANNOTATIONS):
        if not link.m_internal:
            return
        stated = link.m_internal.uri
        address = clean_text(stated) if stated and not stated.startswith(_INSIDE) else None
        if address:
            area = link.m_internal.rect
            x0, y0, x1, y1 = area.x0, area.y0, area.x1, area.y1
            for line in marks.lines:
                if y0 <= (line.y0 + line.y1) / 2 <= y1 and line.x0 < x1 and line.x1 > x0:
                    _add_link(line, marks, x0, x1, address)
        link = link.next()


def _add_link(line: Line, marks: PageMarks, x0: float, x1: float, address: str) -> None:
    """Add a run over the words of the line whose middle is between x0 and x1."""
    if x0 <= line.x0 + 2 and x1 >= line.x1 - 2:
        line.runs.append(Run(0, len(line.text), href=address))
        return
    start = end = offset = 0
    for word in marks.words_of(line):
        offset = max(line.text.find(word.text, offset), 0)
        if x0 <= (word.x0 + word.x1) / 2 <= x1:
            start = start if end else offset
            end = offset + len(word.text)
        offset += len(word.text)
    if end > start:
        line.runs.append(Run(start, end, href=address))


def _find_fields(page: Any) -> list[PrintedField]:
    fields: list[PrintedField] = []
    turn = page.rotation_matrix if page.rotation else None
    for widget in page.widgets():
        if len(fields) >= _MOST_ANNOTATIONS:
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
    value = _format_value(widget) if widget.field_type in _VALUES else ""
    return PrintedField(box, name, value) if value else None


def _is_ticked(page: Any, widget: Any) -> bool:
    """Read the state from the widget's current appearance, which each button of a group has, else from its value."""
    kind, look = page.parent.xref_get_key(widget.xref, "AS")
    if kind == "name":
        return str(look) != "/Off"
    return (clean_text(str(widget.field_value or "")) or "") not in _OFF


def _format_value(widget: Any) -> str:
    """Return the value as people read it: the displayed text of each chosen option, separated by commas."""
    values = widget.field_value if isinstance(widget.field_value, list | tuple) else [widget.field_value]
    pairs = [pair for pair in widget.choice_values or () if isinstance(pair, list | tuple) and len(pair) > 1]
    labels = {pair[0]: pair[1] for pair in pairs}
    return ", ".join(text for value in values if (text := clean_text(str(labels.get(value, value) or ""))))
