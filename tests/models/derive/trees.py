"""A long report for derivations and benches, made by chance with a seed."""

import random
from typing import Any

from quire.models.cdom.tree import Block, BlockType, Tree
from tests.builders import make_block, make_table, make_tree

WORDS = tuple(
    word
    for line in (
        "the of and to in a is that for it as was with be by on not he his but at are this have from or had an they",
        "which one you were her all she there would their we him been has when who will more no if out so said what",
        "document table measure page section value result method report analysis pressure energy river market policy",
        "health engine temperature committee agreement procedure estimate observation parameter reference share",
    )
    for word in line.split()
)


def long_tree(pages: int = 100, seed: int = 7) -> Tree:
    """A born-digital report: about 430 words, two headings, a list, and on every second page a table, per page."""
    chance = random.Random(seed)
    blocks: list[Block] = [make_block(BlockType.TITLE, "Annual report on rivers", bbox=(72, 40, 520, 64))]
    for page in range(1, pages + 1):
        blocks.extend(_report_page(page, chance))
    return make_tree(*blocks, title="Annual report on rivers", language="en")


def _report_page(page: int, chance: random.Random) -> list[Block]:
    y = 60.0
    blocks: list[Block] = []

    def add(kind: BlockType, text: str, height: float, **facts: Any) -> None:
        nonlocal y
        blocks.append(make_block(kind, text, page=page, bbox=(72.0, y, 520.0, y + height), **facts))
        y += height + 8

    add(BlockType.PAGE_HEADER, "Annual report on rivers", 12)
    for part in (1, 2):
        add(BlockType.HEADING, f"{page}.{part} {_words(4, chance).title()}", 18, level=part)
        for _ in range(3):
            add(BlockType.PARAGRAPH, _sentences(65, chance), 70)
    for _ in range(3):
        add(BlockType.LIST_ITEM, _words(9, chance), 12, level=1)
    if page % 2 == 0:
        rows = [["Station", "Level", "Flow", "Cost"]] + [
            [_words(2, chance), str(chance.randint(1, 999)), f"{chance.random():.2f}", f"€ {chance.randint(1, 99)}.50"]
            for _ in range(8)
        ]
        add(BlockType.CAPTION, f"Table {page}: levels and flows at the stations", 12)
        add(BlockType.TABLE, "", 120, table=make_table(rows))
    add(BlockType.PARAGRAPH, f"See Table {page - page % 2}. Contact: Office {page}, tel. 01 2345 67{page:02d}.", 12)
    add(BlockType.PAGE_FOOTER, f"Page {page} of 100", 12)
    return blocks


def _words(count: int, chance: random.Random) -> str:
    return " ".join(chance.choice(WORDS) for _ in range(count))


def _sentences(count: int, chance: random.Random) -> str:
    return ". ".join(_words(count // 5, chance).capitalize() for _ in range(5)) + "."
