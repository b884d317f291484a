"""Documents, tables and hits as objects of the Python client, and what a notebook shows of them."""

from pathlib import Path
from typing import Any

import pytest
from quire_client import (
    AsyncClient,
    Client,
    Document,
    DocumentFailed,
    FolderProgress,
    LoadOptions,
    SkippedFile,
    Table,
    load_texts,
)
from quire_client.documents.hits import Hits
from quire_client.documents.table import MOST_ROWS

from tests.api.harness import PDF, PNG


def a_cell(row: int, col: int, text: str, **more: Any) -> dict[str, Any]:
    return {"row": row, "col": col, "text": text, **more}


def a_block(block_id: str, page: int, **more: Any) -> dict[str, Any]:
    return {"id": block_id, "type": "paragraph", "page": page, "text": "", "bbox": None, **more}


HEADED = [
    a_cell(0, 0, "Item", header=True, row_span=2),
    a_cell(0, 1, "Price", header=True, col_span=2),
    a_cell(1, 1, "net", header=True),
    a_cell(1, 2, "net", header=True),
    a_cell(2, 0, "<b>Crane</b>", bbox=[1, 2, 3, 4]),
    a_cell(2, 1, "1,50"),
]
TABLE = {"rows": 3, "cols": 3, "cells": HEADED, "parts": [{"page": 1, "rows": 2, "bbox": None}, {"page": 2, "rows": 1}]}
TREE = {
    "metadata": {"title": "Cranes"},
    "pages": [{"number": 1, "width": 595, "height": 842, "route": "fast"}, {"number": 2, "width": 1, "height": 1}],
    "blocks": [
        a_block("b0", 1, type="title", text="On <i>cranes</i>", bbox=[0, 1, 2, 3]),
        a_block("b1", 1, type="table", table=TABLE),
        a_block("b2", 2, text="End"),
    ],
}
DOCUMENT = Document("doc_a", "job_a", "a<.pdf", "# On cranes", TREE)


def test_a_document_has_typed_blocks_pages_and_tables() -> None:
    assert [block.id for block in DOCUMENT.blocks] == ["b0", "b1", "b2"]
    assert DOCUMENT.blocks[0].bbox == (0, 1, 2, 3)
    assert [(page.number, len(page.blocks)) for page in DOCUMENT.pages] == [(1, 2), (2, 1)]
    assert (DOCUMENT.pages[1].text, DOCUMENT.metadata["title"]) == ("End", "Cranes")
    assert DOCUMENT.pages[0].tables == DOCUMENT.tables
    assert [part.rows for part in DOCUMENT.tables[0].parts] == [2, 1]


def test_a_table_becomes_a_frame_with_unique_headed_columns() -> None:
    (table,) = DOCUMENT.tables
    assert table.columns == ["Item", "Price net", "Price net_2"]
    assert table.to_arrow().to_pylist() == [{"Item": "<b>Crane</b>", "Price net": "1,50", "Price net_2": ""}]
    assert table.to_pandas()["Price net"].tolist() == ["1,50"]
    assert table.to_csv() == 'Item,Price net,Price net_2\n<b>Crane</b>,"1,50",\n'


def test_a_table_without_header_numbers_its_columns() -> None:
    bare = Table("b0", 1, None, 1, 2, DOCUMENT.tables[0].cells[4:5], [])
    assert bare.columns == ["column_1", "column_2"]


def test_notebooks_show_escaped_text() -> None:
    shown = DOCUMENT._repr_html_()
    assert "<h2>On &lt;i&gt;cranes&lt;/i&gt;</h2>" in shown
    assert "a&lt;.pdf" in shown
    assert '<th rowspan="2">Item</th><th colspan="2">Price</th>' in shown
    assert "&lt;b&gt;Crane&lt;/b&gt;" in DOCUMENT.pages[0]._repr_html_()
    assert "End" not in DOCUMENT.pages[0]._repr_html_()


def test_a_long_table_says_how_many_rows_a_notebook_leaves_out() -> None:
    rows = MOST_ROWS + 7
    raw = {"rows": rows, "cols": 1, "cells": [a_cell(row, 0, str(row)) for row in range(rows)]}
    assert "7 more rows" in Table.of(a_block("b0", 1, table=raw))._repr_html_()


def test_hits_mark_their_matches() -> None:
    hit: Any = dict.fromkeys(("job_id", "document_id", "chunk_id", "text"), "x") | {
        "score": 0.5,
        "source_file": "a.pdf",
    }
    hit |= {"snippet": "a <crane> here", "highlights": [[2, 9]], "pages": [4], "section_path": ["Birds"]}
    assert "a <mark>&lt;crane&gt;</mark> here" in Hits.of([hit])._repr_html_()
    assert "a.pdf, page 4, Birds" in Hits.of([hit])[0]._repr_html_()
    assert Hits()._repr_html_() == "<p>No hits.</p>"


def test_a_page_picture_shows_itself_in_a_notebook(url: str) -> None:
    with Client(url, "acme-write") as quire:
        document = quire.read(("a.pdf", PDF))
        picture = quire.get_page(document.job_id, document.id, 1)
    assert picture._repr_mimebundle_() == {"image/png": PNG}
    assert (document.name, document.pages[0].text) == ("a.pdf", "Hello")
    assert "Hello" in document.markdown


async def test_reading_one_file_with_both_clients_gives_equal_documents(url: str) -> None:
    async with AsyncClient(url, "acme-write") as quire:
        document = await quire.read(("a.pdf", PDF))
        assert await quire.open(document.id) == document
        with pytest.raises(DocumentFailed, match="unsupported-format"):
            await quire.read(("bad.png", PNG))
    with Client(url, "acme-write") as blocking:
        assert blocking.open(document.id) == document


def test_a_folder_is_read_in_batches_with_progress(url: str, tmp_path: Path) -> None:
    names = [f"{number:02}.pdf" for number in range(13)]
    (tmp_path / "deep").mkdir()
    for name in (*names, "deep/a.pdf", ".hidden.pdf"):
        (tmp_path / name).write_bytes(PDF)
    (tmp_path / "bad.txt").write_bytes(b"\0\1 nothing")
    (tmp_path / "empty.pdf").write_bytes(b"")
    seen: list[tuple[int, int, int]] = []

    def note(now: FolderProgress) -> None:
        seen.append((now.done, now.total, now.failed))

    with Client(url, "acme-write") as quire:
        report = quire.ingest_folder(tmp_path, on_progress=note)
    assert sorted(report.documents) == sorted([*names, "deep/a.pdf", "bad.txt"])
    assert list(report.refused) == ["empty.pdf"]
    assert [document["source_file"] for document in report.failed] == ["bad.txt"]
    assert (len(report.succeeded), seen[-1]) == (14, (16, 16, 2))
    assert [done for done, _, _ in seen] == list(range(1, 17))


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with Client("http://quire.test") as quire, pytest.raises(NotADirectoryError):
        quire.ingest_folder(tmp_path / "none")


def test_loading_skips_broken_files_with_a_warning_if_asked(url: str) -> None:
    sources: Any = [("bad.png", PNG), ("a.pdf", PDF), ("empty.pdf", b"")]
    with Client(url, "acme-write") as quire:
        with pytest.warns(SkippedFile) as told:
            loaded = list(load_texts(quire, sources, LoadOptions(on_error="warn")))
        with pytest.raises(DocumentFailed):
            list(load_texts(quire, sources[:2]))
    assert [one.metadata["file_name"] for one in loaded] == ["a.pdf"]
    assert sorted(str(one.message).split(":")[0] for one in told) == ["skipped bad.png", "skipped empty.pdf"]
