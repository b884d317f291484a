"""Cut files of formats with an end: refused or reported, at any point; whole ones of loose makers stay complete."""

import io
import random
import struct
import zipfile
from collections.abc import Callable

import pytest
from PIL import Image

from quire.models.cdom.errors import ExtractError, Malformed
from quire.models.cdom.original import Format, OcrMode, ReadOptions
from quire.models.cdom.tree import PageStatus, Tree
from quire.models.extract.coverage.stated.endings import is_cut_off
from tests.models.extract.flow_trees import read_tree
from tests.models.extract.formats.common.compound_files import compound
from tests.models.extract.formats.pdf.paper import LOREM
from tests.models.extract.formats.word.docx.files import make_docx, paragraph

CUTS = 5
WORDS = LOREM.replace(".", "").split()
OPTIONS = ReadOptions(ocr=OcrMode.NEVER)


def lines(seed: int) -> list[str]:
    chance = random.Random(seed)
    return [" ".join(chance.choices(WORDS, k=7)) for _ in range(chance.randint(3, 40))]


def write_docx(seed: int) -> bytes:
    return make_docx("".join(paragraph(line) for line in lines(seed)))


def write_docx_with_workbook(seed: int) -> bytes:
    """A package at whose end another package is stored as it is, as a chart's data are."""
    inner, outer = io.BytesIO(), io.BytesIO(write_docx(seed))
    with zipfile.ZipFile(inner, "w") as package:
        package.writestr("note.txt", "\n".join(lines(seed + 1)))
    with zipfile.ZipFile(outer, "a", zipfile.ZIP_STORED) as package:
        package.writestr("word/embeddings/data.zip", inner.getvalue())
    return outer.getvalue()


