"""Captions: how they begin, and which table or picture they belong to."""

import re

_NUMBER = r"\s*(?:\d+|[IVXLC]+\b|[A-Z]\d*\b)(?:[.\-–:]\d+)*[a-z]?"
_CAPTION = re.compile(
    r"\s*(?:fig(?:ure|\.)?|table|tab\.|exhibit|chart|plate|scheme|box|map|diagram|photo|image|illustration|listing|"
    r"algorithm|abbildung|abb\.|tabelle|tableau|figura|tabla|tabella|tabela)(?:" + _NUMBER + r"|:\s)",
    re.IGNORECASE,
)
_MENTION = re.compile(r"\s*(?:shows?|presents?|lists?|gives?|illustrates?|summari[sz]es|depicts?|reports?|and|in|of)\b")


def is_caption(text: str) -> bool:
    """True for a text that begins as a caption does, not as a sentence about a figure."""
    found = _CAPTION.match(text)
    return bool(found) and text.lstrip()[:1].isupper() and not _MENTION.match(text, found.end() if found else 0)
