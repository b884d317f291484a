"""Bold type that no font says: text filled and stroked, and a heavier face than that of the text in its family.

MuPDF reports strokes only while it looks for styles, which compares each letter with all before it (25 ms a page);
pages whose content never strokes text are not read so.
"""

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class WeightLimits:
    """Limits for type to stand out as bold."""

    most: float = 0.4
    """Share of the letters of a page, or of a family, above which a look is that of the text."""


LIMITS = WeightLimits()
_STROKES = re.compile(rb"(?<![\d.])[12]\s+Tr\b")
_BOLD, _FILLED_AND_STROKED = 16, 48
"""A bit of the engine's font flags, and two of its flags of letters."""
_LIGHT, _REGULAR, _MEDIUM, _HEAVY = 1, 2, 3, 5
"""Weights in their order; only heavy ones are bold beside no other face."""
_FACE = re.compile(
    r"(?P<light>hairline|thin|(?:extra|ultra)?-?light)|(?P<heavy>ultra|extrabl?d|(?<!sym)bol$|bd\d?$)|"
    r"(?P<medium>medium|medi$|med$)|book|regular|regu?$|roman|roma$|normal"
)
_SLANT = re.compile(r"italic|ital|oblique|obl$|it$|identity-h|condensed|cnd$|[-_, ]")


def strokes_text(contents: bytes) -> bool:
    """Return whether the content of a page strokes the outlines of text."""
    return b"Tr" in contents and _STROKES.search(contents) is not None


def mark_weights(spans: list[dict[str, Any]]) -> None:
    """Set the engine's bold flag on spans that are drawn bold, in place."""
    of_look: dict[tuple[str, bool], list[dict[str, Any]]] = defaultdict(list)
    for block in spans:
        if block["type"] == 0:
            for line in block["lines"]:
                for span in line["spans"]:
                    is_stroked = span["char_flags"] & _FILLED_AND_STROKED == _FILLED_AND_STROKED
                    of_look[span["font"], is_stroked].append(span)
    letters = {look: sum([len(span["text"]) for span in own]) for look, own in of_look.items()}
    heavier = _find_heavier(letters)
    stroked = sum([count for (_, is_stroked), count in letters.items() if is_stroked])
    is_usual = stroked > LIMITS.most * sum(letters.values())
    for (font, is_stroked), own in of_look.items():
        if font in heavier or (is_stroked and not is_usual):
            for span in own:
                span["flags"] |= _BOLD


def _find_heavier(letters: dict[tuple[str, bool], int]) -> set[str]:
    """Return the fonts that are heavier than the face in which most of their family is set."""
    families: dict[str, dict[str, tuple[int, int]]] = defaultdict(dict)
    for (font, _), count in letters.items():
        family, weight = _read_face(font)
        families[family][font] = (weight, families[family].get(font, (0, 0))[1] + count)
    heavier: set[str] = set()
    for faces in families.values():
        usual = max(faces.values(), key=lambda face: (face[1], -face[0]))[0]
        most = LIMITS.most * sum(count for _, count in faces.values())
        for font, (weight, count) in faces.items():
            if weight >= _HEAVY or (weight > usual and count <= most):
                heavier.add(font)
    return heavier


def _read_face(font: str) -> tuple[str, int]:
    """Return the family of a font's name and the weight that the name states."""
    low = _SLANT.sub("", font.lower())
    found = _FACE.search(low)
    if found is None:
        return low, _REGULAR
    weights = {"light": _LIGHT, "medium": _MEDIUM, "heavy": _HEAVY}
    return low.replace(found.group(), "", 1), weights.get(found.lastgroup or "", _REGULAR)
