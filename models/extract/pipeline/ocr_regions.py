"""Recognised words as marks of a page, and as the text of parts of a page that were read again. Pure."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from quire.models.cdom.coverage import PageCoverage
from quire.models.cdom.flags import GARBLED_TEXT, HIDDEN_TEXT
from quire.models.cdom.geometry import Bbox
from quire.models.cdom.ports import RecognisedPage, Word
from quire.models.cdom.tree import BlockType, Route
from quire.models.extract.contract import AreaReader, PageBlock, PageContent, ReadArea
from quire.models.extract.core.marks import Rule
from quire.models.extract.coverage.account import account_recognised, block_text
from quire.models.extract.coverage.total import count_written
from quire.models.extract.layout.lines.marks import Line, PageMarks
from quire.models.extract.layout.page import layout_page
from quire.models.extract.layout.text.blocks import confidence_of, join_lines
from quire.models.extract.pipeline.areas import holds
from quire.models.extract.pipeline.line_sizes import ASCENT, SIZE, even_sizes
from quire.models.extract.pipeline.text_parts import flag_part, layer_text, replace_part
from quire.models.extract.steps import Steps

_WIDE_GAP = 1.2
"""Line heights: blanks of justified text are narrower."""
_SLACK = 0.3
"""Line heights by which a word's box may overlap a neighbouring drawn line."""
_MOST_POSTS = 300
"""Verticals that words are compared with; a page with more is a drawing."""


def make_marks(words: Sequence[Word], rules: Sequence[Bbox], width: float, height: float) -> PageMarks:
    """Return the marks of a page with these words and drawn lines.

    Words get their positions from their line, because boxes of single words leave gaps.
    """
    posts = [box for box in rules if box[2] - box[0] < box[3] - box[1]]
    posts = posts if len(posts) <= _MOST_POSTS else []
    groups = (
        part for _, group in groupby(words, key=lambda word: word.line) for part in _split_at_gaps(list(group), posts)
    )
    return PageMarks(
        width=width,
        height=height,
        lines=even_sizes([line for line in map(make_line, groups) if line.text]),
        horizontals=[Rule(x0, (y0 + y1) / 2, x1, (y0 + y1) / 2) for x0, y0, x1, y1 in rules if x1 - x0 >= y1 - y0],
        verticals=[Rule((x0 + x1) / 2, y0, (x0 + x1) / 2, y1) for x0, y0, x1, y1 in posts],
    )


def _split_at_gaps(words: list[Word], posts: Sequence[Bbox]) -> list[list[Word]]:
    """Split the words of a recognised line where a gap or a drawn line separates columns."""
    words = sorted(words, key=lambda word: word.bbox[0])
    parts = [words[:1]]
    for before, word in pairwise(words):
        height = min(before.bbox[3] - before.bbox[1], word.bbox[3] - word.bbox[1])
        is_apart = word.bbox[0] - before.bbox[2] > _WIDE_GAP * height
        if is_apart or any(_is_between(post, before.bbox, word.bbox) for post in posts):
            parts.append([])
        parts[-1].append(word)
    return parts


def _is_between(post: Bbox, left: Bbox, right: Bbox) -> bool:
    """Return whether a vertical separates two words at their height."""
    middle, y = (post[0] + post[2]) / 2, (left[1] + left[3] + right[1] + right[3]) / 4
    slack = _SLACK * (right[3] - right[1])
    return post[1] <= y <= post[3] and left[2] - slack <= middle <= right[0] + slack


def make_line(words: list[Word]) -> Line:
    """Return one recognised text line; its confidence is the mean over its words, weighted by length."""
    words = sorted(words, key=lambda word: word.bbox[0])
    text = " ".join(word.text.strip() for word in words if word.text.strip())
    x0, y0 = min(word.bbox[0] for word in words), min(word.bbox[1] for word in words)
    x1, y1 = max(word.bbox[2] for word in words), max(word.bbox[3] for word in words)
    chars = sum(len(word.text) for word in words) or 1
    score = sum(word.confidence * len(word.text) for word in words) / chars
    base = y0 + ASCENT * (y1 - y0)
    return Line(x0, y0, x1, y1, base, round(SIZE * (y1 - y0), 1), text, confidence=round(score, 3), recognised=True)


