"""A checker that finds planted personal data again in any output.

A canary is searched as its letters and digits only, after folding look-alikes, in whole and in the parts it was broken
into; the checker shares no code with the detector.
"""

import html
import io
import json
import re
import unicodedata
import zipfile
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any, Protocol

from lxml import etree

_CYRILLIC = str.maketrans("аеорсухіѕ", "aeopcyxis")
_OTHER_SIGNS = re.compile(r"[\W_]+")
_ATTRIBUTES = etree.XPath("//@*", smart_strings=False)
_TEXTS = etree.XPath("//text()", smart_strings=False)


class Planted(Protocol):
    """Planted values: letters and digits → the hiding place."""

    needles: dict[str, str]


def letters(text: str) -> str:
    """Letters and digits, folded: what is left of a text however it is written."""
    plain = unicodedata.normalize("NFKC", text).translate(_CYRILLIC).casefold()
    kept = _OTHER_SIGNS.sub("", plain)
    return kept if kept.isascii() else "".join(map(_digit, kept))


@cache
def _digit(char: str) -> str:
    value = unicodedata.decimal(char, None)
    return char if value is None else str(value)


def leaks(case: Planted, output: bytes, media_type: str) -> list[str]:
    """Hiding places of the case of which something is in this output."""
    found = _said_in_word(output) if "wordprocessingml" in media_type else _said(output, media_type)
    return [place for needle, place in case.needles.items() if needle in found]


def _said(output: bytes, media_type: str) -> str:
    text = output.decode("utf-8", "replace")
    if "json" in media_type:
        lines = text.splitlines() if "ndjson" in media_type else [text]
        text = "\n".join(found for line in lines for found in _strings(json.loads(line)))
    return letters(html.unescape(text))


def _said_in_word(package: bytes) -> str:
    with zipfile.ZipFile(io.BytesIO(package)) as read:
        return "".join(_said_in_part(read.read(name)) for name in read.namelist() if name.endswith((".xml", ".rels")))


@lru_cache(maxsize=64)
def _said_in_part(part: bytes) -> str:
    """Return a part's text and attributes; most parts are equal in all Word files that we write."""
    root = etree.fromstring(part)
    return letters(html.unescape("".join(_TEXTS(root)) + "\n".join(_ATTRIBUTES(root))))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)
    elif isinstance(value, dict):
        for key, one in value.items():
            yield key
            yield from _strings(one)
