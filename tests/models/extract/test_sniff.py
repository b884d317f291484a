"""Formats by their first bytes."""

import io
import zipfile

import pytest
from PIL import Image

from models.cdom.errors import UnsupportedFormat
from models.cdom.original import Format
from models.extract.readers.sniff import sniff


def make_zip(*names: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        for name in names:
            package.writestr(name, "x")
    return out.getvalue()


@pytest.mark.parametrize("kind", [Format.PNG, Format.JPEG, Format.WEBP, Format.BMP, Format.GIF, Format.TIFF])
def test_an_image_is_known_by_its_signature(kind: Format) -> None:
    out = io.BytesIO()
    Image.new("RGB", (4, 4)).save(out, kind.value.upper())
    assert sniff(out.getvalue()[:4096]) is kind


@pytest.mark.parametrize("before", [b"", b"\r\n", b"junk " * 200])
def test_a_pdf_header_may_stand_anywhere_in_the_first_kilobyte(before: bytes) -> None:
    assert sniff(before + b"%PDF-1.7\n") is Format.PDF


def test_a_pdf_header_after_the_first_kilobyte_is_none() -> None:
    with pytest.raises(UnsupportedFormat):
        sniff(b"x" * 2000 + b"%PDF-1.7\n")


@pytest.mark.parametrize(
    "names", [("[Content_Types].xml", "_rels/.rels", "word/document.xml"), ("word/document.xml",), ("_rels/.rels",)]
)
def test_a_word_package_is_known_by_its_parts(names: tuple[str, ...]) -> None:
    assert sniff(make_zip(*names)) is Format.DOCX


@pytest.mark.parametrize("names", [("[Content_Types].xml", "xl/workbook.xml"), ("ppt/slides.xml",), ("readme.txt",)])
def test_other_packages_are_refused(names: tuple[str, ...]) -> None:
    with pytest.raises(UnsupportedFormat):
        sniff(make_zip(*names))


@pytest.mark.parametrize("head", [b"", b"hello", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"RIFF0000WAVE", b"<html>"])
def test_anything_else_is_refused(head: bytes) -> None:
    with pytest.raises(UnsupportedFormat):
        sniff(head)
