"""Superscripts and subscripts: small spans off the baseline of the text that they follow are marked as such.

Their figures become superscript and subscript characters, so that a note mark never becomes a digit of its number.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from quire.models.extract.layout.lines.marks import PageMarks
from quire.models.extract.text_quality.scripts import lower_figures, raise_figures

Span = dict[str, Any]
"""A span of the engine's dictionary. `script` is added to it: 1 for a superscript, -1 for a subscript."""
SCRIPT: Final = "script"


@dataclass(frozen=True, slots=True)
class ScriptLimits:
    """Conditions of a superscript or subscript. Sizes and distances are relative to the size of the text before it."""

    smallest: float = 0.4
    """Least size."""
    largest: float = 0.87
    """Greatest size."""
    full: float = 1.02
    """Greatest size of a raised note mark, which may be as large as its text."""
    full_rise: float = 0.25
    """Least distance of such a note mark above the baseline."""
    least_rise: float = 0.15
    """Least distance of a superscript above the baseline."""
    most_rise: float = 0.75
    """Greatest distance of a superscript above the baseline."""
    least_drop: float = 0.07
    """Least distance of a subscript below the baseline."""
    most_drop: float = 0.6
    """Greatest distance of a subscript below the baseline."""
    most_chars: int = 10
    """Greatest number of characters."""
    near: float = 0.6
    """Greatest gap to text in another line of the engine's."""


LIMITS = ScriptLimits()
_INK = 16 | 32
"""The engine's character flags for filled and stroked glyphs; the text layer of a scan has neither."""
_RAISES = re.compile(r"[\w)\].,;:!?'\"’”»%°€$£¥*]$")
"""End of a text that can have a superscript. A label before a value ("Total:") can too, but has no subscript."""
_LOWERS = re.compile(r"[\w)\]]$")
_MARK = re.compile(r"[\d,*†‡§¶]{1,3}")
"""A note mark or an exponent that can be as large as its text."""
_LEADS = re.compile(r"[\d,*†‡§¶#]{1,4}|[a-z]")
"""A note mark before its text."""


def mark_scripts(text_page: Any, blocks: list[dict[str, Any]]) -> None:
    """Mark superscripts and subscripts in the dictionary and rewrite their figures there and in the text page."""
    written: dict[tuple[int, int], list[tuple[int, str, str]]] = {}
    number = -1
    for block in blocks:
        if block["type"] != 0:
            continue
        number += 1
        before: dict[str, Any] | None = None
        for index, line in enumerate(block["lines"]):
            changes = list(_mark_line(line, before))
            if changes:
                written[number, index] = changes
            before = line
    if written:
        _rewrite_glyphs(text_page, written)


def _mark_line(line: dict[str, Any], before: dict[str, Any] | None) -> Iterator[tuple[int, str, str]]:
    """Mark the scripts of a line and yield the offset, the old and the new text of those that are rewritten."""
    spans: list[Span] = line["spans"]
    base = _find_base(line, before) if before is not None and _is_short(spans) else None
    if len(spans) < 2 and base is None:
        return
    offset = 0
    for index, span in enumerate(spans):
        text = span["text"]
        script = _find_script(span, base, line["dir"]) if base is not None else 0
        if script:
            span[SCRIPT] = script
            new = raise_figures(text) if script > 0 else lower_figures(text)
            if new != text:
                span["text"] = new
                yield offset, text, new
        elif base is None and _leads(span, spans[index + 1 :], line["dir"]):
            span[SCRIPT] = 1
        elif text.strip():
            base = span
        if text[-1:].isspace():
            base = None
        offset += len(text)


def _is_short(spans: list[Span]) -> bool:
    return sum(len(span["text"]) for span in spans) <= LIMITS.most_chars


def _find_base(line: dict[str, Any], before: dict[str, Any]) -> Span | None:
    """Return the last span of the line before where this line follows it closely, as raised marks do."""
    if not before["spans"] or line["dir"][0] < 1 or before["dir"][0] < 1:
        return None
    last: Span = before["spans"][-1]
    gap = line["bbox"][0] - last["bbox"][2]
    return last if -0.1 * last["size"] <= gap <= LIMITS.near * last["size"] and SCRIPT not in last else None


def _leads(span: Span, following: list[Span], direction: tuple[float, float]) -> bool:
    """Return whether the span is a raised note mark before its text; its figures stay, for they begin a note."""
    text = span["text"].strip()
    if _LEADS.fullmatch(text) is None or not _is_painted(span):
        return False
    base = next((other for other in following if not other["text"].isspace()), None)
    return base is not None and _measure(span, base, direction) > 0


def _find_script(span: Span, base: Span, direction: tuple[float, float]) -> int:
    """Return 1 for a superscript after `base`, -1 for a subscript, 0 for other text."""
    text = span["text"].strip()
    if not text or len(text) > LIMITS.most_chars or span["text"][0].isspace() or not _is_painted(span):
        return 0
    script = _measure(span, base, direction)
    before = base["text"].rstrip()
    return script if script and (_RAISES if script > 0 else _LOWERS).search(before) else 0


def _is_painted(span: Span) -> bool:
    return bool(span["char_flags"] & _INK) and span["alpha"] > 0


def _measure(span: Span, base: Span, direction: tuple[float, float]) -> int:
    """Return 1 for small text above the baseline of `base`, -1 for small text below it, else 0."""
    size = base["size"]
    if not LIMITS.smallest * size <= span["size"] <= LIMITS.full * size:
        return 0
    across, down = (base["origin"][axis] - span["origin"][axis] for axis in (0, 1))
    rise = down * direction[0] - across * direction[1]
    if span["size"] > LIMITS.largest * size:
        is_mark = _MARK.fullmatch(span["text"].strip()) is not None
        return int(is_mark and LIMITS.full_rise * size <= rise <= LIMITS.most_rise * size)
    if LIMITS.least_rise * size <= rise <= LIMITS.most_rise * size:
        return 1
    return -1 if LIMITS.least_drop * size <= -rise <= LIMITS.most_drop * size else 0


def _rewrite_glyphs(text_page: Any, written: dict[tuple[int, int], list[tuple[int, str, str]]]) -> None:
    """Rewrite the engine's own characters, from which the words of a line are read."""
    number = -1
    numbers = {number for number, _ in written}
    for block in text_page.this:
        if block.m_internal.type != 0:
            continue
        number += 1
        for index, line in enumerate(block) if number in numbers else ():
            if (number, index) not in written:
                continue
            glyphs = [char.m_internal for char in line]
            for offset, old, new in written[number, index]:
                own = glyphs[offset : offset + len(old)]
                if [chr(glyph.c) for glyph in own] == list(old):
                    for glyph, char in zip(own, new, strict=True):
                        glyph.c = ord(char)


def write_scripts_in_tags(marks: PageMarks) -> None:
    """Rewrite the figures of superscripts and subscripts in the tagged text too, in place."""
    words = [
        (piece, line)
        for line in marks.lines
        if any(run.superscript or run.subscript for run in line.runs)
        for piece in marks.words_of(line)
        if unicodedata.normalize("NFKC", piece.text) != piece.text
    ]
    for index, tag in enumerate(marks.tags) if words else ():
        x0, y0, x1, y1 = tag.box
        for piece, line in words:
            if x0 <= (piece.x0 + piece.x1) / 2 <= x1 and y0 <= (line.y0 + line.y1) / 2 <= y1:
                plain = unicodedata.normalize("NFKC", piece.text)
                tag = replace(tag, text=tag.text.replace(plain, piece.text, 1))
        marks.tags[index] = tag
