"""Changes between two versions: pages, blocks, cells and fields, and the form that is stored without texts."""

import time

from quire.models.cdom.tree import Block, BlockType, Tree
from quire.models.derive.changes import compare_versions, find_changed_pages, with_texts, without_texts
from quire.models.derive.diff import Change
from tests.builders import make_block, make_tree, table_block

H, P = BlockType.HEADING, BlockType.PARAGRAPH


def page(number: int, text: str, kind: BlockType = P) -> Block:
    return make_block(kind, text, page=number)


def invoice(total: str, *rows: tuple[str, str]) -> Tree:
    table = table_block([("Item", "Price"), *rows], header_rows=1)
    return make_tree(page(1, "Invoice number: 4711"), page(1, f"Total: {total}"), table)


def test_changed_pages_are_those_with_new_content() -> None:
    before = make_tree(*(page(n, f"text of page {n}") for n in range(1, 6)))
    after = make_tree(
        page(1, "text of page 1"), page(2, "new page"), page(3, "text of page 2"), page(4, "other text"),
        page(5, "text of page 4"), page(6, "text of page 5"),
    )  # fmt: skip
    assert find_changed_pages(before, after) == (2, 4)
    assert find_changed_pages(before, before) == ()


def test_running_heads_do_not_change_a_page() -> None:
    head = BlockType.PAGE_HEADER
    before = make_tree(page(1, "Page 1 of 2", head), page(1, "text"), page(2, "Page 2 of 2", head), page(2, "more"))
    after = make_tree(page(1, "Page 1 of 3", head), page(1, "text"), page(2, "Page 2 of 3", head), page(2, "more"))
    changes = compare_versions("doc_1", before, after)
    assert (changes.pages, changes.blocks) == ((), ())


def test_changes_name_blocks_cells_and_fields() -> None:
    before = invoice("12.00", ("Rope", "5.00"), ("Anchor", "7.00"))
    after = invoice("14.00", ("Rope", "5.00"), ("Anchor", "8.00"), ("Chain", "1.00"))
    changes = compare_versions("doc_1", before, after)
    assert changes.since == "doc_1"
    assert {(block.change, block.before_id, block.id) for block in changes.blocks} == {
        (Change.MODIFIED, "b1", "b1"),
        (Change.MODIFIED, "b2", "b2"),
    }
    assert [(cell.change, cell.row, cell.col, cell.before, cell.text) for cell in changes.cells] == [
        (Change.MODIFIED, 2, 1, "7.00", "8.00"),
        (Change.ADDED, 3, 0, None, "Chain"),
        (Change.ADDED, 3, 1, None, "1.00"),
    ]
    assert [(field.canonical_key, field.before, field.value) for field in changes.fields if field.before == "12.00"]


def test_many_changed_blocks_are_removed_and_added_without_being_compared() -> None:
    words = "the same words in every block of both versions again and again " * 200
    before = make_tree(*(page(1, f"{words} old {n}") for n in range(30)))
    after = make_tree(*(page(1, f"{words} new {n}") for n in range(30)))
    started = time.process_time()
    changes = compare_versions("doc_1", before, after)
    assert time.process_time() - started < 3
    assert {block.change for block in changes.blocks} == {Change.REMOVED, Change.ADDED}


def test_stored_changes_hold_no_text_and_regain_that_of_the_new_version() -> None:
    before, after = invoice("12.00", ("Rope", "5.00")), invoice("14.00", ("Rope", "6.00"))
    full = compare_versions("doc_1", before, after)
    stored = without_texts(full)
    assert "12.00" not in str(stored)
    assert "14.00" not in str(stored)
    shown = with_texts(stored, after)
    assert [block.text for block in shown.blocks] == [block.text for block in full.blocks]
    assert [cell.text for cell in shown.cells] == [cell.text for cell in full.cells]
    assert [field.value for field in shown.fields] == [field.value for field in full.fields]
    assert {block.before for block in shown.blocks} == {None}
