"""Tables that pages repeat in their margins are running heads, those that change or stand in the text are tables."""

import pytest

from quire.models.cdom.tree import BlockType
from quire.models.extract.contract import PageBlock
from tests.models.extract.document.test_continued import build, page, table, words

Rows = tuple[tuple[str, str], ...]
HEAD = (("Harbour rules", "Version: 2"), ("Chapter of ropes", "Page 1"))


def test_table_at_the_top_of_each_page_is_a_running_head() -> None:
    tree = build(*(page(n, table(HEAD[0], (HEAD[1][0], f"Page {n}")), words("Text.", 300)) for n in (1, 2, 3)))
    heads = [block for block in tree.blocks if block.type is BlockType.PAGE_HEADER]
    assert [block.text for block in heads] == [
        f"Harbour rules Version: 2\nChapter of ropes Page {n}" for n in (1, 2, 3)
    ]
    assert all(block.table is None for block in tree.blocks)
    assert tree.coverage is not None
    assert all(stated.characters.lost == 0 for stated in tree.coverage.pages)


def test_table_at_the_foot_of_each_page_is_a_running_foot() -> None:
    tree = build(*(page(n, words("Text.", 300), table(*HEAD, y=550)) for n in (1, 2)))
    assert [block.type for block in tree.blocks if block.type is not BlockType.PARAGRAPH] == [BlockType.PAGE_FOOTER] * 2


@pytest.mark.parametrize(
    ("second", "y"),
    [((("Harbour rules", "Version: 2"), ("Chapter of sails", "Page 2")), 40.0), (HEAD, 70.0), (HEAD, 250.0)],
)
def test_tables_that_differ_or_move_stay_tables(second: tuple[tuple[str, str], ...], y: float) -> None:
    tree = build(page(1, table(*HEAD), words("Text.", 300)), page(2, words("One.", 20), table(*second, y=y)))
    assert sum(block.table is not None for block in tree.blocks) == 2


PRICES = (("Article", "Price"), ("Bolt", "1.50"), ("Nut", "2.50"))


def with_edge(head: tuple[str, str] | None, foot: tuple[str, str] | None, rows: Rows, y: float) -> PageBlock:
    return table(*([head] if head else []), *rows, *([foot] if foot else []), y=y)


def test_first_row_with_the_page_number_is_a_running_head() -> None:
    pages = [
        page(
            n, with_edge(("Price list", f"Page {n}"), None, (PRICES[0], (f"Bolt {n * 7}", "1.50"), ("Nut", "2.50")), 20)
        )
        for n in (1, 2, 3)
    ]
    tree = build(*pages)
    heads = [block.text for block in tree.blocks if block.type is BlockType.PAGE_HEADER]
    assert heads == ["Price list Page 1", "Price list Page 2", "Price list Page 3"]
    (joined,) = [block.table for block in tree.blocks if block.table is not None]
    assert [cell.text for cell in joined.cells if cell.col == 0] == [
        "Article", "Bolt 7", "Nut", "Bolt 14", "Nut", "Bolt 21", "Nut",
    ]  # fmt: skip


def test_last_row_with_the_page_number_is_a_running_foot() -> None:
    pages = [
        page(n, words("Text.", 300), with_edge(None, ("", f"{n}"), (*PRICES, (f"Rope {n}a", "")), 520)) for n in (1, 2)
    ]
    tree = build(*pages)
    assert [block.text for block in tree.blocks if block.type is BlockType.PAGE_FOOTER] == ["1", "2"]


def test_first_rows_that_do_not_count_pages_stay_in_their_tables() -> None:
    pages = [page(n, with_edge(("Total", f"{5 * n}"), None, PRICES, 20)) for n in (1, 2, 3)]
    assert not [block for block in build(*pages).blocks if block.type is BlockType.PAGE_HEADER]
