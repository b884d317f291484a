"""A copy of a text on which patterns cannot be dodged, with a map back to the original offsets.

NFKC, format characters and stray combining marks dropped, look-alike letters and digits of other scripts folded,
dashes and spaces unified, percent- and entity-encoding decoded once, right-to-left overrides undone.
"""

import html
import re
import unicodedata
from dataclasses import dataclass

_ENCODED = re.compile(r"(?:%[0-9A-Fa-f]{2})+|&(?:#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z]{2,10});")
_OVERRIDE = re.compile("\u202e([^\u202c]*)\u202c?")
_LOOKALIKES = str.maketrans(
    "АВЕКМНОРСТУХЅІЈаеорсухѕіјԁһӏԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧοανρυ‐‑‒–—―−⁃։。",
    "ABEKMHOPCTYXSIJaeopcyxsijdhlqwABEZHIKMNOPTYXoavpu--------:.",
)
_ZERO_LENGTH = ("Cf", "Mn", "Me")

Piece = tuple[str, int, int]
"""A character of the copy and the half-open range of the original it stands for."""


@dataclass(frozen=True, slots=True)
class Normalised:
    """`text` is the copy; `pieces` is None when every character stands for itself."""

    text: str
    pieces: tuple[tuple[int, int], ...] | None = None

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """The range of the original covered by `text[start:end]` (start < end)."""
        if self.pieces is None:
            return start, end
        covered = self.pieces[start:end]
        return min(piece[0] for piece in covered), max(piece[1] for piece in covered)


def normalise(text: str) -> Normalised:
    """The detection copy of `text`."""
    if text.isascii() and not _ENCODED.search(text):
        return Normalised(text)
    pieces = [folded for piece in _undo_overrides(_decode(text)) for folded in _fold(piece)]
    return Normalised("".join(p[0] for p in pieces), tuple((p[1], p[2]) for p in pieces))


def _decode(text: str) -> list[Piece]:
    """Characters with their origin; an encoded run becomes its characters, each standing for the whole run."""
    pieces: list[Piece] = []
    at = 0
    for match in _ENCODED.finditer(text):
        pieces += [(text[i], i, i + 1) for i in range(at, match.start())]
        pieces += [(char, match.start(), match.end()) for char in _decoded(match.group())]
        at = match.end()
    return pieces + [(text[i], i, i + 1) for i in range(at, len(text))]


def _decoded(run: str) -> str:
    if run.startswith("&"):
        return html.unescape(run)
    try:
        return bytes.fromhex(run.replace("%", "")).decode()
    except UnicodeDecodeError:
        return run


def _undo_overrides(pieces: list[Piece]) -> list[Piece]:
    text = "".join(piece[0] for piece in pieces)
    if "\u202e" not in text or len(text) != len(pieces):
        return pieces
    for match in _OVERRIDE.finditer(text):
        pieces[match.start(1) : match.end(1)] = pieces[match.start(1) : match.end(1)][::-1]
    return pieces


def _fold(piece: Piece) -> list[Piece]:
    char, start, end = piece
    if char < "\x7f":
        return [piece]
    if unicodedata.category(char) in _ZERO_LENGTH:
        return []
    return [(_plain(folded), start, end) for folded in unicodedata.normalize("NFKC", char).translate(_LOOKALIKES)]


def _plain(char: str) -> str:
    if char.isspace():
        return "\n" if char in "\u2028\u2029\x85" else " "
    digit = unicodedata.decimal(char, None)
    return char if digit is None else str(digit)
