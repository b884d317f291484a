"""Captions: how they begin, and which table or picture they belong to."""

import re

from quire.models.cdom.geometry import Bbox
from quire.models.extract.layout.lines.marks import Line

_NAMES = (
    r"fig(?:ure|\.)?|table|tab\.|exhibit|chart|plate|scheme|box|map|diagram|photo|image|illustration|listing|"
    r"algorithm|abbildung|abb\.|tabelle|tableau|figura|tabla|tabella|tabela"
)
_CYRILLIC_NAMES = "|рис(?:унок|\\.)|таблица|табл\\.|схема"
_NUMBER = r"\s*(?:\d+|(?-i:[IVXLC]+\b|[A-Z]\d*\b))(?:[.\-–:]\d+)*[a-z]?"
_CAPTION = re.compile(
    r"\s*(?:" + _NAMES + r")(?:" + _NUMBER + r"|:\s)",
    re.IGNORECASE,
)
NUMBERED_CAPTION = re.compile(
    r"(?:" + _NAMES + _CYRILLIC_NAMES + r")\s*\d+(?:[.\-–]\d+)*[a-z]?\s?[.:–—|]\s+\S", re.IGNORECASE
)
"""A certain caption: its name, its number, a punctuation mark, and text."""
CAPTION_LABEL = re.compile(r"(?:" + _NAMES + _CYRILLIC_NAMES + r")" + _NUMBER + r"[.:]?", re.IGNORECASE)
"""A caption's name and number alone on their line: its words follow below."""
_MENTION = re.compile(r"\s*(?:shows?|presents?|lists?|gives?|illustrates?|summari[sz]es|depicts?|reports?|and|in|of)\b")


def is_caption(text: str) -> bool:
    """Return True for a text that begins like a caption, unlike a sentence about a figure."""
    match = _CAPTION.match(text)
    return bool(match) and text.lstrip()[:1].isupper() and not _MENTION.match(text, match.end() if match else 0)


TABLE_CAPTION = re.compile(r"\s*(table|tab\.|tabelle|tableau|tabla|tabella|tabela)\s*[\dIVXA-Z]", re.IGNORECASE)


def stands_captioned(box: Bbox, lines: list[Line]) -> bool:
    """Return True when a line right above or below the box starts like a table's caption."""
    for line in lines:
        near = -1 < box[1] - line.y1 < 4 * line.size or -1 < line.y0 - box[3] < 2.5 * line.size
        if near and line.x0 < box[2] and line.x1 > box[0] and TABLE_CAPTION.match(line.text):
            return True
    return False
