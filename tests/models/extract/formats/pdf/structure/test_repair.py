"""Files that other readers show are read: encrypted attachments only, broken page trees; pages have their labels."""

import io
import re
from collections.abc import Callable
from typing import Literal

import pikepdf
import pytest

from quire.models.cdom.errors import Encrypted, Malformed
from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.extract.contract import DocumentFacts
from quire.models.extract.formats.pdf.engine import pymupdf
from quire.models.extract.registry import open_document

OPTIONS = ReadOptions(ocr=OcrMode.NEVER)
TEXT = "The harbour is open."


def make_pdf(pages: int = 1) -> bytes:
    file = pymupdf.open()
    for _ in range(pages):
        file.new_page().insert_text((72, 100), TEXT)
    return bytes(file.tobytes())


def read(data: bytes) -> tuple[DocumentFacts, list[str]]:
    document = open_document(data, OPTIONS)
    try:
        pages = [document.read_page(number) for number in document.facts.page_numbers]
        return document.facts, [block.text for page in pages for block in page.content.blocks]
    finally:
        document.close()


def encrypt_entry(data: bytes, stream_method: str) -> bytes:
    """Return the file with an unknown encryption; streams and strings use the given method."""
    filters = "/CF<</StdCF<</CFM/AESV2/AuthEvent/EFOpen/Length 16>>>>"
    secret = "/O<" + "00" * 32 + ">/U<" + "11" * 32 + ">"
    methods = f"/StmF/{stream_method}/StrF/{stream_method}/EFF/StdCF"
    entry = f"<</Filter/Standard/V 4/R 4/Length 128/P -4{secret}{filters}{methods}>>"
    return data.replace(b"/Root", f"/ID[<{'22' * 16}><{'22' * 16}>]/Encrypt {entry}/Root".encode(), 1)


def test_file_with_encrypted_attachments_only_is_read_with_a_warning() -> None:
    facts, texts = read(encrypt_entry(re.sub(rb"/ID\s*\[[^\]]*\]", b"", make_pdf()), "Identity"))
    assert (facts.warnings, texts) == (("encrypted-attachment",), [TEXT])


def test_file_with_encrypted_streams_is_refused() -> None:
    with pytest.raises(Encrypted):
        read(encrypt_entry(re.sub(rb"/ID\s*\[[^\]]*\]", b"", make_pdf()), "StdCF"))


def point_tree_at_page(data: bytes) -> bytes:
    page = re.search(rb"(\d+) 0 obj\s*<</Type/Page/", data)
    assert page is not None
    return re.sub(rb"/Pages \d+ 0 R", b"/Pages " + page[1] + b" 0 R", data)


def make_count_negative(data: bytes) -> bytes:
    return re.sub(rb"/Count \d+", b"/Count -1", data)


@pytest.mark.parametrize("damage", [point_tree_at_page, make_count_negative])
def test_file_with_a_broken_page_tree_is_repaired_with_a_warning(damage: Callable[[bytes], bytes]) -> None:
    facts, texts = read(damage(make_pdf()))
    assert (facts.warnings, texts) == (("repaired",), [TEXT])


def encrypt(user: str, owner: str, revision: Literal[4, 6]) -> bytes:
    written = io.BytesIO()
    with pikepdf.open(io.BytesIO(make_pdf())) as file:
        file.save(written, encryption=pikepdf.Encryption(user=user, owner=owner, R=revision))
    return written.getvalue()


@pytest.mark.parametrize(("user", "owner"), [("", "secret"), ("secret", "")])
def test_aes_256_with_one_empty_password_is_read(user: str, owner: str) -> None:
    assert read(encrypt(user, owner, 6)) == (read(make_pdf())[0], [TEXT])


@pytest.mark.parametrize(("owner", "revision"), [("other", 6), ("", 4)])
def test_file_that_needs_a_password_is_refused(owner: str, revision: Literal[4, 6]) -> None:
    with pytest.raises(Encrypted, match="wants a password"):
        read(encrypt("secret", owner, revision))


def test_file_encrypted_with_certificates_is_refused_as_such() -> None:
    entry = b"<</Filter/Adobe.PubSec/SubFilter/adbe.pkcs7.s5/V 4/Length 128>>"
    with pytest.raises(Encrypted, match="not read"):
        read(make_pdf().replace(b"/Root", b"/Encrypt " + entry + b"/Root", 1))


def test_file_without_its_table_of_objects_is_read_with_a_warning() -> None:
    facts, texts = read(make_pdf().replace(b"startxref", b"startxxxx"))
    assert (facts.warnings, texts) == (("repaired", "damaged"), [TEXT])


def test_file_that_ends_before_its_first_page_is_cut_off() -> None:
    with pytest.raises(Malformed, match="cut off"):
        read(make_pdf()[:60])


def test_file_without_any_page_stays_malformed() -> None:
    with pytest.raises(Malformed):
        read(b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n")


def test_pages_have_the_labels_of_the_file() -> None:
    file = pymupdf.open(stream=make_pdf(4))
    file.set_page_labels([{"startpage": 0, "style": "r"}, {"startpage": 2, "style": "D", "prefix": "A-"}])
    document = open_document(bytes(file.tobytes()), OPTIONS)
    labels = [document.read_page(number).content.label for number in range(1, 5)]
    document.close()
    assert labels == ["i", "ii", "A-1", "A-2"]


def test_page_without_label_in_the_file_has_none() -> None:
    document = open_document(make_pdf(), OPTIONS)
    label = document.read_page(1).content.label
    document.close()
    assert label is None
