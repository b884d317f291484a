"""A block of documents read, written and recorded, in each shape and in both kinds of folder, without Ray."""

import json
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from quire.cluster.compose.redacted import HIDDEN_NAME, redact_outcome
from quire.cluster.jobs.work.corpus import FolderCorpus, load_named_tree
from quire.cluster.jobs.work.folders import PARTIAL, FolderUnavailable, open_folder
from quire.cluster.jobs.work.kinds import Shape
from quire.cluster.jobs.work.ledger import Record, WorkBlock, find_items, make_items
from quire.cluster.jobs.work.outputs import FolderOutput, OutputMaker
from quire.cluster.jobs.work.pipeline import BlockReader, Finish, as_read
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.ports import PixelPage, RecognisedPage
from quire.models.neural.fakes import ScriptedRecogniser
from tests.packages.bulk.corpora import make_corpus
from tests.waiting import PATIENCE_S


@contextmanager
def opened(
    corpus: Path, out: Path, shape: Shape = Shape.FILES, *, finish: Finish = as_read, hidden: bool = False
) -> Iterator[Callable[[WorkBlock], list[Record]]]:
    name_of = (lambda _: HIDDEN_NAME) if hidden else (lambda item: item.name)
    output = FolderOutput(open_folder(str(out), make=True), OutputMaker(["tree", "markdown"]), shape, name_of)
    recogniser = ScriptedRecogniser(script={1: ["Hello"]})
    reader = BlockReader(open_folder(str(corpus)), output, ReadOptions(), lambda: recogniser, finish=finish)
    try:
        yield reader.read_block
    finally:
        reader.close()


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    make_corpus(folder)
    return folder


def whole(corpus: Path) -> WorkBlock:
    _, items = find_items(str(corpus), None)
    return WorkBlock("0001-0000000", tuple(items))


def files(out: Path) -> dict[str, bytes]:
    return {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}


def test_documents_become_files_and_the_same_block_again_the_same_bytes(corpus: Path, tmp_path: Path) -> None:
    with opened(corpus, tmp_path) as read:
        records = {record.name: record for record in read(whole(corpus))}
        first = files(tmp_path)
        read(whole(corpus))
    assert files(tmp_path) == first
    assert records["broken.pdf"].error == "malformed"
    assert len(records["broken.pdf"].sha256) == 64
    assert (records["scan.png"].error, records["scan.png"].pages) == (None, 1)
    assert len(FolderCorpus(str(tmp_path)).documents()) == 4
    one = records["sub0/report.pdf"]
    assert one.outputs == ("tree/sub0/report.pdf.json", "markdown/sub0/report.pdf.md")
    assert "rivers" in load_named_tree((tmp_path / one.outputs[0]).read_bytes()).blocks[0].text
    assert "rivers" in (tmp_path / one.outputs[1]).read_text()
    assert one.bytes == (corpus / "sub0/report.pdf").stat().st_size


def test_shards_hold_a_row_for_every_document_that_was_read(corpus: Path, tmp_path: Path) -> None:
    for shape in (Shape.JSONL, Shape.PARQUET):
        with opened(corpus, tmp_path / shape, shape) as read:
            read(whole(corpus))
            first = files(tmp_path / shape)
            read(whole(corpus))
        assert files(tmp_path / shape) == first
        assert set(first) == {"records/0001-0000000.jsonl", f"shards/0001-0000000.{shape.value}"}
    lines = (tmp_path / "jsonl/shards/0001-0000000.jsonl").read_text().splitlines()
    rows = {row["name"]: row for row in map(json.loads, lines)}
    assert rows.keys() == {"broken.pdf", "scan.png", "sub0/report.pdf", "sub1/report.pdf", "sub2/report.pdf"}
    broken = rows["broken.pdf"]
    assert (broken["error"], broken["tree"], broken["markdown"]) == ("malformed", None, None)
    assert "copy or download it again" in broken["message"]
    assert rows["scan.png"]["error"] is None
    assert "rivers" in rows["sub1/report.pdf"]["tree"]["blocks"][0]["text"]
    table = pq.read_table(tmp_path / "parquet/shards/0001-0000000.parquet").to_pylist()
    assert {row["name"]: json.loads(row["tree"] or "null") for row in table} == {
        name: row["tree"] for name, row in rows.items()
    }
    assert {row["name"]: row["markdown"] for row in table} == {name: row["markdown"] for name, row in rows.items()}


