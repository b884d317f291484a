"""Quality: a row per document, failures included, and sums that are theirs."""

from quire.models.cdom.errors import ErrorCode
from quire.models.cdom.tree import BlockType
from quire.models.derive.quality import rate_document, rate_failure, summarise
from tests.builders import make_block, make_tree, table_block


def test_a_row_counts_pages_tables_fields_and_flags() -> None:
    tree = make_tree(
        make_block(BlockType.PARAGRAPH, "Invoice No: 7", confidence=0.5, flags=("low-confidence",)),
        table_block([["a", "b", "c"], ["1", "2", "3"], ["4", "5", "6"]], page=2),
    )
    row = rate_document("a.pdf", tree)
    assert (row.status, row.format, row.pages, row.tables, row.fields, row.ocr_pages) == (
        "succeeded",
        "pdf",
        2,
        1,
        1,
        0,
    )
    assert row.flags == {"low-confidence": 1}
    assert row.confidence == round((0.5 * 13 + 1.0) / 14, 4)


def test_aggregate_sums_rows_and_names_failures() -> None:
    tree = make_tree(make_block(BlockType.PARAGRAPH, "Total: 5.00", flags=("pii:email",)))
    rows = [rate_document("a", tree), rate_document("b", tree), rate_failure("c", ErrorCode.ENCRYPTED, "pdf")]
    total = summarise(rows).aggregate
    assert (total.documents, total.succeeded, total.failed, total.pages) == (3, 2, 1, 2)
    assert (total.flags, total.errors, total.formats) == ({"pii:email": 2}, {"encrypted": 1}, {"pdf": 3})
    assert total.confidence == 1.0


def test_an_empty_set_has_an_empty_report() -> None:
    report = summarise([])
    assert (report.documents, report.aggregate.documents, report.aggregate.confidence) == ((), 0, None)
