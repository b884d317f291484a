"""The public Ray Data classes without a cluster: tasks and callable are called directly."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from quire.cluster.jobs.data import QuireDocuments, QuireLance, QuireReader
from tests.packages.bulk.corpora import make_corpus


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    make_corpus(folder)
    return folder


def load(source: QuireDocuments, parallelism: int = 2) -> list[pa.Table]:
    return [block for task in source.get_read_tasks(parallelism) for block in task()]


def test_source_gives_paths_and_contents_in_arrow_blocks(corpus: Path) -> None:
    source = QuireDocuments(str(corpus))
    blocks = load(source)
    assert [block.num_rows for block in blocks] == [3, 2]
    rows = {row["path"]: row["bytes"] for block in blocks for row in block.to_pylist()}
    assert rows == {str(path.relative_to(corpus)): path.read_bytes() for path in corpus.rglob("*") if path.is_file()}
    assert source.estimate_inmemory_data_size() == sum(map(len, rows.values()))
    assert [task.metadata.num_rows for task in source.get_read_tasks(2)] == [3, 2]


def test_source_of_named_files_says_which_cannot_be_read(corpus: Path) -> None:
    (block,) = load(QuireDocuments(str(corpus), names=["gone.pdf", "sub0/report.pdf"]), 1)
    assert [row["bytes"] is None for row in block.to_pylist()] == [True, False]
    with pytest.raises(NotADirectoryError):
        QuireDocuments(str(corpus / "none"))


def test_reader_returns_a_row_for_each_document_with_its_error(corpus: Path) -> None:
    reader = QuireReader(["markdown", "tree"], ocr="never", schema=json.dumps({"type": "object", "properties": {}}))
    (block,) = load(QuireDocuments(str(corpus), names=["sub1/report.pdf", "broken.pdf", "gone.pdf"]), 1)
    rows = reader(block).to_pylist()
    assert [row["name"] for row in rows] == block["path"].to_pylist()
    by_name = {row["name"]: row for row in rows}
    assert "rivers" in by_name["sub1/report.pdf"]["markdown"]
    assert "data" in json.loads(by_name["sub1/report.pdf"]["data"])
    assert by_name["sub1/report.pdf"]["error"] is None
    assert (by_name["broken.pdf"]["error"], by_name["gone.pdf"]["error"]) == ("malformed", "original-missing")
    assert all(by_name[name]["message"] and by_name[name]["tree"] is None for name in ("broken.pdf", "gone.pdf"))


def test_reader_takes_batches_of_numpy_and_hides_names_when_it_redacts(corpus: Path) -> None:
    reader = QuireReader(["markdown"], ocr="never", redacted=True)
    content = (corpus / "sub0/report.pdf").read_bytes()
    batch = {"path": np.array(["jane@example.org.pdf"] * 2, object), "bytes": np.array([content] * 2, object)}
    rows = reader(batch).to_pylist()
    assert [row["name"] for row in rows] == ["[REDACTED]"] * 2
    assert "bridges" in rows[1]["markdown"]


def test_unknown_format_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown formats"):
        QuireReader(["txt"])


def test_lance_sink_commits_all_rows_once_and_appends(tmp_path: Path) -> None:
    import lance
    from ray.data.datasource import WriteResult

    uri = str(tmp_path / "x.lance")
    for run in (1, 2):
        sink = QuireLance(uri)
        written = [sink.write([pa.table({"a": [run, part]})], None) for part in (1, 2)]
        assert run == 2 or not Path(uri, "_versions").exists()
        sink.on_write_complete(WriteResult(num_rows=4, size_bytes=0, write_returns=[*written, []]))
    assert sorted(lance.dataset(uri).to_table()["a"].to_pylist()) == [1, 1, 1, 1, 2, 2, 2, 2]
