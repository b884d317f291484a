"""Chooses line by line between a scan's own text layer and what a recogniser reads in its picture. Pure."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.geometry import Bbox
from quire.models.cdom.ports import Word
from quire.models.cdom.tree import BlockType, Route
from quire.models.extract.contract import AreaReader, PageContent
from quire.models.extract.layout.lines.marks import Line, PageMarks, Piece
from quire.models.extract.pipeline.ocr_regions import agrees, brings_less, count_letters
from quire.models.extract.pipeline.plan import SCAN_LAYER
from quire.models.extract.text_quality.statistics import LineLetters, measure_lines

_IN_LINE = 0.5
"""Share of a line's height by which two lines must overlap to be the same line of the page."""
_SURE = 0.9
"""Mean confidence (0..1) from which a recognised line is taken without a look at the layer."""
_BETTER = 0.3
"""Nats a triple of letters by which the layer's line must be better language than the recognised one."""


def layer_words(marks: PageMarks) -> tuple[Word, ...]:
    """Return the words of a scan's text layer, numbered by line."""
    return tuple(
        Word(text=piece.text, bbox=_box_of(piece, line), confidence=line.confidence, line=number)
        for number, line in enumerate(marks.lines)
        for piece in marks.words_of(line)
        if piece.text.strip()
    )


def _box_of(piece: Piece, line: Line) -> Bbox:
    return (piece.x0, line.y0, piece.x1, line.y1)


def as_scan_layer(content: PageContent) -> PageContent:
    """Return a page whose text is the layer of a scan: its blocks were read in pixels, by an unknown recogniser."""
    blocks = [
        block if HIDDEN_TEXT in block.flags or block.type is BlockType.PICTURE else replace(block, recognised=True)
        for block in content.blocks
    ]
    return replace(content, route=Route.MIXED, blocks=tuple(blocks), layer=(), recogniser=AreaReader(engine=SCAN_LAYER))


def choose_words(recognised: Sequence[Word], layer: Sequence[Word]) -> list[Word]:
    """Return the recognised words, with words of the layer in lines that it has better or alone."""
    read = _group(recognised)
    taken: list[Word] = []
    replaced: set[int] = set()
    new_line = max((word.line for word in recognised), default=-1)
    for own in _group(layer):
        box = _surround(own)
        same = [number for number, words in enumerate(read) if _is_same_line(_surround(words), box)]
        others = [word for number in same for word in read[number] if _overlaps(word.bbox, box)]
        if others and not _is_better(own, others):
            continue
        new_line += 1
        taken += [replace(word, line=new_line, stroke=_find_stroke(word.bbox, others)) for word in own]
        replaced.update(map(id, others))
    return [*(word for word in recognised if id(word) not in replaced), *taken]


def _find_stroke(box: Bbox, others: Sequence[Word]) -> float:
    """Return the thickness of the strokes of the recognised word that shares most with the box; 0 without one."""
    shared = [(min(word.bbox[2], box[2]) - max(word.bbox[0], box[0]), word.stroke) for word in others]
    return max(shared, default=(0.0, 0.0))[1]


def _group(words: Sequence[Word]) -> list[list[Word]]:
    return [list(group) for _, group in groupby(sorted(words, key=lambda word: word.line), key=lambda word: word.line)]


def _surround(words: Sequence[Word]) -> Bbox:
    lefts, tops, rights, bottoms = zip(*(word.bbox for word in words), strict=True)
    return (min(lefts), min(tops), max(rights), max(bottoms))


def _is_same_line(a: Bbox, b: Bbox) -> bool:
    overlap = min(a[3], b[3]) - max(a[1], b[1])
    return overlap >= _IN_LINE * min(a[3] - a[1], b[3] - b[1]) and min(a[2], b[2]) > max(a[0], b[0])


def _overlaps(a: Bbox, b: Bbox) -> bool:
    return min(a[2], b[2]) > max(a[0], b[0])


def _is_better(layer: Sequence[Word], read: Sequence[Word]) -> bool:
    """Return whether the layer has the line better: more of it, or language where the recognised text is none."""
    own, other = " ".join(word.text for word in layer), " ".join(word.text for word in read)
    if brings_less(other, own):
        return True
    if agrees(other, own) or brings_less(own, other) or _confidence_of(read) >= _SURE:
        return False
    measured = measure_lines([own, other])
    if not _is_judged(measured, 0):
        return _is_judged(measured, 1) and count_letters(own) > 0
    return _is_judged(measured, 1) and _surprise(measured, 0) + _BETTER < _surprise(measured, 1)


def _confidence_of(words: Sequence[Word]) -> float:
    chars = sum(len(word.text) for word in words) or 1
    return sum(word.confidence * len(word.text) for word in words) / chars


def _is_judged(measured: LineLetters, row: int) -> bool:
    """Return whether most letters of a text are of scripts with statistics."""
    return bool(measured.triples[row] and 2 * measured.judged[row] > measured.letters[row])


def _surprise(measured: LineLetters, row: int) -> float:
    return float(measured.nats[row] / measured.triples[row])