_WORD = re.compile(r"[^\W_]{2,}")
_AGREED = 0.5
"""Least share of recognised words (two letters or more) found in the layer: good layers .8 to 1, garbled below .1."""
_ENOUGH = 2  # words from which a recogniser can contradict the layer
_LESS = 0.5
"""Share of the layer's letters: a recogniser that reads fewer has not read the text."""
_SURE, _LEAST_CHARS = 0.7, 8
"""Least mean confidence and characters with which text read in a picture counts as text and not as a drawing."""
AREAS_NOT_READ = "areas-not-read"
"""Warning: a recogniser should have read the page or parts of it, and none was available."""
_UNREAD = 0.1
"""Confidence of a block with a garbled font that no recogniser has read: almost none of it is right."""


def agrees(recognised: str, layer: str) -> bool:
    """Return whether most recognised words occur in the layer; the recogniser may join words or miss a letter."""
    words = _WORD.findall(recognised.casefold())
    if len(words) < _ENOUGH:
        return bool(words) and _letters(recognised) == _letters(layer)
    known = "".join(_WORD.findall(layer.casefold()))
    return sum(word in known for word in words) >= _AGREED * len(words)


def brings_less(recognised: str, layer: str) -> bool:
    """Return whether the recogniser read fewer than half as many letters as the layer has.

    Characters of the layer that do not decode are letters of the page all the same.
    """
    return count_letters(recognised) < _LESS * (count_letters(layer) + layer.count("\ufffd"))


def count_letters(text: str) -> int:
    """Return the number of letters and digits."""
    return len(_letters(text))


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def flag_garbled(blocks: Sequence[PageBlock], areas: Sequence[ReadArea]) -> list[PageBlock]:
    """Return the blocks with the text of those areas flagged, because no recogniser can read it better."""
    flagged = list(blocks)
    for area in areas:
        if not area.adds and 0 <= area.block < len(flagged):
            flagged[area.block] = flag_part(flagged[area.block], area, _UNREAD)
    return flagged


def apply_areas(content: PageContent, words: RecognisedPage, steps: Steps) -> PageContent:
    """Return the page with its areas read: differing text is replaced, text of pictures is added."""
    blocks = list(content.blocks)
    added: dict[int, list[PageBlock]] = {}
    stated: list[tuple[str, Bbox]] = []
    replaced: list[PageBlock] = []
    for area in content.areas:
        if not 0 <= area.block < len(blocks):
            continue
        lines = _lines_in(area, words.words, content.blocks)
        if area.adds:
            if not lines or confidence_of(lines) < _SURE or sum(len(line.text) for line in lines) < _LEAST_CHARS:
                continue
            added[area.block] = _lay_out(content, lines, steps)
        else:
            before, read = blocks[area.block], " ".join(line.text for line in lines)
            layer = layer_text(before, area)
            if agrees(read, layer):
                continue
            new_block = None if not lines or brings_less(read, layer) else _replace_text(before, area, lines)
            if new_block is None:
                blocks[area.block] = flag_part(before, area, _UNREAD)
                continue
            blocks[area.block] = new_block
            replaced.append(PageBlock(type=BlockType.PARAGRAPH, bbox=area.bbox, text=layer))
        stated += [(line.text, line.bbox) for line in lines]
    recognised = [*(block for block in blocks if block.recognised), *_flatten(added)]
    return replace(
        content,
        route=Route.MIXED if recognised else Route.FAST,
        blocks=_insert(blocks, added),
        coverage=_account(content, stated, recognised, replaced),
        written=count_written([*blocks, *_flatten(added)]),
        warnings=(*content.warnings, *words.warnings),
        recogniser=AreaReader(engine=words.engine, model=words.model, version=words.version),
        areas=(),
    )


