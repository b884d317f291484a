"""Facts of the whole document: running heads, levels, title, joins. On pages made by hand, without a parser."""

from dataclasses import replace

import pytest

from quire.models.cdom.original import Format, ReadOptions
from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import BlockType, Source, Tree
from quire.models.extract.contract import DocumentFacts, OutlineEntry, PageBlock, PageContent, TextLook
from quire.models.extract.pipeline.assemble import assemble

SOURCE = Source(format="pdf", sha256="0" * 64, bytes=1)


def block(
    kind: BlockType, text: str, y: float = 300, *, size: float = 10, bold: bool = False, ends_open: bool = False
) -> PageBlock:
    look = TextLook(size=size, bold=bold, ends_open=ends_open)
    return PageBlock(type=kind, text=text, bbox=(50, y, 350, y + 12), look=look)


def heading(text: str, size: float, y: float = 100, *, bold: bool = True) -> PageBlock:
    return block(BlockType.HEADING, text, y, size=size, bold=bold)


def text(words: str = "Some running text.", y: float = 300) -> PageBlock:
    return block(BlockType.PARAGRAPH, words, y)


def page(number: int, *blocks: PageBlock) -> PageContent:
    return PageContent(number=number, width=400, height=600, body_size=10, blocks=blocks, engine="test", version="1")


def build(*pages: PageContent, outline: tuple[OutlineEntry, ...] = ()) -> Tree:
    facts = DocumentFacts(
        format=Format.PDF,
        page_count=len(pages),
        page_numbers=tuple(one.number for one in pages),
        outline=outline,
    )
    return assemble(facts, pages, source=SOURCE, options=ReadOptions())


def levels(tree: Tree) -> dict[str, int | None]:
    return {block.text: block.level for block in tree.blocks if block.type is BlockType.HEADING}


def test_line_repeated_at_the_top_of_three_pages_is_a_running_head() -> None:
    pages = [page(n, heading(f"Annual report {n}", 10, 20), text()) for n in (1, 2, 3)]
    tree = build(*pages)
    assert [block.type for block in tree.blocks] == [BlockType.PAGE_HEADER, BlockType.PARAGRAPH] * 3


def test_small_table_repeated_at_the_top_of_pages_is_a_running_head() -> None:
    def head(number: int) -> PageBlock:
        cells = (Cell(row=0, col=0, text="Harbour rules"), Cell(row=0, col=1, text=f"Page {number}"))
        return replace(block(BlockType.TABLE, "", 20), table=Table(rows=1, cols=2, cells=cells))

    tree = build(*(page(number, head(number), text()) for number in (1, 2, 3)))
    assert [(one.type, one.table) for one in tree.blocks[::2]] == [(BlockType.PAGE_HEADER, None)] * 3
    assert [one.text for one in tree.blocks[::2]] == [f"Harbour rules Page {number}" for number in (1, 2, 3)]


@pytest.mark.parametrize("y", [20, 300, 580])
def test_two_thousand_pages_of_the_same_line_are_all_text(y: float) -> None:
    tree = build(*(page(number, text("The same line again.", y)) for number in range(1, 2001)))
    assert [block.type for block in tree.blocks] == [BlockType.PARAGRAPH] * 2000


def test_a_document_of_one_word_has_one_block_and_no_title() -> None:
    (only,) = build(page(1, text("Word"))).blocks
    assert (only.type, only.text, only.level) == (BlockType.PARAGRAPH, "Word", None)


def test_line_on_two_pages_only_keeps_its_type() -> None:
    tree = build(*(page(n, heading("Summary", 12, 20), text()) for n in (1, 2)))
    assert tree.blocks[0].type is BlockType.HEADING


def test_pages_with_a_single_numbered_line_keep_the_line_as_text() -> None:
    tree = build(*(page(n, text(f"Parcel {n} for warehouse {n}", 60)) for n in (11, 12, 13)))
    assert [block.type for block in tree.blocks] == [BlockType.PARAGRAPH] * 3


def test_repeated_line_is_not_a_running_head_when_one_page_has_a_body() -> None:
    bare = [page(n, text(f"Parcel {n}", 20)) for n in (1, 2, 3)]
    tree = build(*bare, page(4, text("Parcel 4", 20), text()))
    assert BlockType.PAGE_HEADER not in {block.type for block in tree.blocks}


def test_page_left_blank_keeps_running_head_of_others() -> None:
    pages = [page(n, text(f"Annual report {n}", 20), text()) for n in (1, 2, 3)]
    tree = build(*pages, page(4, text("Annual report 4", 20)))
    assert tree.blocks[-1].type is BlockType.PAGE_HEADER


def test_document_of_furniture_alone_becomes_text() -> None:
    lines = [page(n, block(BlockType.PAGE_FOOTER, f"Ticket {n} of 3", 570)) for n in (1, 2, 3)]
    assert {block.type for block in build(*lines).blocks} == {BlockType.PARAGRAPH}


def test_page_with_only_a_unique_footer_keeps_the_footer_as_text() -> None:
    pages = [page(1, text()), page(2, block(BlockType.PAGE_FOOTER, "Thank you for your order", 570))]
    assert build(*pages).blocks[-1].type is BlockType.PARAGRAPH


def test_a_blank_page_keeps_its_number_at_the_foot() -> None:
    pages = [page(1, text()), page(2, block(BlockType.PAGE_FOOTER, "- 2 -", 570))]
    assert build(*pages).blocks[-1].type is BlockType.PAGE_FOOTER


