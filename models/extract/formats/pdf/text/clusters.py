"""Signs of one letter that the file paints apart: accents over letters, and clusters of Indic and Thai scripts.

Old TeX fonts paint an accent and its letter as two glyphs. A cluster of several glyphs has its text stated once: the
engine gives it the width of the first glyph, takes the rest for a blank, and may end the line there.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from quire.models.extract.formats.pdf.engine import mupdf
from quire.models.extract.formats.pdf.text.raw_lines import Key, iter_lines_of_glyphs, iter_spans, select_lines
from quire.models.extract.formats.pdf.text.text_lines import font_look

_SYNTHETIC: Final = mupdf.FZ_STEXT_SYNTHETIC
_NOTHING: Final = 0x200B
"""Code of a sign that became part of another: the text of a page leaves it out."""
_ACCENTS: Final = dict(
    pair.split()
    for pair in ("` \u0300", "´ \u0301", "ˆ \u0302", "^ \u0302", "˜ \u0303", "~ \u0303", "¯ \u0304", "ˉ \u0304",
                 "˘ \u0306", "˙ \u0307", "¨ \u0308", "˚ \u030a", "˝ \u030b", "ˇ \u030c", "¸ \u0327", "˛ \u0328")
)  # fmt: skip
"""Accents as signs of their own → the same accents over or under a letter."""
_APART = re.compile(r"[`´ˆ^˜~¯ˉ˘˙¨˚˝ˇ¸˛]")
_DOTLESS: Final = {"ı": "i", "ȷ": "j"}
_FOLLOWING: Final = frozenset("ะาๅະາ")
"""Vowels of Thai and Lao after their letter; Unicode has them as letters."""
_VIRAMA: Final = 9
"""Combining class of the signs that tie two consonants."""
_CLUSTERED = re.compile("[\u0900-\u0eff\u1000-\u109f\u1780-\u17ff]")
"""Scripts of South and South-East Asia."""


@dataclass(frozen=True, slots=True)
class ClusterLimits:
    """Distances, in ems."""

    off_centre: float = 0.16
    """Greatest distance of an accent's middle from that of its letter."""
    sign: float = 0.7
    """Greatest gap after a sign above or below a letter that is the rest of its cluster."""
    cluster: float = 1.6
    """Greatest gap after any other sign that is the rest of its cluster."""
    conjunct: float = 2.6
    """Greatest gap after the sign that ties two consonants, which one wide glyph shows."""
    flat: float = 0.01
    """Width of a sign whose cluster is painted by several glyphs."""
    level: float = 0.05
    """Greatest distance between the baselines of the parts of a line."""


LIMITS = ClusterLimits()


