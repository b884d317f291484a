"""Notes of reviewers, struck-out text and attached files of a PDF, which the text of its pages does not hold."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from quire.models.cdom.flags import COMMENT
from quire.models.cdom.geometry import Bbox, round_bbox
from quire.models.cdom.tree import ATTACHMENT, BlockType
from quire.models.extract.contract import PageBlock
from quire.models.extract.formats.pdf.engine import mupdf, pymupdf
from quire.models.extract.formats.pdf.engine.rotation import turn_box
from quire.models.extract.formats.pdf.facts import clean_text
from quire.models.extract.layout.lines.marks import PageMarks, Run

_MOST_NOTES = 2000
"""Notes of a page and attachments of a file that are read; more are an attack."""
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
_HIDDEN = pymupdf.PDF_ANNOT_IS_HIDDEN


def add_notes(page: Any, marks: PageMarks) -> None:
    """Add the comments, stamps and attached files of reviewers to the marks, and mark the text that they struck out."""
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
        elif annotation.type[0] == pymupdf.PDF_ANNOT_STRIKE_OUT:
            corners = annotation.vertices or []
            for start in range(0, len(corners) - 3, 4):
                xs, ys = zip(*corners[start : start + 4], strict=True)
                _strike_out(marks, _turned((min(xs), min(ys), max(xs), max(ys)), turn))


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
        if count >= _MOST_NOTES:
            return
        if not annotation.flags & _HIDDEN:
            yield annotation


def _turned(box: Bbox, turn: Any) -> Bbox:
    return box if turn is None else turn_box(box, turn)


def _strike_out(marks: PageMarks, box: Bbox) -> None:
    """Mark the words whose middle is in the box as struck out."""
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
            line.runs.append(Run(start, end, strike=True))


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
    names = document.embfile_names()[:_MOST_NOTES]
    cleaned = [name for stated in names if (name := clean_text(stated))]
    return [
        PageBlock(type=BlockType.KEY_VALUE, text=f"Attached file: {name}", path=f"{ATTACHMENT}{number}")
        for number, name in enumerate(cleaned, 1)
    ]
