"""Glyphs that the file does not decode: blanks and ligatures, decided by the ink of the drawn glyphs alone.

A glyph without ink is a blank. A glyph next to a letter is a ligature where it looks like the letters f, i and l of its
own font, put side by side; of several such ligatures the words choose one. Any other glyph stays undecoded.
"""

import re
from collections.abc import Callable, Container
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from quire.models.cdom.geometry import Bbox
from quire.models.extract.formats.pdf.text.raw_lines import (
    Key,
    iter_glyphs,
    iter_lines_of_glyphs,
    iter_spans,
    select_lines,
)
from quire.models.extract.formats.pdf.text.signs import Ink, find_painted
from quire.models.extract.text_quality.statistics import measure_lines

Place = tuple[int, int]
"""Quarters of a point."""
_UNDECODED: Final = re.compile("[\ufffd\ue000-\uf8ff\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Characters of glyphs without a meaning that everyone shares: replaced, private and control characters."""
_SHARED: Final = re.compile("[\ufffd\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Those that different glyphs of a font share; a private character stands for one glyph of its font."""
_LIGATURES: Final = {"fi": 0xFB01, "fl": 0xFB02, "ff": 0xFB00, "ffi": 0xFB03, "ffl": 0xFB04}
"""Letters of the ligatures, and their code points, which the engine never returns: it takes ligatures apart."""
_PARTS: Final = "fil"
_BLANK: Final = 0x20
"""Code point of the space."""
_GAP: Final = "\ufffd"
_LETTERS_BEFORE: Final = re.compile(r"[A-Za-z]*\Z")
_LETTERS_AFTER: Final = re.compile(r"\A[A-Za-z]*")


@dataclass(frozen=True, slots=True)
class ShapeLimits:
    """Limits of drawing and comparing glyphs.

    Attributes:
        samples: Glyphs that are drawn of each kind; one without ink shows that the kind is a blank.
        inset: Share of a glyph's width at both sides that its neighbours may reach into.
        em: Pixels of one em of a compared glyph.
        ascent: Ems that a compared glyph reaches above its baseline.
        descent: Ems that it reaches below it.
        dark: Levels (of 255) by which ink differs from its ground.
        narrowest: Least width of a ligature, in widths of its letters side by side.
        widest: Greatest width.
        reach: Pixels by which equal strokes may be apart.
        near: Pixels by which they may be apart where similar ligatures are compared.
        alike: Least share of the ink of either shape that the other one has too.
        weight: Nats a triple of letters that common ink counts for, from none to all.
        clear: Nats a triple by which the best of several similar ligatures must lead the next.
        words: Words by whose letters similar ligatures are told apart.
        kinds: Kinds of undecoded glyphs of a page that are drawn.
    """

    samples: int = 3
    inset: float = 0.15
    em: float = 48.0
    ascent: float = 0.85
    descent: float = 0.25
    dark: int = 90
    narrowest: float = 0.8
    widest: float = 1.08
    reach: int = 2
    near: int = 1
    alike: float = 0.86
    weight: float = 4.0
    clear: float = 0.3
    words: int = 40
    kinds: int = 60


LIMITS = ShapeLimits()


class DrawnGlyphs(Protocol):
    """A page that is drawn in parts."""

    def has_ink(self, box: Bbox) -> bool:
        """Return whether the page is not of one colour inside the box (points)."""
        ...

    def pixels_of_text(self, box: Bbox, scale: float) -> npt.NDArray[np.uint8]:
        """Return the page around the box (points) as rows × columns × colours at `scale` pixels per point."""
        ...


@dataclass(slots=True)
class _Kind:
    """The undecoded glyphs of one font, character and shape, and some words that have them as a gap."""

    font: str
    glyphs: list[Any] = field(default_factory=list)
    words: set[str] = field(default_factory=set)


@dataclass(slots=True)
class DecodedGlyphs:
    """Whether glyphs were rewritten, and the boxes of those that are ligatures."""

    is_changed: bool = False
    ligatures: list[Bbox] = field(default_factory=list)


def decode_by_shape(
    page: Any,
    text_page: Any,
    blocks: list[dict[str, Any]],
    font_name: Callable[[Any], str],
    draw: Callable[[], DrawnGlyphs],
) -> DecodedGlyphs:
    """Rewrite undecoded glyphs of `text_page` that are blanks or ligatures, and return what was rewritten.

    Args:
        page: The engine's page.
        text_page: Its text page.
        blocks: Its dictionary.
        font_name: Returns the name of an engine's font.
        draw: Returns the drawings of the page, made on demand.
    """
    decoded = DecodedGlyphs()
    doubtful = select_lines(blocks, lambda span: _is_doubtful(span["text"]))
    if not doubtful:
        return decoded
    is_shared = any([_SHARED.search(span["text"]) is not None for span in iter_spans(blocks)])
    kinds = _find_kinds(text_page, font_name, _find_numbers(page) if is_shared else {}, doubtful)
    letters = _Letters(text_page, font_name)
    for kind in list(kinds.values())[: LIMITS.kinds]:
        point = _decode(kind, letters, draw())
        if point is None:
            continue
        decoded.is_changed = True
        decoded.ligatures += [_box_of(glyph) for glyph in kind.glyphs if point != _BLANK]
        for glyph in kind.glyphs:
            glyph.c = point
    return decoded


def _is_doubtful(text: str) -> bool:
    return not (text.isascii() and text.isprintable()) and _UNDECODED.search(text) is not None


def _find_numbers(page: Any) -> dict[Place, int]:
    """Return the numbers that the page's glyphs have in their fonts, by the place of their origin."""
    return {_round_place(x, y): int(number) for span in page.get_texttrace() for _, number, (x, y), _ in span["chars"]}


def _round_place(x: float, y: float) -> Place:
    return (round(x * 4), round(y * 4))


def _find_kinds(
    text_page: Any, font_name: Callable[[Any], str], numbers: dict[Place, int], doubtful: Container[Key]
) -> dict[tuple[str, int, int], _Kind]:
    """Return the undecoded glyphs of the doubtful lines by font, character and number in the font."""
    kinds: dict[tuple[str, int, int], _Kind] = {}
    for glyphs in iter_lines_of_glyphs(text_page, doubtful):
        text = "".join([chr(glyph.c) for glyph in glyphs])
        for match in _UNDECODED.finditer(text):
            index = match.start()
            glyph = glyphs[index]
            name = font_name(glyph.font)
            number = numbers.get(_round_place(glyph.origin.x, glyph.origin.y), -1)
            kind = kinds.setdefault((name, glyph.c, number), _Kind(name))
            kind.glyphs.append(glyph)
            if len(kind.words) < LIMITS.words:
                kind.words.add(
                    _LETTERS_BEFORE.findall(text[:index])[0] + _GAP + _LETTERS_AFTER.findall(text[index + 1 :])[0]
                )
    return kinds


class _Letters:
    """By font, the first glyph on the page of each letter of which ligatures consist, searched when needed."""

    def __init__(self, text_page: Any, font_name: Callable[[Any], str]) -> None:
        self._text_page, self._font_name = text_page, font_name
        self._by_font: dict[str, dict[str, Any]] | None = None

    def of_font(self, font: str) -> dict[str, Any]:
        """Return the glyphs of the letters in this font."""
        if self._by_font is None:
            self._by_font = {}
            for glyph in iter_glyphs(self._text_page):
                char = chr(glyph.c)
                if char in _PARTS:
                    self._by_font.setdefault(self._font_name(glyph.font), {}).setdefault(char, glyph)
        return self._by_font.get(font, {})


def _decode(kind: _Kind, all_letters: _Letters, drawn: DrawnGlyphs) -> int | None:
    """Return the code point that the glyphs of a kind show; None where their shape does not say so."""
    if not all(drawn.has_ink(_inner_box(glyph)) for glyph in kind.glyphs[: LIMITS.samples]):
        return _BLANK
    words = sorted(kind.words - {_GAP})
    if not words or not is_level(kind.glyphs[0]):
        return None
    letters = all_letters.of_font(kind.font)
    if "f" not in letters:
        return None
    shapes = _find_alike(kind.glyphs[0], letters, drawn)
    if len(shapes) < 2:
        return _LIGATURES[next(iter(shapes))] if shapes else None
    measured = measure_lines([" ".join(words).replace(_GAP, text).lower() for text in shapes])
    scores = sorted(
        (float(nats) / max(1.0, float(triples)) - LIMITS.weight * shared, text)
        for (text, shared), nats, triples in zip(shapes.items(), measured.nats, measured.triples, strict=True)
    )
    return _LIGATURES[scores[0][1]] if scores[1][0] - scores[0][0] >= LIMITS.clear else None


def _find_alike(glyph: Any, letters: dict[str, Any], drawn: DrawnGlyphs) -> dict[str, float]:
    """Return the ligatures that a glyph looks like, with the share of ink that is near that of each."""
    shapes = {char: draw_ink(letter, drawn) for char, letter in letters.items() if is_level(letter)}
    own = draw_ink(glyph, drawn)
    found: dict[str, float] = {}
    for text in _LIGATURES:
        if not all(char in shapes for char in text):
            continue
        rows = min(len(shapes[char]) for char in text)  # rounding makes boxes of one size a row higher or lower
        joined = np.concatenate([shapes[char][:rows] for char in text], axis=1)
        if LIMITS.narrowest * joined.shape[1] <= own.shape[1] <= LIMITS.widest * joined.shape[1]:
            alike, shared = _compare(own, joined)
            if alike >= LIMITS.alike:
                found[text] = shared
    return found


def is_level(glyph: Any) -> bool:
    """Return whether a glyph stands upright and has a width."""
    return bool(abs(glyph.quad.ll.y - glyph.quad.lr.y) < 0.01 and glyph.quad.lr.x > glyph.quad.ll.x)


def draw_ink(glyph: Any, drawn: DrawnGlyphs) -> Ink:
    """Return the ink of a glyph over its width, in pixels of a fixed size in ems."""
    size, quad, origin = glyph.size, glyph.quad, glyph.origin
    box = (quad.ll.x, origin.y - LIMITS.ascent * size, quad.lr.x, origin.y + LIMITS.descent * size)
    pixels = drawn.pixels_of_text(box, LIMITS.em / size)
    return find_painted(pixels, pixels.reshape(-1, pixels.shape[2]), LIMITS.dark)


def _compare(first: Ink, second: Ink) -> tuple[float, float]:
    """Compare two shapes at one width.

    Returns:
        The least share of the ink of either shape that is within reach of ink of the other one, and the same share
        within the shorter distance.
    """
    columns = np.arange(first.shape[1]) * second.shape[1] // first.shape[1]
    rows = min(len(first), len(second))
    first, second = first[:rows], second[:rows, columns]
    if not first.any() or not second.any():
        return 0.0, 0.0
    return _measure_overlap(first, second, LIMITS.reach), _measure_overlap(first, second, LIMITS.near)


def _measure_overlap(first: Ink, second: Ink, reach: int) -> float:
    return min(float(_widen(second, reach)[first].mean()), float(_widen(first, reach)[second].mean()))


def _widen(ink: Ink, reach: int) -> Ink:
    """Return the pixels within reach (pixels) of ink."""
    wide = ink.copy()
    for axis in (0, 1):
        grown = wide.copy()
        for step in range(1, reach + 1):
            forth, back = np.roll(wide, step, axis), np.roll(wide, -step, axis)
            grown |= forth | back
        wide = grown
    return wide


def _inner_box(glyph: Any) -> Bbox:
    x0, y0, x1, y1 = _box_of(glyph)
    inset = LIMITS.inset * (x1 - x0)
    return (x0 + inset, y0, x1 - inset, y1)


def _box_of(glyph: Any) -> Bbox:
    quad = glyph.quad
    xs, ys = (quad.ul.x, quad.ur.x, quad.ll.x, quad.lr.x), (quad.ul.y, quad.ur.y, quad.ll.y, quad.lr.y)
    return (min(xs), min(ys), max(xs), max(ys))