def leave_areas(content: PageContent) -> PageContent:
    """Return the page without recognition: its text layer, with garbled text flagged."""
    return replace(
        content,
        route=Route.FAST,
        blocks=tuple(flag_garbled(content.blocks, content.areas)),
        areas=(),
        warnings=(*content.warnings, AREAS_NOT_READ),
    )


def _flatten(added: dict[int, list[PageBlock]]) -> list[PageBlock]:
    return [block for group in added.values() for block in group]


def _lines_in(area: ReadArea, words: Sequence[Word], blocks: Sequence[PageBlock]) -> list[Line]:
    """Return lines of the words whose middle is in the area, without the words of other blocks."""
    others = [
        block
        for index, block in enumerate(blocks)
        if index != area.block and block.type is not BlockType.PICTURE and HIDDEN_TEXT not in block.flags
        and not _is_around(block.bbox, area.bbox)
    ]  # fmt: skip
    inside = [
        word
        for word in words
        if holds(area.bbox, *_middle(word)) and not any(_is_text_of(block, word, area) for block in others)
    ]
    lines = [make_line(list(group)) for _, group in groupby(inside, key=lambda word: word.line)]
    return [line for line in lines if line.text]


def _is_around(outer: Bbox | None, inner: Bbox) -> bool:
    return outer is not None and holds(outer, *inner[:2]) and holds(outer, *inner[2:])


def _is_text_of(block: PageBlock, word: Word, area: ReadArea) -> bool:
    """Return whether another block covers the word; on a picture the block's text must also contain it."""
    if not holds(block.bbox, *_middle(word)):
        return False
    return not area.adds or _letters(word.text) in _letters(block_text(block))


def _middle(word: Word) -> tuple[float, float]:
    return (word.bbox[0] + word.bbox[2]) / 2, (word.bbox[1] + word.bbox[3]) / 2


def _lay_out(content: PageContent, lines: list[Line], steps: Steps) -> list[PageBlock]:
    """Lay out the lines as if they were a page, without running heads."""
    marks = PageMarks(width=content.width, height=content.height, lines=lines, steps=steps)
    return [replace(block, recognised=True, parent=None, continues=None) for block in layout_page(marks).blocks]


def _replace_text(before: PageBlock, area: ReadArea, lines: list[Line]) -> PageBlock | None:
    """Return the block with recognised text in place of the area's, or None when it lacks that part."""
    text, _ = join_lines(lines)
    confidence = confidence_of(lines)
    if area.cell is None and not area.layer:
        return replace(
            before,
            text=text,
            spans=(),
            confidence=confidence,
            flags=tuple(flag for flag in before.flags if flag != GARBLED_TEXT),
            flag_spans=(),
            printed="",
            recognised=True,
            breaks=(),
        )
    changed = replace_part(before, area, " ".join(text.split()))
    return changed and replace(changed, confidence=min(changed.confidence, confidence), recognised=True)


def _insert(blocks: list[PageBlock], added: dict[int, list[PageBlock]]) -> tuple[PageBlock, ...]:
    """Return the blocks with those of pictures inserted after them, and adjust references."""
    new_indexes: list[int] = []
    count = 0
    for index in range(len(blocks)):
        new_indexes.append(index + count)
        count += len(added.get(index, ()))
    out: list[PageBlock] = []
    for index, block in enumerate(blocks):
        parent = None if block.parent is None else new_indexes[block.parent]
        continues = None if block.continues is None else new_indexes[block.continues]
        same = parent == block.parent and continues == block.continues
        out += [block if same else replace(block, parent=parent, continues=continues), *added.get(index, ())]
    return tuple(out)


def _account(
    content: PageContent, stated: list[tuple[str, Bbox]], recognised: list[PageBlock], replaced: list[PageBlock]
) -> PageCoverage | None:
    """Return the coverage: replaced text of the layer is excluded, recognised words are counted in addition."""
    if content.coverage is None or not stated:
        return content.coverage
    return account_recognised(
        content.coverage, stated, recognised, number=content.number, kept=True, replaced=tuple(replaced)
    )
