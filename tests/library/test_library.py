"""`from quire import read`: documents of all kinds in this process, errors by class, nothing heavy imported."""

import io
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

import quire
from quire.actors.reading.read_document import DocumentReader
from quire.models.cdom.errors import ErrorCode
from tests.packages.bulk.corpora import write_pdf

SAMPLE = Path(__file__).resolve().parents[2] / "docs" / "sample" / "quire-sample.pdf"
HEAVY = ("ray", "fastapi", "starlette", "sqlmodel", "sqlalchemy", "psycopg", "lancedb", "pyarrow", "duckdb", "httpx")


class Report(BaseModel):
    """Values of a made report."""

    invoice_number: str
    total: float | None = None


BLOCKS = re.findall(r"^```python\n(.*?)^```", (SAMPLE.parents[1] / "library.md").read_text(), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("program", BLOCKS)
def test_examples_of_the_guide_run(program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "report.pdf").write_bytes(SAMPLE.read_bytes())
    monkeypatch.chdir(tmp_path)
    exec(compile(program, "library.md", "exec"), {"__name__": "example"})


@pytest.fixture(scope="module")
def sample() -> quire.Document:
    return quire.read(SAMPLE)


def test_read_takes_path_bytes_and_file(sample: quire.Document) -> None:
    with SAMPLE.open("rb") as file:
        others = [quire.read(str(SAMPLE)), quire.read(SAMPLE.read_bytes()), quire.read(file)]
    assert {other.markdown for other in others} == {sample.markdown}
    assert [other.name for other in others] == [SAMPLE.name, "document", SAMPLE.name]


def test_document_has_the_views_of_the_client(sample: quire.Document) -> None:
    assert sample.markdown == sample.markdown()
    assert sample.markdown.startswith("# Harbour Crane")
    assert [page.number for page in sample.pages] == [1, 2, 3]
    assert sample.tables[0].to_pandas().shape[1] == sample.tables[0].cols
    assert sample.coverage is not None
    assert (sample.coverage.complete, sample.notice) == (True, None)
    assert (sample.html()[:2], sample.docx()[:2]) == ("<!", b"PK")


def test_chunks_fit_their_budget(sample: quire.Document) -> None:
    assert max(chunk.tokens for chunk in sample.chunks()) <= 254
    assert max(chunk.tokens for chunk in sample.chunks(max_tokens=64, overlap_tokens=8)) <= 64
    with pytest.raises(ValueError, match="overlap"):
        sample.chunks(max_tokens=64, overlap_tokens=63)


def test_extract_by_class_gives_an_instance_and_evidence() -> None:
    document = quire.read(write_pdf("Invoice number: A-4711", "Total: 12.50 EUR"))
    found = document.extract(Report)
    assert found.data.invoice_number == "A-4711"
    assert found.evidence["invoice_number"].text == "A-4711"
    assert document.extract(Report.model_json_schema()).data["invoice_number"] == "A-4711"


def test_redacted_masks_and_keeps_the_original() -> None:
    document = quire.read(write_pdf("Write to jane.doe@example.org soon"))
    assert "jane.doe" not in document.redacted("regex").markdown
    assert "jane.doe" in document.markdown


@pytest.mark.parametrize(("pages", "numbers"), [("1-2", [1, 2]), ("3", [3]), ([1, 3], [1, 3]), (None, [1, 2, 3])])
def test_pages_select(pages: str | list[int] | None, numbers: list[int]) -> None:
    assert [page.number for page in quire.read(SAMPLE, pages=pages).pages] == numbers


@pytest.mark.parametrize("pages", ["0", "3-1", "x", [0]])
def test_wrong_pages_are_a_value_error(pages: str | list[int]) -> None:
    with pytest.raises(ValueError, match=r"page|int"):
        quire.read(SAMPLE, pages=pages)


@pytest.mark.parametrize(
    ("data", "kind", "code"),
    [
        (b"\0\1\2 nothing", quire.UnsupportedFormat, ErrorCode.UNSUPPORTED_FORMAT),
        (b"", quire.UnsupportedFormat, ErrorCode.UNSUPPORTED_FORMAT),
        (b"%PDF-1.7 nothing", quire.Malformed, ErrorCode.MALFORMED),
    ],
)
def test_errors_have_class_and_code(data: bytes, kind: type[quire.ReadError], code: ErrorCode) -> None:
    with pytest.raises(kind) as caught:
        quire.read(data)
    assert caught.value.code is code


def test_missing_page_is_a_read_error() -> None:
    with pytest.raises(quire.NoSuchPage):
        quire.read(SAMPLE, pages="9")
    with pytest.raises(FileNotFoundError):
        quire.read("no-such-file.pdf")


def test_read_many_continues_after_errors() -> None:
    sources: list[quire.Input] = [
        SAMPLE,
        b"%PDF-1.7 nothing",
        io.BytesIO(SAMPLE.read_bytes()),
        "no-such-file.pdf",
        b"# Title\n\ntext",
    ]
    done: list[int] = []
    results = list(quire.read_many(iter(sources), jobs=2, progress=done.append, ocr="never"))
    kinds = [type(result) for result in results]
    assert kinds == [quire.Document, quire.Malformed, quire.Document, FileNotFoundError, quire.Document]
    assert done == [1, 2, 3, 4, 5]


def test_read_many_reads_few_ahead() -> None:
    begun: list[int] = []

    def sources() -> Iterator[bytes]:
        for number in range(50):
            begun.append(number)
            yield f"# Title {number}".encode()

    results = quire.read_many(sources(), jobs=1)
    next(results)
    results.close()  # type: ignore[attr-defined]
    assert len(begun) <= 3


def test_import_is_light_and_read_needs_no_service(tmp_path: Path) -> None:
    program = (
        "import sys, quire; assert not [m for m in sys.modules if m.startswith('quire.')]\n"
        f"doc = quire.read({str(SAMPLE)!r}); doc.markdown(), doc.chunks()\n"
        f"print([m for m in {HEAVY!r} if m in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


def test_a_forked_process_reads_with_its_own_sandbox(tmp_path: Path) -> None:
    program = (
        "import multiprocessing, quire\n"
        f"def first(number): return quire.read({str(SAMPLE)!r}).markdown[:9]\n"
        "if __name__ == '__main__':\n"
        "    first(0)\n"
        "    with multiprocessing.get_context('fork').Pool(2) as pool:\n"
        "        print(set(pool.map(first, range(4))), first(1))\n"
    )
    path = tmp_path / "program.py"
    path.write_text(program)
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=240)
    assert done.stdout.strip() == "{'# Harbour'} # Harbour", done.stderr


def test_interrupted_reading_leaves_no_answer_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(DocumentReader, "read_until_pixels", interrupt)
        with pytest.raises(KeyboardInterrupt):
            quire.read(SAMPLE)
    assert len(quire.read(SAMPLE).pages) == 3
