"""Removes unseen text from a page's raw lines, so that the layout gets only text that a person saw.

A span that may be unseen is drawn: its area of the page with and without text must differ. Counts bound the work.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from quire.models.cdom.coverage import Unseen
from quire.models.cdom.geometry import Bbox
from quire.models.extract.formats.pdf.visibility.paint import (
    LIMITS,
    Cover,
    Covers,
    PaintedSpan,
    ground_of,
    has_doubt,
    is_faint,
    is_near,
    may_hide,
    surely_unseen,
)
from quire.models.extract.formats.pdf.visibility.scan_layer import is_scan

_PARTS = 16
"""A cover over less than this fraction (one part of so many) of a span hides nothing of it."""


class DrawnPage(Protocol):
    """A page drawn with its text and without."""

    def shows(self, box: Bbox) -> bool:
        """Return whether the text makes a visible difference inside the box (points)."""
        ...

    def has_ink(self, box: Bbox) -> bool:
        """Return whether the page is not of one colour inside the box (points)."""
        ...


class _NotDrawn:
    """Replaces a page that takes too long to draw: all its text counts as seen and the page as not judged."""

    def shows(self, box: Bbox) -> bool:
        """Count all text as seen."""
        return True

    def has_ink(self, box: Bbox) -> bool:
        """Count all places as painted."""
        return True


@dataclass(slots=True)
class UnseenText:
    """Text and its box; `reason` says why it is unseen."""

    text: str
    bbox: Bbox
    reason: Unseen
    size: float = 0.0


@dataclass(slots=True)
class Sight:
    """Unseen text of a page; `judged` is False when there was too much to check.

    `has_layer`: the text layer of a scan was kept as text.
    """

    unseen: list[UnseenText] = field(default_factory=list)
    judged: bool = True
    has_layer: bool = False


@dataclass(slots=True)
class SightedPage:
    """A page to check: its raw `blocks` in painting order, `images` (order → opaque), `bounds` before rotation.

    `draw`, `raw` (which returns the blocks with single characters) and `type3_fonts` (which returns the names of the
    page's Type 3 fonts) are called only for doubtful text.
    """

    blocks: list[dict[str, Any]]
    images: dict[int, bool]
    bounds: Bbox
    draw: Callable[[], DrawnPage]
    raw: Callable[[], list[dict[str, Any]]]
    type3_fonts: Callable[[], frozenset[str]] = frozenset


def take_unseen(page: SightedPage) -> Sight:
    """Move unseen spans out of the page's blocks, in place, and return them."""
    covers = Covers(page.blocks, page.images, page.bounds)
    sight = Sight(judged=covers.judged)
    judge = _Judge(page if covers.judged else replace(page, draw=_NotDrawn), sight)
    for order, block in enumerate(page.blocks):
        if block["type"] != 0:
            continue
        judge.crosses = not _is_inside(block["bbox"], page.bounds)
        sure = not (judge.crosses or has_doubt(block))
        if sure and not covers.may_hide_at(order):
            continue
        judge.covers = covers.touching(block["bbox"])
        if not sure or may_hide(order, judge.covers):
            for index, line in enumerate(block["lines"]):
                judge.check_line(order, index, line)
    return sight


class _Judge:
    """Checks the lines of one block after the other; `covers` touch the block, `crosses`: it leaves the page."""

    def __init__(self, page: SightedPage, sight: Sight) -> None:
        self._page, self._sight = page, sight
        self._is_scan = is_scan(page.blocks, page.images, page.bounds) if page.images else False
        self.covers: list[Cover] = []
        self.crosses = False

    def check_line(self, order: int, index: int, line: dict[str, Any]) -> None:
        """Keep only the visible spans in the line."""
        spans: list[PaintedSpan] = []
        for number, span in enumerate(line["spans"]):
            reason = surely_unseen(span)
            if reason is not None and reason is not Unseen.TINY and self._is_layer(span):
                spans.append(span)
            elif reason is not None and self._is_drawn(span, reason):
                spans.append(_with_drawn_size(span, line["dir"]))
            elif reason is not None:
                self._note(span["text"], span["bbox"], reason, span["size"])
            elif self.crosses and not _is_inside(span["bbox"], self._page.bounds):
                spans += self._split(span, self._chars(order, index, number), self._is_off_page, Unseen.OFF_PAGE)
            else:
                spans += self._judge(span, (order, index, number))
        if len(spans) != len(line["spans"]) or any(a is not b for a, b in zip(spans, line["spans"], strict=True)):
            keep_spans(line, spans)

    def _is_drawn(self, span: PaintedSpan, reason: Unseen) -> bool:
        """Return whether text without ink, paint or size is drawn all the same.

        Gradients and patterns paint text as a clip of something else. A Type 3 glyph may be any drawing of any size.
        Text with a picture at its place is the text layer of a scan: it is not checked.
        """
        box = span["bbox"]
        if span["text"].isspace() or self._has_picture(box) or not _overlap(box, self._page.bounds):
            return False
        is_type3 = span["font"] in self._page.type3_fonts()
        if reason is Unseen.TINY and not (is_type3 and box[3] - box[1] >= LIMITS.smallest):
            return False
        if self._has_inked_text(box):
            return False
        page = self._page.draw()
        return page.shows(box) or (is_type3 and page.has_ink(box))

    def _is_layer(self, span: PaintedSpan) -> bool:
        """Return whether the span belongs to the text layer of a scan, whose picture has ink at its place."""
        box = ink_box(span)
        if not self._is_scan or not self._has_picture(box) or not self._page.draw().has_ink(box):
            return False
        self._sight.has_layer = True
        return True

    def _has_picture(self, box: Bbox) -> bool:
        return any(_overlap(self._page.blocks[order]["bbox"], box) for order in self._page.images)

    def _note(self, text: str, box: Bbox, reason: Unseen, size: float) -> None:
        if text and not text.isspace():
            self._sight.unseen.append(UnseenText(text, box, reason, size))

    def _chars(self, order: int, index: int, number: int) -> list[dict[str, Any]]:
        chars: list[dict[str, Any]] = self._page.raw()[order]["lines"][index]["spans"][number]["chars"]
        return chars

    def _judge(self, span: PaintedSpan, position: tuple[int, int, int]) -> list[PaintedSpan]:
        """Return the visible parts of the span."""
        box = ink_box(span)
        y = (box[1] + box[3]) / 2
        later = self._covers_after(position[0], box, y)
        if later:
            if any(_is_inside(span["bbox"], cover.box) for cover in later):
                return self._judge_covered(span, later)
            chars = self._chars(*position)
            return self._split(span, chars, lambda char: _is_under(char, later), Unseen.COVERED, later)
        ground = ground_of(position[0], (box[0] + box[2]) / 2, y, self.covers)
        faint = is_faint(span)
        if not (faint or is_near(span["color"], ground)) or span["text"].isspace() or self._page.draw().shows(box):
            return [span]
        self._note(span["text"], span["bbox"], Unseen.TRANSPARENT if faint else Unseen.SAME_COLOUR, span["size"])
        return []

    def _judge_covered(self, span: PaintedSpan, later: list[Cover]) -> list[PaintedSpan]:
        """Return the span or nothing: a cover hides all or none of it, so its characters are not examined."""
        if span["text"].isspace() or self._is_layer(span) or self._still_shows(span, later):
            return [span]
        self._note(span["text"], span["bbox"], Unseen.COVERED, span["size"])
        return []

    def _covers_after(self, order: int, box: Bbox, y: float) -> list[Cover]:
        """Return the covers painted over some of the span."""
        return [
            cover
            for cover in self.covers
            if cover.order > order
            and cover.box[1] <= y <= cover.box[3]
            and min(cover.box[2], box[2]) - max(cover.box[0], box[0]) > (box[2] - box[0]) / _PARTS
        ]

    def _is_off_page(self, char: dict[str, Any]) -> bool:
        return not _overlap(char["bbox"], self._page.bounds)

    def _split(
        self,
        span: PaintedSpan,
        chars: list[dict[str, Any]],
        is_gone: Callable[[dict[str, Any]], bool],
        reason: Unseen,
        covers: Iterable[Cover] = (),
    ) -> list[PaintedSpan]:
        """Return the span without the runs of characters that are gone for that reason."""
        gone = [is_gone(char) for char in chars]
        visible: list[PaintedSpan] = []
        start = 0
        for end in range(1, len(chars) + 1):
            if end < len(chars) and gone[end] is gone[start]:
                continue
            part = chars[start:end]
            piece = {**span, "text": "".join([char["c"] for char in part]), "origin": part[0]["origin"]}
            piece["bbox"] = surround([char["bbox"] for char in part])
            if gone[start] and not piece["text"].isspace() and not (covers and self._still_shows(piece, covers)):
                self._note(piece["text"], piece["bbox"], reason, span["size"])
            else:
                visible.append(piece)
            start = end
        return [span] if sum(len(piece["text"]) for piece in visible) == len(chars) else visible

    def _still_shows(self, span: PaintedSpan, covers: Iterable[Cover]) -> bool:
        """Return whether the text changes pixels in a way that text painted over its cover does not explain."""
        box = ink_box(span)
        if not self._page.draw().shows(box):
            return False
        sure = [cover for cover in covers if cover.sure and _is_inside(box, cover.box)]
        return not any(self._is_written_over(box, cover.order) for cover in sure)

    def _is_written_over(self, box: Bbox, order: int) -> bool:
        return any(_overlap(ink_box(span), box) for span in self._spans_after(order, box))

    def _has_inked_text(self, box: Bbox) -> bool:
        return any(surely_unseen(span) is None and _overlap(ink_box(span), box) for span in self._spans_after(-1, box))

    def _spans_after(self, order: int, box: Bbox) -> Iterator[PaintedSpan]:
        """Yield the spans of text blocks that were painted after `order` and reach into the box."""
        for block in self._page.blocks[order + 1 :]:
            if block["type"] == 0 and _overlap(block["bbox"], box):
                for line in block["lines"]:
                    yield from line["spans"]


def keep_spans(line: dict[str, Any], spans: list[PaintedSpan]) -> None:
    """Leave only these spans in the line, in place, and mark it as no longer the engine's."""
    line["spans"], line["torn"] = spans, True
    if spans:
        line["bbox"] = surround([span["bbox"] for span in spans])


def _is_under(char: dict[str, Any], covers: Iterable[Cover]) -> bool:
    x0, y0, x1, y1 = char["bbox"]
    return any(cover.is_at((x0 + x1) / 2, (y0 + y1) / 2) for cover in covers)


def _overlap(a: Bbox, b: Bbox) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _is_inside(box: Bbox, area: Bbox) -> bool:
    return area[0] <= box[0] and box[2] <= area[2] and area[1] <= box[1] and box[3] <= area[3]


def _with_drawn_size(span: PaintedSpan, direction: tuple[float, float]) -> PaintedSpan:
    """Return the span with the size that its glyphs have where the stated size is meaningless (Type 3)."""
    x0, y0, x1, y1 = span["bbox"]
    height = x1 - x0 if abs(direction[1]) > abs(direction[0]) else y1 - y0
    return {**span, "size": height} if span["size"] < LIMITS.smallest else span


def surround(boxes: Iterable[Bbox]) -> Bbox:
    """Return the smallest box around all boxes."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return (min(lefts), min(tops), max(rights), max(bottoms))


def ink_box(span: PaintedSpan) -> Bbox:
    """Return the area in which the letters of a span have ink; neighbouring lines do not reach into it."""
    x0, y0, x1, y1 = span["bbox"]
    base, size = span["origin"][1], span["size"]
    if y0 < base <= y1 and x1 - x0 > 0.3 * size:
        return (x0, max(y0, base - 0.68 * size), x1, min(y1, base + 0.02 * size))
    return (x0, y0, x1, y1)