def test_redacted_outputs_hold_neither_values_nor_names(tmp_path: Path) -> None:
    import pymupdf

    corpus = tmp_path / "jane.roe@example.org"
    corpus.mkdir()
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), "Write to jane.roe@example.org about the bridges.")
    (corpus / "jane.roe@example.org.pdf").write_bytes(document.tobytes())
    out = tmp_path / "out"
    with opened(corpus, out, Shape.JSONL, finish=redact_outcome, hidden=True) as read:
        (record,) = read(whole(corpus))
    assert record.error is None
    assert (record.name, record.pages) == (HIDDEN_NAME, 1)
    text = b"".join(files(out).values()).decode()
    assert "bridges" in text
    assert "[REDACTED:email]" in text
    assert "jane" not in text


def test_an_original_that_is_gone_is_an_error_in_the_table(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    with opened(tmp_path / "corpus", tmp_path / "out") as read:
        records = read(WorkBlock("0001-0000000", (*make_items([("gone.pdf", 9)]),)))
    assert [record.error for record in records] == ["original-missing"]


def test_unwritable_folder_ends_the_job_without_failed_documents(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "tree").write_text("a file where a folder must be")
    with opened(corpus, tmp_path) as read, pytest.raises(OSError, match="tree"):
        read(whole(corpus))
    assert not (tmp_path / "records").exists()


def test_a_bucket_that_is_away_is_nobodys_missing_original(tmp_path: Path) -> None:
    away = open_folder("s3://nowhere/x", aws_endpoint="http://127.0.0.1:9", aws_allow_http=True, aws_access_key_id="x",
                       aws_secret_access_key="x", aws_region="x", retry_config={"max_retries": 0})  # fmt: skip
    with pytest.raises(FolderUnavailable):
        away.open("a.pdf")


def test_partial_files_are_not_listed_and_are_swept(tmp_path: Path) -> None:
    folder = open_folder(str(tmp_path))
    folder.write("tree/ab/x.json", b"{}")
    (tmp_path / f"tree/ab/{PARTIAL}1").write_bytes(b"half")
    assert list(folder.names()) == [("tree/ab/x.json", 2)]
    folder.sweep()
    assert [path.name for path in (tmp_path / "tree/ab").iterdir()] == ["x.json"]


class Crowd:
    """A recogniser that answers a page only when so many are asked at once."""

    def __init__(self, pages: int) -> None:
        self._barrier = threading.Barrier(pages, timeout=PATIENCE_S)
        self._lines = ScriptedRecogniser(script={1: ["Hello"]})

    def recognise_pages(self, pages: list[PixelPage], langs: tuple[str, ...], timeout_s: float) -> list[RecognisedPage]:
        self._barrier.wait()
        return self._lines.recognise_pages(pages, langs, timeout_s)


def test_documents_wait_for_a_pool_together_and_keep_their_order(corpus: Path, tmp_path: Path) -> None:
    scans = tmp_path / "scans"
    scans.mkdir()
    for number in range(6):
        shutil.copy(corpus / "scan.png", scans / f"{number}.png")
    shutil.copy(corpus / "broken.pdf", scans / "3.pdf")
    output = FolderOutput(open_folder(str(tmp_path / "out"), make=True), OutputMaker(["tree"]), Shape.JSONL)
    reader = BlockReader(open_folder(str(scans)), output, ReadOptions(), lambda: Crowd(3), recognised_at_once=3)
    items = make_items((f"{number}.png", 1) for number in range(6)) + make_items([("3.pdf", 1)])
    try:
        records = reader.read_block(WorkBlock("0001-0000000", tuple(items)))
    finally:
        reader.close()
    assert [record.name for record in records] == [item.name for item in items]
    assert [record.error for record in records] == [None] * 6 + ["malformed"]