def write_zip(seed: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        for number, line in enumerate(lines(seed)):
            package.writestr(f"{number}.txt", line)
    return out.getvalue()


def write_page(seed: int) -> bytes:
    body = "".join(f"<p>{line}</p>\n" for line in lines(seed))
    return f"<!DOCTYPE html><html><head><title>t</title></head><body>{body}</body></html>\n".encode()


def write_page_part(seed: int) -> bytes:
    return (
        "<h1>Report</h1><table>" + "".join(f"<tr><td>{line}</td></tr>" for line in lines(seed)) + "</table>"
    ).encode()


def write_rtf(seed: int) -> bytes:
    return ("{\\rtf1\\ansi {\\b Report}\\par " + "\\par\n".join(lines(seed)) + "\\par}").encode()


def write_article(seed: int) -> bytes:
    title = "<front><article-meta><title-group><article-title>T</article-title></title-group></article-meta></front>"
    body = "".join(f"<p>{line}</p>" for line in lines(seed))
    return f'<?xml version="1.0"?><!DOCTYPE article><article>{title}<body>{body}</body></article>'.encode()


def write_drawing(seed: int) -> bytes:
    texts = "".join(f'<text x="5" y="{20 * n}">{line}</text>' for n, line in enumerate(lines(seed)))
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="400" height="900">{texts}</svg>'.encode()


def write_mail(seed: int) -> bytes:
    text = "\r\n".join(lines(seed))
    page = "".join(f"<p>{line}</p>" for line in lines(seed))
    head = 'From: a@example.org\r\nSubject: quay\r\nContent-Type: multipart/alternative; boundary="b1"\r\n\r\n'
    plain, html = f"--b1\r\n\r\n{text}\r\n", f"--b1\r\nContent-Type: text/html\r\n\r\n<html>{page}</html>\r\n"
    return f"{head}{plain}{html}--b1--\r\n".encode()


def write_picture(form: str, seed: int) -> bytes:
    out = io.BytesIO()
    Image.effect_noise((60 + seed, 50), 60).save(out, form)
    return out.getvalue()


MAKERS: dict[str, Callable[[int], bytes]] = {
    "docx": write_docx,
    "docx-with-package": write_docx_with_workbook,
    "zip": write_zip,
    "html": write_page,
    "html-part": write_page_part,
    "rtf": write_rtf,
    "jats": write_article,
    "svg": write_drawing,
    "eml": write_mail,
    **{
        form: lambda seed, form=form: write_picture(form, seed)  # type: ignore[misc]
        for form in ("png", "jpeg", "gif", "webp", "tiff", "bmp")
    },
}


def text_of(tree: Tree) -> str:
    cells = [cell.text for block in tree.blocks if block.table for cell in block.table.cells]
    return "\n".join([*(block.text for block in tree.blocks), *cells])


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("maker", MAKERS)
def test_cut_file_is_refused_or_reported(maker: str, seed: int) -> None:
    data, chance = MAKERS[maker](seed), random.Random(seed)
    whole = read_tree(data, OPTIONS)
    assert whole.describe_damage() is None
    wrong = []
    for part in range(CUTS):
        end = int(len(data) * (part + chance.random()) / CUTS)
        try:
            tree = read_tree(data[:end], OPTIONS)
        except ExtractError:
            continue
        is_lost = text_of(tree) != text_of(whole) or any(page.status is PageStatus.FAILED for page in tree.pages)
        if tree.source.format == Format.TXT or not is_lost:  # what is left of a first line is a text
            continue
        assert tree.coverage is not None
        if tree.coverage.complete or (tree.describe_damage() is None and tree.pages[0].status is PageStatus.OK):
            wrong.append((end, len(data)))
    assert wrong == []


LOOSE: dict[str, tuple[bytes, Format]] = {
    "page-without-optional-ends": (b"<p>one<p>two<ul><li>a<li>b</ul>", Format.HTML),
    "page-closed-by-its-body": (b"<html><body><div><p>one</body>", Format.HTML),
    "comment-at-the-end": (b"<html><body>x</body></html><!-- made by hand -->", Format.HTML),
    "rtf-with-text-after": (b"{\\rtf1 a \\{ b}\r\n\0\0", Format.RTF),
    "rtf-with-bytes": (b"{\\rtf1 {\\pict\\bin3 {{{}}", Format.RTF),
    "plain-mail": (b"From: a@example.org\n\nno end", Format.EML),
    "mail-with-text-after": (b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n--b--\nlist footer", Format.EML),
    "latin-1": (b"caf\xe9 au lait, d\xe9j\xe0", Format.TXT),
    "utf-8": ("déjà".encode(), Format.TXT),
    "inch-signs": (b'a,5" pipe\nb,7" pipe\nc,9" pipe\n', Format.CSV),
    "quoted-cells": (b'a,"x ""y"" z"\n"b\nc",d\n', Format.CSV),
}


@pytest.mark.parametrize("name", LOOSE)
def test_whole_file_of_a_loose_maker_is_not_cut(name: str) -> None:
    assert not is_cut_off(*LOOSE[name])


CUT: dict[str, tuple[bytes, Format]] = {
    "inside-a-character": ("déjà".encode()[:-1], Format.TXT),
    "inside-a-wide-character": ("\ufeffdéjà".encode("utf-16-le")[:-1], Format.TXT),
    "inside-a-cell": (b'a,"x\nb', Format.CSV),
    "inside-a-tag": (b"<p>one</p><p cla", Format.HTML),
    "inside-a-comment": (b"<html></html><!-- begun", Format.HTML),
    "inside-a-header": (b"From: a@example.org\nSubj", Format.EML),
    "inside-base64": (b"From: a@example.org\nContent-Transfer-Encoding: base64\n\nQUJDRE", Format.EML),
    "page-of-a-mail": (b"Content-Type: text/html\n\n<html><p>one", Format.EML),
}


@pytest.mark.parametrize("name", CUT)
def test_file_that_ends_inside_something_is_cut(name: str) -> None:
    assert is_cut_off(*CUT[name])


def test_text_cut_between_two_characters_has_no_sign_of_it() -> None:
    assert not is_cut_off(b"The harb", Format.TXT)


def test_compound_file_without_a_sector_that_it_uses_is_cut() -> None:
    data = compound({("WordDocument",): b"x" * 5000})
    assert not is_cut_off(data, Format.DOC)
    free = data.index(struct.pack("<II", 0xFFFFFFFD, 0xFFFFFFFF)) + 4
    assert is_cut_off(data[:free] + struct.pack("<I", 0xFFFFFFFE) + data[free + 4 :], Format.DOC)


def test_package_with_bytes_before_and_after_it_is_whole() -> None:
    data = write_docx(1)
    assert read_tree(data + b"\0" * 30, OPTIONS).blocks
    with pytest.raises(Malformed, match="cut off"):
        read_tree(data[:-30], OPTIONS)