def join_signs(text_page: Any, spans: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put accents on their letters and clusters together in the text page; return its blocks."""
    text = "\n".join(span["text"] for span in iter_spans(spans))
    is_changed = False
    if _APART.search(text):
        is_changed = _compose_accents(text_page, select_lines(spans, _has_accent))
    if _CLUSTERED.search(text):
        is_changed = _join_clusters(text_page) or is_changed
    return list(text_page.extractDICT()["blocks"]) if is_changed else spans


def _has_accent(span: dict[str, Any]) -> bool:
    return _APART.search(span["text"]) is not None


def _compose_accents(text_page: Any, selected: set[Key]) -> bool:
    is_changed = False
    for glyphs in iter_lines_of_glyphs(text_page, selected):
        for before, accent, after in zip([None, *glyphs], glyphs, [*glyphs[1:], None], strict=False):
            if chr(accent.c) in _ACCENTS:
                is_changed = _compose(accent, (after, before)) or is_changed
    return is_changed


def _compose(accent: Any, letters: tuple[Any, ...]) -> bool:
    """Write an accent onto the letter that it stands over; return whether there is one."""
    mark = _ACCENTS[chr(accent.c)]
    for letter in letters:
        if letter is None or not _stands_over(accent, letter):
            continue
        char = unicodedata.normalize("NFC", _DOTLESS.get(chr(letter.c), chr(letter.c)) + mark)
        name = mupdf.ll_fz_font_name(letter.font)
        if len(char) == 1 and name == mupdf.ll_fz_font_name(accent.font) and not font_look(name, 0)[3]:
            letter.c, accent.c = ord(char), _NOTHING
            return True
    return False


def _stands_over(accent: Any, letter: Any) -> bool:
    own, other = accent.quad, letter.quad
    apart = abs(own.ll.x + own.lr.x - other.ll.x - other.lr.x) / 2
    return bool(apart <= LIMITS.off_centre * letter.size and chr(letter.c).isalpha())


def _join_clusters(text_page: Any) -> bool:
    """Remove blanks and line ends that the engine saw inside a cluster; only on pages that paint their own blanks."""
    lines = list(_iter_lines(text_page))
    if not any(glyph.c == ord(" ") and not glyph.flags & _SYNTHETIC for line in lines for glyph in _iter_chars(line)):
        return False
    is_changed = False
    last: Any = None
    for line in lines:
        glyphs = list(_iter_chars(line))
        for before, blank, after in zip(glyphs, glyphs[1:], glyphs[2:], strict=False):
            if blank.flags & _SYNTHETIC and blank.c == ord(" ") and _is_rest(before, after):
                blank.c, is_changed = _NOTHING, True
        follows = last is not None and last.next is not None and last.next.this == line.this
        if follows and _is_rest(last.last_char, line.first_char):
            _append(last, line)
            is_changed = True
        else:
            last = line
    for line in _iter_lines(text_page):
        for before, after in pairwise(_iter_chars(line)):
            if before.c == after.c and _is_sign(after) and (_is_flat(after) or _is_flat(before)):
                twin = after if _is_flat(after) else before  # stated with the cluster, and by its own glyph
                twin.c, is_changed = _NOTHING, True
    return is_changed


def _is_rest(before: Any, after: Any) -> bool:
    """Return whether the gap between two signs is the rest of a cluster that ends with the first."""
    if not _CLUSTERED.match(chr(before.c)) or not _CLUSTERED.match(chr(after.c)):
        return False
    if abs(after.origin.y - before.origin.y) > LIMITS.level * before.size:
        return False
    gap = after.quad.ll.x - before.quad.lr.x
    if _is_sign(after):
        return bool(abs(gap) <= LIMITS.cluster * before.size)
    if unicodedata.combining(chr(before.c)) == _VIRAMA:
        most = LIMITS.conjunct
    else:
        most = LIMITS.sign if unicodedata.category(chr(before.c)) == "Mn" else LIMITS.cluster
    return bool(_is_flat(before) and 0 <= gap <= most * before.size)


def _is_sign(glyph: Any) -> bool:
    """Return whether a sign belongs to the letter before it; no word and no line begins with one."""
    char = chr(glyph.c)
    return char in _FOLLOWING or (_CLUSTERED.match(char) is not None and unicodedata.category(char) in ("Mn", "Mc"))


def _is_flat(glyph: Any) -> bool:
    return bool(abs(glyph.quad.lr.x - glyph.quad.ll.x) <= LIMITS.flat * glyph.size)


def _append(line: Any, following: Any) -> None:
    """Make the following line of a block the end of a line."""
    line.last_char.next, line.last_char = following.first_char, following.last_char
    line.next = following.next
    if following.next:
        following.next.prev = line
    line.bbox.x1 = max(line.bbox.x1, following.bbox.x1)
    line.bbox.y0, line.bbox.y1 = min(line.bbox.y0, following.bbox.y0), max(line.bbox.y1, following.bbox.y1)


def _iter_lines(text_page: Any) -> Iterator[Any]:
    """Yield the engine's own record of each line of text."""
    for block in text_page.this:
        if block.m_internal.type == mupdf.FZ_STEXT_BLOCK_TEXT:
            for line in list(block):
                yield line.m_internal


def _iter_chars(line: Any) -> Iterator[Any]:
    glyph = line.first_char
    while glyph:
        yield glyph
        glyph = glyph.next
