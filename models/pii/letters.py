"""A text reduced to its letters and figures, folded: what is left of a value however it is written."""

from functools import lru_cache

from models.pii.normalise import normalise


@lru_cache(65536)
def fold(char: str) -> str:
    """What of one character counts."""
    return "".join(one for one in normalise(char).text.casefold() if one.isalnum())


def letters(text: str) -> str:
    """Letters and figures of the text."""
    return "".join(one for one in normalise(text).text.casefold() if one.isalnum())
