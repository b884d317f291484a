"""RTF as tokens: bytes in; groups, control words and text out. Binary data is skipped up to the end of the file."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

MAX_DEPTH: Final = 256
"""Nesting depth of groups with their own state; deeper ones share it."""
_TOKEN: Final = re.compile(
    rb"([{}])|\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([^\\{}\r\n]+)|[\r\n]+|\\"
)


@dataclass(frozen=True, slots=True)
class RtfToken:
    """`kind`: open, close, word, byte, symbol or text; `word` with its `value` (None = not stated)."""

    kind: str
    word: str = ""
    value: int | None = None
    data: bytes = b""


_OPEN, _CLOSE = RtfToken("open"), RtfToken("close")


def read_tokens(data: bytes) -> Iterator[RtfToken]:
    """Yield all tokens in order."""
    offset = 0
    while offset < len(data):
        match = _TOKEN.match(data, offset)
        if match is None:
            offset += 1
            continue
        offset = match.end()
        brace, word, number, byte, symbol, text = match.groups()
        if text is not None:
            yield RtfToken("text", data=text)
        elif word is not None:
            value = int(number) if number is not None else None
            if word == b"bin":
                offset += max(0, min(value or 0, len(data) - offset))
                continue
            yield RtfToken("word", word.decode(), value)
        elif byte is not None:
            yield RtfToken("byte", data=bytes([int(byte, 16)]))
        elif symbol is not None:
            yield RtfToken("symbol", symbol.decode("latin-1"))
        elif brace is not None:
            yield _OPEN if brace == b"{" else _CLOSE
