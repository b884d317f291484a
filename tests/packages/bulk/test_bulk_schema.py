"""The bulk job with a schema: a row per document with its values or its error, as JSONL and Parquet."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from quire.cluster.jobs.bulk_extract import main
from quire.cluster.jobs.work import to_folder
from tests.packages.bulk.corpora import write_pdf
from tests.packages.bulk.inline import InlineSpread

SCHEMA = {"type": "object", "properties": {"invoice_number": {"type": "string"}, "total": {"type": "number"}}}


@pytest.fixture
def spreading(monkeypatch: pytest.MonkeyPatch) -> InlineSpread:
    inline = InlineSpread()
    monkeypatch.setattr(to_folder, "spread", inline)
    monkeypatch.setattr(to_folder, "connect", lambda: 1)
    return inline


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a schema and a corpus of two invoices and a broken file."""
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for number in (1, 2):
        (corpus / f"bill{number}.pdf").write_bytes(write_pdf(f"Invoice number: R-{number}", f"Total: {number}.50"))
    (corpus / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    (tmp_path / "s.json").write_text(json.dumps(SCHEMA))
    return tmp_path


def run(folder: Path, *more: str) -> Result:
    arguments = [str(folder / "corpus"), "-o", str(folder / "out"), "--schema", str(folder / "s.json")]
    return CliRunner().invoke(main, [*arguments, "--ocr", "never", "--workers", "1", *more])


def test_jsonl_has_values_with_evidence_and_errors(folder: Path, spreading: InlineSpread) -> None:
    done = run(folder)
    assert done.exit_code == 0, done.output
    lines = [json.loads(line) for path in (folder / "out/shards").iterdir() for line in path.read_text().splitlines()]
    rows = {row["name"]: row for row in lines}
    assert rows["bill2.pdf"]["data"]["data"] == {"invoice_number": "R-2", "total": 2.5}
    assert rows["bill2.pdf"]["data"]["evidence"]["/total"]["places"][0]["page"] == 1
    assert (rows["bill1.pdf"]["error"], rows["broken.pdf"]["error"]) == (None, "malformed")
    assert rows["broken.pdf"]["data"] is None


def test_parquet_has_a_column_of_errors(folder: Path, spreading: InlineSpread) -> None:
    assert run(folder, "--as", "parquet").exit_code == 0
    table = [row for path in (folder / "out/shards").iterdir() for row in pq.read_table(path).to_pylist()]
    rows = {row["name"]: row for row in table}
    assert json.loads(rows["bill1.pdf"]["data"])["data"]["total"] == 1.5
    assert (rows["broken.pdf"]["data"], rows["broken.pdf"]["error"]) == (None, "malformed")


def test_folder_of_another_schema_is_refused(folder: Path, spreading: InlineSpread) -> None:
    assert run(folder).exit_code == 0
    (folder / "s.json").write_text(json.dumps(SCHEMA | {"title": "other"}))
    assert "holds results of other options" in run(folder).output


@pytest.mark.parametrize("text", ["", "[1]", '{"type": "string"}'])
def test_unusable_schema_is_refused_before_anything_is_read(folder: Path, text: str) -> None:
    (folder / "s.json").write_text(text)
    assert "--schema" in run(folder).output
    assert not (folder / "out").exists()
