"""Lines and tables that pages repeat in their margins are running heads. Those that change or move are not."""

import random
from dataclasses import replace

import pytest

from quire.models.cdom.tree import BlockType
from quire.models.extract.contract import PageBlock, PageContent
from quire.models.extract.document.draft import make_drafts
from quire.models.extract.document.running_heads import mark_running
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


@pytest.mark.parametrize("seed", range(20))
def test_row_number_may_run_ahead_of_the_pages_by_any_offset(seed: int) -> None:
    draw = random.Random(seed)
    offset, first = draw.randint(0, 300), draw.randint(1, 9)
    numbers = range(first, first + draw.randint(2, 4))
    tree = build(*(page(n, with_edge(("Price list", f"Page {n + offset}"), None, PRICES, 20)) for n in numbers))
    heads = [block.text for block in tree.blocks if block.type is BlockType.PAGE_HEADER]
    assert heads == [f"Price list Page {n + offset}" for n in numbers]


@pytest.mark.parametrize("rows", [3, 4, 8, 9])
def test_table_may_lose_its_first_and_its_last_row(rows: int) -> None:
    """The table fills the page, so that both rows are in the margins; parts stay apart to compare their rows."""

    def full(n: int) -> PageBlock:
        body = [(f"Article {'abcdefgh'[row]}", f"{n}{row}") for row in range(rows - 2)]
        edges = with_edge(("Price list", f"Page {n}"), ("", f"{n}"), tuple(body), 20)
        assert edges.table is not None
        cells = tuple(
            replace(cell, bbox=(50, 560, 150, 580) if cell.row == rows - 1 else cell.bbox) for cell in edges.table.cells
        )
        return replace(edges, bbox=(50, 20, 300, 580), table=replace(edges.table, cells=cells))

    tree = build(*(page(n, full(n)) for n in (1, 2)))
    assert [block.text for block in tree.blocks if block.type is BlockType.PAGE_HEADER] == [
        "Price list Page 1",
        "Price list Page 2",
    ]
    assert [block.text for block in tree.blocks if block.type is BlockType.PAGE_FOOTER] == ["1", "2"]
    kept = [cell.text for block in tree.blocks if block.table for cell in block.table.cells if cell.col == 0]
    assert kept[: rows - 2] == [f"Article {'abcdefgh'[row]}" for row in range(rows - 2)]
    assert all(text.startswith("Article") for text in kept)


def test_rows_of_two_tables_on_one_page_stay_in_their_tables() -> None:
    first = page(1, with_edge(("Price list", "Page 1"), None, PRICES, 20))
    twice = [with_edge(("Price list", "Page 2"), None, PRICES, y) for y in (15, 20)]
    assert not [block for block in build(first, page(2, *twice)).blocks if block.type is BlockType.PAGE_HEADER]


def test_same_table_between_the_margins_stays_a_table() -> None:
    pages = [page(n, words("Text.", 200), table(*HEAD, y=250), words("More.", 400)) for n in (1, 2, 3)]
    assert not {block.type for block in build(*pages).blocks} & {BlockType.PAGE_HEADER, BlockType.PAGE_FOOTER}


HEIGHT = 600.0
P, H, HEADER, FOOTER = BlockType.PARAGRAPH, BlockType.HEADING, BlockType.PAGE_HEADER, BlockType.PAGE_FOOTER


def line(text: str, top: float, kind: BlockType = P, *, high: float = 12.0, has_box: bool = True) -> PageBlock:
    return PageBlock(type=kind, text=text, bbox=(50, top, 350, top + high) if has_box else None)


def sheet(number: int, *blocks: PageBlock, height: float = HEIGHT) -> PageContent:
    return PageContent(
        number=number, width=400, height=height, body_size=10, blocks=blocks, engine="test", version="1"
    )  # fmt: skip


def mark(*pages: PageContent) -> list[list[BlockType]]:
    """The types of each page's blocks after marking."""
    drafts = make_drafts(list(pages))
    mark_running(drafts)
    return [[draft.type for draft in drafts if draft.page is page] for page in pages]


def body(number: int = 0) -> PageBlock:
    return line(f"Body of words, part {'abcdefgh'[number]}.", 300)


