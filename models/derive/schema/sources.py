"""Texts of a tree from which values are cut, by block and cell, and the places of their parts."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from quire.models.cdom.geometry import Bbox, union_bbox
from quire.models.cdom.places import BlockPlaces
from quire.models.cdom.tree import Block, BlockId, Page, PageWord, Route, Tree
from quire.models.derive.fields.fragments import Fragment
from quire.models.derive.schema.answer import ValuePlace


@dataclass(frozen=True, slots=True)
class TextSource:
    """A part of a block's or cell's text: `text` begins there at offset `start`.

    `order` is its reading order, `row` the row of a cell.
    """

    block_id: BlockId
    page: int
    bbox: Bbox | None
    cell: int | None
    start: int
    text: str
    order: int
    row: int = 0

    def place(self, start: int, end: int) -> ValuePlace:
        """Return the place of a range of this text, without the blanks at its ends."""
        part = self.text[start:end]
        start += len(part) - len(part.lstrip())
        end -= len(part) - len(part.rstrip())
        return ValuePlace(
            block_id=self.block_id, page=self.page, bbox=self.bbox, cell=self.cell,
            start=self.start + start, end=self.start + end,
        )  # fmt: skip

    def cut(self, start: int, end: int) -> "TextSource":
        """Return a range of this text as a source."""
        return TextSource(
            self.block_id, self.page, self.bbox, self.cell, self.start + start, self.text[start:end], self.order
        )


def source_of(fragment: Fragment) -> TextSource:
    """Return the text of a fragment as in the tree."""
    box = fragment.bbox if fragment.cell is not None and fragment.bbox is not None else fragment.block_bbox
    return TextSource(
        fragment.block_id, fragment.page, box, fragment.cell, fragment.start, fragment.raw, fragment.order
    )


class TreeTexts:
    """The texts of a tree by place, read without the candidates that are checked against them."""

    def __init__(self, tree: Tree) -> None:
        self._blocks = {block.id: block for block in tree.blocks}
        self._pages = {page.number: page for page in tree.pages}
        self._lines: dict[int, list[tuple[float, int]]] = {}

    def is_recognised(self, place: ValuePlace) -> bool:
        """Return whether the letters of the place are read from a picture."""
        page = self._pages.get(place.page)
        return page is not None and page.route in (Route.OCR, Route.VLM)

    def reliability(self, place: ValuePlace) -> float:
        """Return the confidence (0..1) of the place's block or cell."""
        block = self._blocks[place.block_id]
        cell = block.table.cells[place.cell] if place.cell is not None and block.table is not None else None
        return block.confidence if cell is None else cell.confidence

    def narrow(self, place: ValuePlace) -> ValuePlace:
        """Return the place with the box of its words, where the tree has them; else with the box of its block or cell.

        Words are compared without blanks, as lines of a block are joined.
        """
        page, box = self._pages.get(place.page), place.bbox
        if page is None or not page.words or box is None:
            return place
        inside = self._words_in(page, box)
        whole = self.whole(place)
        wanted, before = (_joined(text) for text in (whole[place.start : place.end], whole[: place.start]))
        for words in (inside, sorted(inside, key=lambda word: (word.bbox[1], word.bbox[0]))):
            boxes = [word.bbox for word in words for _ in _joined(word.text)]
            printed = _joined("".join(word.text for word in words))
            at = -1
            for _ in range(before.count(wanted) + 1):
                at = printed.find(wanted, at + 1)
            if wanted and at >= 0:
                return replace(place, bbox=union_bbox(boxes[at : at + len(wanted)]))
        return place

    def _words_in(self, page: Page, box: Bbox) -> list[PageWord]:
        """Return the words whose middle is in the box, in their order; only those at its height are looked at."""
        lines = self._lines.get(page.number)
        if lines is None:
            lines = sorted(((word.bbox[1] + word.bbox[3]) / 2, number) for number, word in enumerate(page.words))
            self._lines[page.number] = lines
        level = lines[bisect_left(lines, (box[1], 0)) : bisect_right(lines, (box[3], len(lines)))]
        words = [page.words[number] for _, number in sorted(level, key=lambda entry: entry[1])]
        return [word for word in words if box[0] <= (word.bbox[0] + word.bbox[2]) / 2 <= box[2]]

    def verbatim(self, places: Sequence[ValuePlace]) -> str | None:
        """Return the text at the places, joined by blanks; None if a place is outside its text."""
        parts = [self._text(place) for place in places]
        return " ".join(part for part in parts if part) if all(parts) else None

    def whole(self, place: ValuePlace) -> str:
        """Return the whole text of the place's block or cell; "" if there is none."""
        block = self._blocks.get(place.block_id)
        if block is None or place.cell is None:
            return block.text if block is not None else ""
        cells = block.table.cells if block.table is not None else ()
        return cells[place.cell].text if place.cell < len(cells) else ""

    def _text(self, place: ValuePlace) -> str | None:
        text = self.whole(place)
        return text[place.start : place.end] if 0 <= place.start < place.end <= len(text) else None


def _joined(text: str) -> str:
    return "".join(text.split())


def cell_source(block: Block, places: BlockPlaces, index: int) -> TextSource:
    """Return a cell of a table as a source."""
    assert block.table is not None
    cell, part = block.table.cells[index], places.of_cell(index)
    return TextSource(block.id, part.page, cell.bbox or part.bbox, index, 0, cell.text, block.order, cell.row)
