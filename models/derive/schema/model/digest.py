"""Numbers the texts of a tree for a language model, and finds the words that it refers to.

Each text is one line, so that no text can forge another's number. Hidden ranges are shown as a placeholder per word,
so that the numbers of words are those of the original.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from quire.models.cdom.places import BlockPlaces
from quire.models.cdom.tree import Block, BlockId, Tree
from quire.models.cdom.visible import visible_blocks
from quire.models.derive.schema.sources import TextSource, cell_source

HIDDEN = "[hidden]"
MAX_PART = 24_000
"""Characters of a digest that are sent at once."""
MAX_PARTS = 4
"""Parts of a digest; the text behind them is not sent."""
MAX_TEXT = 4_000  # characters of one text
EDGE_ROWS = 6
"""First and last rows of a long table that are shown; code reads the others."""
MARK_EVERY = 10  # words between two numbers inside a long text
_WORD = re.compile(r"\S+")
_OPENING, _CLOSING, _IN_NUMBERS = "([{\"'„“”«‘:=#/;,|", ")]}\"'”“»’:=/;,.!?%|", ".,'’/(:"
"""Marks before and after a value, and those that may also be inside a number."""
_REFERENCE = re.compile(r"b(\d{1,7})(?:#c(\d{1,7}))?")

HiddenRanges = Mapping[tuple[BlockId, int | None], Sequence[tuple[int, int]]]
"""Ranges of characters that are not shown, by block and cell (None: the block's text)."""


@dataclass(frozen=True, slots=True)
class ShownWord:
    """A word as it is shown, and its range in the text."""

    text: str
    start: int
    end: int


class TreeDigest:
    """The numbered texts of a tree."""

    def __init__(self, tree: Tree, hidden: HiddenRanges) -> None:
        self._hidden = hidden
        self.blocks: tuple[Block, ...] = tuple(visible_blocks(tree))

    def parts(self) -> tuple[list[str], bool]:
        """Return the digest in parts, and whether they hold all of it."""
        parts: list[str] = []
        lines: list[str] = []
        size, page = 0, 0
        for number, block in enumerate(self.blocks):
            shown = list(self._describe(number, block))
            if block.page != page and shown:
                page = block.page
                shown.insert(0, f"== page {page}")
            for line in shown:
                if lines and size + len(line) > MAX_PART:
                    parts.append("\n".join(lines))
                    if len(parts) == MAX_PARTS:
                        return parts, False
                    lines, size = [], 0
                lines.append(line)
                size += len(line) + 1
        return [*parts, "\n".join(lines)] if lines else parts, True

    def find_source(self, reference: str) -> TextSource | None:
        """Return the text that a reference (`b17` or `b17#c4`) names, or None."""
        match = _REFERENCE.fullmatch(reference.strip())
        if match is None or int(match[1]) >= len(self.blocks):
            return None
        block = self.blocks[int(match[1])]
        if match[2] is not None:
            cells = block.table.cells if block.table is not None else ()
            return cell_source(block, BlockPlaces(block), int(match[2])) if int(match[2]) < len(cells) else None
        if block.table is not None and block.table.cells:
            return None
        part = BlockPlaces(block).of_cell(None)
        return TextSource(block.id, part.page, part.bbox, None, 0, block.text, block.order)

    def find_block(self, reference: str) -> Block | None:
        """Return the block of a reference to it or to one of its cells, or None."""
        match = _REFERENCE.fullmatch(reference.strip())
        return self.blocks[int(match[1])] if match is not None and int(match[1]) < len(self.blocks) else None

    def cut(self, source: TextSource, words: tuple[int, int] | None, quote: str) -> TextSource | None:
        """Return the quoted part of a text, within the numbered words if given; None if the quote is not there."""
        shown = self.words(source)
        first, last = words if words is not None else (1, len(shown))
        if not (1 <= first <= last <= len(shown)):
            return None
        shown = shown[first - 1 : last]
        wanted = " ".join(quote.split())
        text = " ".join(word.text for word in shown)
        begin = _find_quote(text, wanted)
        if begin is None:
            return None
        start, end, position = None, source.start, 0
        for word in shown:
            if position + len(word.text) > begin and position < begin + len(wanted):
                whole = word.text == HIDDEN
                skipped = 0 if whole else max(0, begin - position)
                kept = word.end - word.start if whole else min(len(word.text), begin + len(wanted) - position)
                start = word.start + skipped if start is None else start
                end = word.start + kept
            position += len(word.text) + 1
        return source.cut(start, end) if start is not None else None

    def words(self, source: TextSource) -> list[ShownWord]:
        """Return the words of a text as they are shown."""
        hidden = self._hidden.get((source.block_id, source.cell), ())
        return [
            ShownWord(
                HIDDEN if any(start < match.end() and match.start() < end for start, end in hidden) else match.group(),
                match.start(),
                match.end(),
            )
            for match in _WORD.finditer(source.text)
        ]

    def _describe(self, number: int, block: Block) -> Iterator[str]:
        if block.table is None or not block.table.cells:
            source = self.find_source(f"b{number}")
            text = self._show(source) if source is not None else ""
            if text:
                yield f"b{number} {block.type.value}: {text}"
            return
        places = BlockPlaces(block)
        rows: dict[int, list[str]] = {}
        for index, cell in enumerate(block.table.cells):
            text = self._show(cell_source(block, places, index))
            if text:
                rows.setdefault(cell.row, []).append(f"#c{index} {text}")
        yield f"b{number} table of {len(rows)} rows"
        numbers = sorted(rows)
        for position, row in enumerate(numbers):
            if EDGE_ROWS <= position < len(numbers) - EDGE_ROWS:
                if position == EDGE_ROWS:
                    yield f"b{number} {len(numbers) - 2 * EDGE_ROWS} more rows"
                continue
            yield f"b{number} row {row}: " + " | ".join(rows[row])

    def _show(self, source: TextSource) -> str:
        shown: list[str] = []
        size = 0
        for position, word in enumerate(self.words(source)):
            if position and position % MARK_EVERY == 0:
                shown.append(f"‹{position + 1}›")
            shown.append(word.text)
            size += len(word.text) + 1
            if size > MAX_TEXT:
                break
        return " ".join(shown)[: MAX_TEXT + MARK_EVERY]


def _find_quote(text: str, quote: str) -> int | None:
    """Return where the quote stands in the text without cutting a word or a number."""
    if not quote:
        return None
    begin = text.find(quote)
    while begin >= 0:
        end = begin + len(quote)
        if _may_begin(text, begin) and _may_end(text, end):
            return begin
        begin = text.find(quote, begin + 1)
    return None


def _may_begin(text: str, position: int) -> bool:
    """Return whether a value may begin here: after a blank, or after a mark that is no part of a number."""
    before = text[position - 1 : position]
    if not before or before.isspace() or unicodedata.category(before) == "Sc":
        return True
    return before in _OPENING and not (text[position].isdigit() and before in _IN_NUMBERS)


def _may_end(text: str, position: int) -> bool:
    """Return whether a value may end here: before a blank, or before a mark that goes on with nothing."""
    after = text[position : position + 1]
    if not after or after.isspace() or unicodedata.category(after) == "Sc":
        return True
    return after in _CLOSING and not (after in _IN_NUMBERS and text[position + 1 : position + 2].isalnum())
