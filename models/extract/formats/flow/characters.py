"""Characters as a tree may hold them: no control characters, no lone surrogates, white space that means a blank."""

import re
from typing import Final

_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff\ufeff]")
_BREAKS: Final = re.compile("\r\n?|\x85|\u2028|\u2029|\x0b|\x0c")
_BLANKS: Final = re.compile("[ \t\n\r\f\v]+")


def clean(text: str) -> str:
    """The text with one kind of line break and nothing that cannot be printed."""
    if "\r" in text or not text.isprintable():
        text = _CONTROL.sub("", _BREAKS.sub("\n", text))
    return text


def fold(text: str) -> str:
    """White space as HTML folds it: each run of it (but not a no-break space) is one blank."""
    return _BLANKS.sub(" ", text)
