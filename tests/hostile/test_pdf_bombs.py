"""Hostile PDFs end with their codes, within their limits, and the reader lives on."""

import io
from collections.abc import Callable, Iterator

import pytest

from quire.actors.reading.read_document import DocumentReader
from quire.actors.sandbox.limits import MIB, SandboxLimits
from quire.models.cdom.errors import ErrorCode
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.ports import ReadOutcome
from tests.hostile import pdfs

pytestmark = pytest.mark.long

LIMITS = SandboxLimits(memory_bytes=256 * MIB, page_cpu_s=3, open_cpu_s=5, total_cpu_s=30)


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    reader = DocumentReader(LIMITS)
    yield reader
    reader.close()


def read(reader: DocumentReader, data: bytes, password: str | None = None) -> ReadOutcome:
    return reader.read(io.BytesIO(data), ReadOptions(password=password))


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (pdfs.content_bomb, ErrorCode.RESOURCE_LIMIT),
        (pdfs.form_bomb, ErrorCode.TIMEOUT),
        (pdfs.many_pages, ErrorCode.TOO_MANY_PAGES),
        (pdfs.kids_cycle, ErrorCode.MALFORMED),
        (pdfs.without_xref, ErrorCode.MALFORMED),
        (lambda: pdfs.encrypted("secret"), ErrorCode.ENCRYPTED),
    ],
    ids=["content-bomb", "form-bomb", "many-pages", "kids-cycle", "no-xref", "encrypted"],
)
def test_a_bomb_ends_with_its_code(reader: DocumentReader, make: Callable[[], bytes], code: ErrorCode) -> None:
    outcome = read(reader, make())
    assert (outcome.error, outcome.tree) == (code, None)


@pytest.mark.parametrize(
    "make",
    [pdfs.count_lie, pdfs.deep_arrays, pdfs.huge_box, pdfs.truncated, pdfs.recoverable_without_xref, pdfs.xref_loop,
     pdfs.nested_states, pdfs.outline_cycle],
    ids=lambda make: make.__name__,
)  # fmt: skip
def test_a_broken_file_is_read_or_malformed(reader: DocumentReader, make: Callable[[], bytes]) -> None:
    outcome = read(reader, make())
    assert outcome.error in (None, ErrorCode.MALFORMED, ErrorCode.TOO_MANY_PAGES)


def test_an_empty_user_password_opens_by_itself(reader: DocumentReader) -> None:
    outcome = read(reader, pdfs.encrypted(""))
    assert b"Hello hostile world" in outcome.tree_json


def test_the_right_password_opens_and_the_wrong_one_does_not(reader: DocumentReader) -> None:
    locked = pdfs.encrypted("secret")
    assert read(reader, locked, "wrong").error is ErrorCode.ENCRYPTED
    assert b"Hello hostile world" in read(reader, locked, "secret").tree_json


def test_unknown_bytes_are_an_unsupported_format(reader: DocumentReader) -> None:
    for data in (b"", b"\x00\x01no text\xff" * 8, b"\xd0\xcf\x11\xe0" + bytes(100)):
        assert read(reader, data).error is ErrorCode.UNSUPPORTED_FORMAT


def test_an_archive_without_a_directory_is_broken(reader: DocumentReader) -> None:
    assert read(reader, b"PK\x03\x04" + bytes(100)).error is ErrorCode.MALFORMED


def test_good_page_next_to_a_bomb_is_read(reader: DocumentReader) -> None:
    import pymupdf

    with pymupdf.open(stream=pdfs.good()) as joined, pymupdf.open(stream=pdfs.form_bomb()) as bomb:
        joined.insert_pdf(bomb)
        data = joined.tobytes()
    outcome = read(reader, data)
    assert outcome.tree is not None
    assert [(warning.code, warning.page) for warning in outcome.tree.warnings] == [("timeout", 2)]
    assert b"Hello hostile world" in outcome.tree_json
