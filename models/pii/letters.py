"""A text reduced to its letters and figures, folded: what is left of a value however it is written."""

import re
from functools import lru_cache

from quire.models.pii.normalise import normalise

_REST = re.compile(r"[\W_]+")
"""Characters that `str.isalnum` rejects."""


@lru_cache(65536)
def fold(char: str) -> str:
    """Return the letters and figures that a character is compared by."""
    return "".join(letter for letter in normalise(char).text.casefold() if letter.isalnum())


def letters(text: str) -> str:
    """Letters and figures of the text."""
    return _REST.sub("", normalise(text).text.casefold())
