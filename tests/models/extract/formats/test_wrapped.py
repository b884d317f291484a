"""Files that wrap another: signed files and mails, and iWork packages with a preview."""

import bz2
import gzip
import lzma
from base64 import b64encode

import pymupdf
import pytest

from quire.models.cdom.errors import Malformed, ResourceLimit, UnsupportedFormat
from quire.models.cdom.original import Format
from quire.models.extract.formats.flow.document import embedded_of
from quire.models.extract.formats.sniffing.signatures import check_head, sniff
from quire.models.extract.registry import open_document
from tests.actors.sandbox.test_every_format import tarred
from tests.models.extract.flow_trees import DEFAULTS, read_tree, texts, zipped
from tests.models.extract.formats.common.signed import OID_ENVELOPED, OID_SIGNED, signed

CSV = b"name;price\nlamp;12\ntable;99\n"
MAIL = b"Content-Type: text/plain; charset=utf-8\r\n\r\nGr\xc3\xbc\xc3\x9fe\r\n"


def make_mail(part: bytes, kind: str = "signed-data") -> bytes:
    head = b"From: a@b.org\nSubject: Signed\nContent-Type: application/pkcs7-mime; smime-type=%s; name=smime.p7m\n"
    return head % kind.encode() + b"Content-Transfer-Encoding: base64\n\n" + b64encode(part)


@pytest.mark.parametrize("wrap", [signed, lambda data: signed(data, pieces=3), lambda data: b64encode(signed(data))])
def test_signed_file_is_read_as_its_content(wrap) -> None:  # type: ignore[no-untyped-def]
    data = wrap(CSV * 10)
    tree = read_tree(data)
    assert sniff(data) is Format.CSV
    check_head(data[:100])
    assert tree.blocks[0].table is not None
    assert tree.blocks[0].table.rows == 30
    assert tree.coverage is not None
    assert tree.coverage.complete


def test_signature_apart_from_its_file_is_refused_with_advice() -> None:
    with pytest.raises(UnsupportedFormat, match="signature apart from its file is not read; send the signed file"):
        read_tree(signed(None))


def test_body_of_a_signed_mail_is_read() -> None:
    tree = read_tree(make_mail(signed(MAIL)))
    assert texts(tree)[-1] == "Grüße"
    assert tree.warnings == ()
    assert tree.coverage is not None
    assert tree.coverage.complete


def test_encrypted_mail_is_reported() -> None:
    tree = read_tree(make_mail(signed(MAIL).replace(OID_SIGNED, OID_ENVELOPED), "enveloped-data"))
    assert [warning.code for warning in tree.warnings] == ["encrypted-part"]


def test_signed_content_of_a_mail_alone_is_read_as_a_mail() -> None:
    assert texts(read_tree(signed(MAIL))) == ["Grüße"]


def test_signature_of_a_clear_signed_mail_is_no_attachment() -> None:
    parts = "Content-Type: text/plain\n\nHello\n--B\nContent-Type: application/pkcs7-signature; name=smime.p7s\n\nMIIC"
    mail = f"From: a@b.org\nSubject: x\nContent-Type: multipart/signed; boundary=B\n\n--B\n{parts}\n--B--\n"
    document = open_document(mail.encode(), DEFAULTS)
    assert embedded_of(document) == ()


def test_preview_of_an_iwork_package_is_read() -> None:
    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((72, 72), "The preview of the whole document")
        preview = pdf.tobytes()
    package = zipped({"index.apxl": "x", "QuickLook/Preview.pdf": preview})
    tree = read_tree(package)
    assert sniff(package) is Format.PDF
    assert texts(tree) == ["The preview of the whole document"]


def test_iwork_package_without_a_preview_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedFormat, match="Apple iWork"):
        read_tree(zipped({"Index/Document.iwa": "x"}))


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_packed_file_is_read_as_the_file_inside(pack) -> None:  # type: ignore[no-untyped-def]
    data = pack(CSV * 10)
    assert sniff(data) is Format.CSV
    check_head(data[:4096])
    tree = read_tree(data)
    assert tree.blocks[0].table is not None
    assert tree.coverage is not None
    assert tree.coverage.complete
    assert texts(read_tree(pack(b"Hello ") + pack(b"world"))) == ["Hello world"]


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_packed_file_is_bounded_and_whole(pack) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ResourceLimit):
        read_tree(pack(b" a" * 10_000_000))
    with pytest.raises(Malformed):
        read_tree(pack(bytes(range(256)) * 400)[:-12])
    with pytest.raises(UnsupportedFormat, match="packed twice"):
        read_tree(pack(pack(b"text")))


def test_tar_archive_lists_its_members_and_leaves_out_unsafe_ones() -> None:
    data = tarred({"a/b.txt": b"words", "../evil": b"x", "./c.csv": CSV, "a//b.txt": b""})
    document = open_document(data, DEFAULTS)
    assert [(file.path, file.data) for file in embedded_of(document)] == [("a/b.txt", b"words"), ("c.csv", CSV)]
    assert document.read_page(1).content.warnings == ("member-left-out",)
    assert texts(read_tree(gzip.compress(tarred({"a.txt": b"b"})))) == ["a.txt"]
    with pytest.raises(Malformed):
        open_document(data[:700], DEFAULTS)