def test_levels_follow_size() -> None:
    sizes = {"One": 18, "Part a": 14, "Detail": 11, "Part b": 14, "More": 11, "Two": 18}
    found = levels(build(page(1, *(heading(name, size) for name, size in sizes.items()), text())))
    assert found == {"One": 1, "Part a": 2, "Detail": 3, "Part b": 2, "More": 3, "Two": 1}


def test_headings_of_one_style_have_one_level() -> None:
    pages = [page(n, heading(f"Chapter {n}", 16), heading("Scope", 12), text(), heading("Cost", 12)) for n in (1, 2)]
    found = levels(build(*pages))
    assert found == {"Chapter 1": 1, "Scope": 2, "Cost": 2, "Chapter 2": 1}


def test_section_numbers_of_several_depths_decide_over_size() -> None:
    numbered = [heading("1 One", 12), heading("1.1 Two", 12), heading("1.1.1 Three", 11), heading("2 Four", 12)]
    assert levels(build(page(1, *numbered, text()))) == {"1 One": 1, "1.1 Two": 2, "1.1.1 Three": 3, "2 Four": 1}


def test_a_title_in_the_type_of_numbered_sections_stands_above_them() -> None:
    sections = [heading("1. Scope", 14), text(), heading("2. Results", 18), text(), heading("2.1 Costs", 14), text()]
    tree = build(page(1, heading("Harbour Cranes", 18), text(), *sections))
    assert [(block.type.value, block.level) for block in tree.blocks if block.type is not BlockType.PARAGRAPH] == [
        ("title", None), ("heading", 1), ("heading", 1), ("heading", 2)
    ]  # fmt: skip


def test_first_heading_among_unnumbered_ones_of_its_type_is_not_title() -> None:
    sections = [heading("1.1 Scope", 14), text(), heading("Results", 18), text(), heading("2.1 Costs", 14), text()]
    tree = build(page(1, heading("Harbour Cranes", 18), text(), *sections))
    assert BlockType.TITLE not in {block.type for block in tree.blocks}


def test_the_outline_decides_over_everything() -> None:
    outline = (OutlineEntry(level=2, title="Methods", page=1),)
    assert (
        levels(build(page(1, heading("Methods", 20), heading("Results", 12), text()), outline=outline))["Methods"] == 2
    )


def test_only_heading_of_largest_size_on_page_one_is_title() -> None:
    first = page(1, heading("A Study of Things", 20), heading("Start", 12), text(), heading("Middle", 12), text())
    tree = build(first, page(2, heading("End", 12), text()))
    assert tree.blocks[0].type is BlockType.TITLE
    assert len(set(levels(tree).values())) == 1


def test_paragraph_cut_by_page_continues_past_foot_and_note() -> None:
    first = page(
        1,
        block(BlockType.PARAGRAPH, "The sentence stops in the", 500, ends_open=True),
        block(BlockType.FOOTNOTE, "1 Note.", 540),
        block(BlockType.PAGE_FOOTER, "7", 580),
    )
    tree = build(first, page(2, block(BlockType.PAGE_HEADER, "Head", 10), text("middle of a line.", 60)))
    assert tree.blocks[4].continues == tree.blocks[0].id


def test_a_new_sentence_on_the_next_page_continues_nothing() -> None:
    first = page(1, block(BlockType.PARAGRAPH, "The sentence stops in the", 500, ends_open=True))
    assert build(first, page(2, text("Another begins.", 60))).blocks[1].continues is None


def test_table_of_as_many_columns_on_next_page_continues() -> None:
    def table(columns: int, y: float) -> PageBlock:
        return PageBlock(type=BlockType.TABLE, bbox=(50, y, 350, y + 60), table=Table(rows=2, cols=columns))

    tree = build(page(1, text(), table(3, 500)), page(2, table(3, 40), text()))
    assert [block.type for block in tree.blocks] == [BlockType.PARAGRAPH, BlockType.TABLE, BlockType.PARAGRAPH]
    other = build(page(1, text(), table(3, 500)), page(2, table(4, 40), text()))
    assert other.blocks[2].continues is None


def test_parents_point_to_blocks_of_their_own_page() -> None:
    figure = PageBlock(type=BlockType.PICTURE, bbox=(50, 50, 100, 100))
    caption = replace(block(BlockType.CAPTION, "Figure 1"), parent=0)
    tree = build(page(1, text()), page(2, figure, caption))
    assert tree.blocks[2].parent == tree.blocks[1].id


def test_pages_in_any_order_make_the_same_tree() -> None:
    pages = [page(n, heading(f"Part {n}", 14), text()) for n in range(1, 5)]
    assert build(*pages[::-1]) == build(*pages)


def test_bold_line_between_numbered_headings_of_its_type_is_a_heading() -> None:
    item = block(BlockType.LIST_ITEM, "2. Flow of events", 200, size=12, bold=True)
    tree = build(page(1, heading("1. Summary", 12), item, heading("3. Notes", 12, 400), text()))
    assert list(levels(tree)) == ["1. Summary", "2. Flow of events", "3. Notes"]


@pytest.mark.parametrize(
    ("words", "size", "bold"), [("2. Flow", 10, True), ("2. Flow", 12, False), ("7. Flow", 12, True)]
)
def test_line_of_another_type_or_number_stays_an_item(words: str, size: float, bold: bool) -> None:
    item = block(BlockType.LIST_ITEM, words, 200, size=size, bold=bold)
    tree = build(page(1, heading("1. Summary", 12), item, heading("3. Notes", 12, 400), text()))
    assert words not in levels(tree)
