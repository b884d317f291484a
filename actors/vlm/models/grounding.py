"""Where on the page stands what a model read? Its blocks matched to the lines a CPU recogniser found. Pure.

Each line goes to the block that holds most of its words, at or after the block of the line before; a block's box is
that of its lines. A block that no line supports keeps null: better no place than a wrong one.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from quire.models.cdom.geometry import Bbox, union_bbox
from quire.models.cdom.ports import RecognisedBlock, Word

_TOKEN = re.compile(r"\w+")
_SHARE = 0.6
"""Share of a line's words that its block must hold."""
MAX_LINES, MAX_BLOCKS = 2000, 1000  # lines and blocks matched to each other: their product is the work


def ground(blocks: Sequence[RecognisedBlock], words: Sequence[Word]) -> list[RecognisedBlock]:
    """Return the blocks with boxes from the page lines that match their text; existing boxes stay."""
    if len(blocks) > MAX_BLOCKS:
        return list(blocks)
    stocks = [Counter(_tokens(_all_text(block))) for block in blocks]
    homes: defaultdict[int, list[Bbox]] = defaultdict(list)
    last = 0
    for tokens, box in _lines(words):
        home = _find_home(tokens, stocks, last)
        if home is not None:
            stocks[home].subtract(tokens)
            homes[home].append(box)
            last = home
    return [
        replace(block, bbox=union_bbox(homes[number])) if block.bbox is None and number in homes else block
        for number, block in enumerate(blocks)
    ]


def _lines(words: Sequence[Word]) -> list[tuple[list[str], Bbox]]:
    lines = []
    for _, group in groupby(words, key=lambda word: word.line):
        line = list(group)
        tokens = _tokens(" ".join(word.text for word in line))
        if tokens:
            lines.append((tokens, union_bbox(word.bbox for word in line)))
    return lines[:MAX_LINES]


def _find_home(tokens: list[str], stocks: list[Counter[str]], last: int) -> int | None:
    """Return the block with the largest share of the line; ties go to the nearest from `last` on, then before it."""
    best: tuple[float, bool, int] | None = None
    home = None
    needed = Counter(tokens)
    for number, stock in enumerate(stocks):
        share = sum(min(count, max(0, stock[token])) for token, count in needed.items()) / len(tokens)
        rank = (share, number >= last, -abs(number - last))
        if share >= _SHARE and (best is None or rank > best):
            best, home = rank, number
    return home


def _all_text(block: RecognisedBlock) -> str:
    cells = " ".join(cell.text for cell in block.table.cells) if block.table else ""
    return f"{block.text} {cells}"


def _tokens(text: str) -> list[str]:
    return [token.lower() for token in _TOKEN.findall(text)]