@pytest.mark.parametrize("seed", range(20))
def test_line_at_an_edge_is_running_from_three_pages_with_bodies(seed: int) -> None:
    """The generator varies pages, edge, type, numbers and distance from the edge."""
    draw = random.Random(seed)
    count, at_top = draw.randint(2, 6), draw.random() < 0.5
    kind = draw.choice([P, H, BlockType.LIST_ITEM, BlockType.FOOTNOTE, BlockType.FORMULA])
    top = draw.uniform(0, 0.13 * HEIGHT - 13) if at_top else draw.uniform(0.87 * HEIGHT + 1, HEIGHT - 12)
    forms = [draw.choice(("Report {}", "Report  {}", "report {}")) for _ in range(count)]
    texts = [form.format(draw.choice((number, 900, "iv"))) for number, form in enumerate(forms)]
    pages = [sheet(number + 1, line(words, top, kind), body(number)) for number, words in enumerate(texts)]
    expected = (HEADER if at_top else FOOTER) if count >= 3 else kind
    assert mark(*pages) == [[expected, P]] * count


@pytest.mark.parametrize(
    "block",
    [
        line("Report", 0.13 * HEIGHT - 11),
        line("Report", 0.87 * HEIGHT - 1),
        line("Report", 20, BlockType.CAPTION),
        line("Report", 20, has_box=False),
        line("R" * 161, 20),
    ],
)
def test_line_inside_long_or_of_another_type_keeps_its_type(block: PageBlock) -> None:
    assert mark(*(sheet(number, block, body(number)) for number in (1, 2, 3))) == [[block.type, P]] * 3


def test_line_of_most_characters_right_at_the_edges_is_running() -> None:
    head, foot = line("R" * 160, 0.13 * HEIGHT - 12, H), line("F", 0.87 * HEIGHT)
    assert mark(*(sheet(number, head, body(number), foot) for number in (1, 2, 3))) == [[HEADER, P, FOOTER]] * 3


def test_running_line_of_a_page_without_height_keeps_its_type() -> None:
    assert mark(*(sheet(number, line("Report", 20), body(number), height=0) for number in (1, 2, 3))) == [[P, P]] * 3


def test_running_line_loses_its_level() -> None:
    head = PageBlock(type=H, text="Report", bbox=(50, 20, 350, 32), level=2)
    drafts = make_drafts([sheet(number, head, body(number)) for number in (1, 2, 3)])
    mark_running(drafts)
    assert [draft.level for draft in drafts if draft.type is HEADER] == [None] * 3


def test_second_line_of_the_same_text_on_a_page_keeps_its_type() -> None:
    pages = [sheet(number, line("Report", 10), line("Report", 30), body(number)) for number in (1, 2, 3)]
    assert mark(*pages) == [[HEADER, P, P]] * 3


@pytest.mark.parametrize(("bodies", "expected"), [(0, P), (1, P), (2, HEADER), (3, HEADER)])
def test_repeated_line_needs_two_pages_with_other_text(bodies: int, expected: BlockType) -> None:
    pages = [sheet(number, line("Report", 20), *([body(number)] if number <= bodies else [])) for number in range(1, 5)]
    assert [types[0] for types in mark(*pages)] == [expected] * 4


def test_furniture_that_is_all_of_a_document_is_text() -> None:
    assert mark(sheet(1, line("12", 20, HEADER)), sheet(2, line("13", 580, FOOTER))) == [[P], [P]]


def test_furniture_alone_on_a_page_is_text_unless_another_page_proves_it() -> None:
    proven = mark(sheet(1, line("Report 1", 20, HEADER), body()), sheet(2, line("Report 2", 20, HEADER)))
    assert proven == [[HEADER, P], [HEADER]]
    assert mark(sheet(1, body()), sheet(2, line("Report 2", 20, HEADER))) == [[P], [P]]


@pytest.mark.parametrize(
    ("words", "is_number"),
    [
        ("7", True), ("- 7 -", True), ("Page 7", True), ("page 7 of 9", True), ("Seite 7 von 9", True),
        ("p. 7", True), ("xii", True), ("7 and 9", False), ("Chapter 7", False), ("7 men", False), ("", False),
    ],
)  # fmt: skip
def test_page_number_alone_on_a_page_stays_furniture(words: str, *, is_number: bool) -> None:
    types = mark(sheet(1, body()), sheet(2, line(words, 580, FOOTER)))
    assert types == [[P], [FOOTER if is_number else P]]


def test_furniture_that_a_format_states_is_trusted() -> None:
    """A header part of a Word file has no box. It proves no line either."""
    stated = line("Report", 0, HEADER, has_box=False)
    assert mark(sheet(1, stated), sheet(2, stated)) == [[HEADER], [HEADER]]
    assert mark(sheet(1, stated, body()), sheet(2, line("Report", 20, HEADER))) == [[HEADER, P], [P]]
