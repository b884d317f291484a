"""Formats by their first bytes."""

import io
import zipfile

import pytest
from PIL import Image

from quire.models.cdom.errors import Encrypted, UnsupportedFormat
from quire.models.cdom.original import Format
from quire.models.extract.formats.sniffing.signatures import sniff


def make_zip(*names: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        for name in names:
            package.writestr(name, "x")
    return out.getvalue()


@pytest.mark.parametrize(
    "kind", [Format.PNG, Format.JPEG, Format.WEBP, Format.BMP, Format.GIF, Format.TIFF, Format.AVIF]
)
def test_an_image_is_known_by_its_signature(kind: Format) -> None:
    out = io.BytesIO()
    Image.new("RGB", (4, 4)).save(out, kind.value.upper())
    assert sniff(out.getvalue()[:4096]) is kind


@pytest.mark.parametrize("before", [b"", b"\r\n", b"junk " * 200])
def test_a_pdf_header_may_stand_anywhere_in_the_first_kilobyte(before: bytes) -> None:
    assert sniff(before + b"%PDF-1.7\n") is Format.PDF


def test_pdf_header_after_the_first_kilobyte_is_ignored() -> None:
    with pytest.raises(UnsupportedFormat):
        sniff(bytes(range(256)) * 8 + b"%PDF-1.7\n")


@pytest.mark.parametrize(
    "names", [("[Content_Types].xml", "_rels/.rels", "word/document.xml"), ("word/document.xml",), ("_rels/.rels",)]
)
def test_a_word_package_is_known_by_its_parts(names: tuple[str, ...]) -> None:
    assert sniff(make_zip(*names)) is Format.DOCX


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (("[Content_Types].xml", "xl/workbook.xml"), Format.XLSX),
        (("[Content_Types].xml", "xl/workbook.bin"), Format.XLSB),
        (("_rels/", "_rels/.rels", "docProps/app.xml", "word/document.xml"), Format.DOCX),
        (("customXml/item1.xml", "_rels/.rels", "ppt/presentation.xml"), Format.PPTX),
        (("content.xml", "META-INF/manifest.xml"), Format.ODT),
        (("META-INF/container.xml", "OEBPS/book.opf"), Format.EPUB),
        (("readme.txt", "word/of-the-day.txt"), Format.ZIP),
    ],
)
def test_a_package_is_known_by_its_directory(names: tuple[str, ...], found: Format) -> None:
    assert sniff(make_zip(*names)) is found


@pytest.mark.parametrize(
    ("stated", "found"),
    [("application/epub+zip", Format.EPUB), ("application/vnd.oasis.opendocument.spreadsheet", Format.ODS)],
)
def test_package_has_its_stated_type(stated: str, found: Format) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        package.writestr("mimetype", stated)
    assert sniff(out.getvalue()) is found


def make_compound(stream: str) -> bytes:
    """The signature of a compound file and one directory entry."""
    return (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".ljust(1024, b"\0") + stream.encode("utf-16-le")).ljust(2048, b"\0")


@pytest.mark.parametrize(
    ("stream", "found"),
    [("WordDocument", Format.DOC), ("Workbook", Format.XLS), ("PowerPoint Document", Format.PPT)],
)
def test_a_compound_file_is_known_by_its_streams(stream: str, found: Format) -> None:
    assert sniff(make_compound(stream)) is found


def test_an_office_package_under_a_password_is_encrypted() -> None:
    with pytest.raises(Encrypted):
        sniff(make_compound("EncryptedPackage"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<!-- c --><html>", Format.HTML), ("hello", Format.TXT), ("a;b\n1;2\n3;4\n", Format.CSV),
        ("# Head\n\n- a\n", Format.MARKDOWN),
        ("= Head\n:toc:\n\n|===\n|a\n|===\n", Format.ASCIIDOC),
        ("{\\rtf1 x}", Format.RTF),
        ("<article><front></front></article>", Format.JATS),
        ("From: a@b.c\nSubject: x\n\nbody", Format.EML),
        ("Note: this is\nno mail: it is text\n", Format.TXT),
        ('{"a": [1, 2]}', Format.TXT),
        ("Versand    7,50 €\nSumme    12,00 €\nPorto   1.002,10 €\n", Format.TXT),
        ("Room,Seats\nHall 1,50\nHall 2,20\n", Format.CSV),
    ],
)  # fmt: skip
def test_a_text_is_known_by_its_marks(text: str, found: Format) -> None:
    assert sniff(text.encode()) is found


@pytest.mark.parametrize("head", [b"", b"\0\1hello", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"RIFF0000WAVE\0\0\1"])
def test_anything_else_is_refused(head: bytes) -> None:
    with pytest.raises(UnsupportedFormat):
        sniff(head)
