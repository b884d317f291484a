"""Pictures of flowing formats are recognised: variants by seed, over formats, sizes, places and languages."""

import base64
import io
import random
from collections.abc import Callable
from email.message import EmailMessage
from functools import cache

import docx
import pytest
from PIL import Image, ImageDraw, ImageFont

from quire.actors.reading.page_spool import PixelStore
from quire.actors.reading.pending_ocr import PendingOcr
from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.cdom.ports import PixelPage, RecognisePages
from quire.models.cdom.tree import BlockType, Source, Tree
from quire.models.extract.contract import PICTURE_NUMBERS
from quire.models.extract.registry import open_document
from quire.models.neural.ocr import make_recogniser
from tests.models.extract.flow_trees import zipped
from tests.models.extract.formats.slides.decks import deck, slide

pytestmark = pytest.mark.long

LINES = (
    ("The monthly rent is 480 euros", "Payable on the third day", "of each month in advance"),
    ("Der Vertrag endet am 31. Mai", "Die Miete beträgt 320 Euro", "zahlbar im Voraus"),
    ("Le loyer est de 510 euros", "payable le premier du mois", "par virement bancaire"),
    ("Invoice number 20418", "Total amount due 94.60", "within fourteen days"),
)


def draw(lines: tuple[str, ...], width: int, size: int, kind: str) -> bytes:
    font = ImageFont.truetype("DejaVuSans.ttf", size)
    height = (len(lines) * 2 + 1) * size
    picture = Image.new("RGB", (width, max(height, width if kind == "TIFF" else height)), "white")
    paper = ImageDraw.Draw(picture)
    for number, line in enumerate(lines):
        paper.text((size, size + number * 2 * size), line, "black", font)
    out = io.BytesIO()
    picture.save(out, kind)
    return out.getvalue()


def in_docx(picture: bytes, text: str, kind: str) -> bytes:
    document, out = docx.Document(), io.BytesIO()
    if text:
        document.add_paragraph(text)
    document.add_picture(io.BytesIO(picture), width=4_000_000)
    document.save(out)
    return out.getvalue()


def in_cell(picture: bytes, text: str, kind: str) -> bytes:
    document, out = docx.Document(), io.BytesIO()
    cell = document.add_table(1, 2).cell(0, 1)
    cell.text = text
    cell.paragraphs[0].add_run().add_picture(io.BytesIO(picture), width=3_000_000)
    document.save(out)
    return out.getvalue()


def in_html(picture: bytes, text: str, kind: str) -> bytes:
    coded = base64.b64encode(picture).decode()
    return f'<html><body><p>{text}</p><img src="data:image/{kind.lower()};base64,{coded}"></body></html>'.encode()


def in_mail(picture: bytes, text: str, kind: str) -> bytes:
    mail = EmailMessage()
    mail["Subject"], mail["From"], mail["To"] = "Scan", "a@example.org", "b@example.org"
    mail.set_content(text or " ")
    mail.add_alternative(f'<p>{text}</p><img src="cid:p1">', subtype="html")
    parts = mail.get_payload()
    assert isinstance(parts, list)
    assert isinstance(parts[1], EmailMessage)
    parts[1].add_related(picture, "image", kind.lower(), cid="<p1>")
    return mail.as_bytes()


def in_deck(picture: bytes, text: str, kind: str) -> bytes:
    shown = (
        "<p:pic><p:nvPicPr><p:cNvPr id='4' name='p'/><p:cNvPicPr/><p:nvPr/></p:nvPicPr><p:blipFill>"
        '<a:blip r:embed="rId9"/></p:blipFill><p:spPr><a:xfrm><a:off x="0" y="0"/>'
        '<a:ext cx="9144000" cy="6858000"/></a:xfrm></p:spPr></p:pic>'
    )
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId9" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="../media/i.'
        f'{kind.lower()}"/></Relationships>'
    )
    del text
    more: dict[str, str | bytes] = {
        "ppt/slides/_rels/slide1.xml.rels": relations, f"ppt/media/i.{kind.lower()}": picture,
    }  # fmt: skip
    return deck(slide(shown), more=more)


def in_epub(picture: bytes, text: str, kind: str) -> bytes:
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container><rootfiles><rootfile full-path="o.opf"/></rootfiles></container>',
            "o.opf": (
                '<package xmlns="http://www.idpf.org/2007/opf"><manifest>'
                '<item id="c" href="c.xhtml" media-type="application/xhtml+xml"/>'
                f'<item id="i" href="i.{kind.lower()}" media-type="image/{kind.lower()}"/></manifest>'
                '<spine><itemref idref="c"/></spine></package>'
            ),
            "c.xhtml": f'<html><body><p>{text}</p><img src="i.{kind.lower()}"/></body></html>',
            f"i.{kind.lower()}": picture,
        }
    )


MAKERS: tuple[Callable[[bytes, str, str], bytes], ...] = (in_docx, in_cell, in_html, in_mail, in_deck, in_epub)


@cache
def recogniser() -> RecognisePages:
    return make_recogniser()


def read_with_pictures(data: bytes, options: ReadOptions) -> tuple[Tree, int]:
    """Read as the product does, without a sandbox; and the number of pictures that were recognised."""
    document = open_document(data, options)
    pixels, contents = PixelStore(), []
    for number in document.facts.page_numbers:
        read = document.read_page(number)
        contents.append(read.content)
        for k, page in enumerate(read.pictures, start=1):
            pixels.put(
                PixelPage(number=number + k * PICTURE_NUMBERS, image=page.image, width=page.width, height=page.height)
            )
    source = Source(format=document.facts.format.value, sha256="", bytes=len(data))
    waiting = PendingOcr(
        facts=document.facts, contents=tuple(contents), pixels=pixels, assets={}, source=source, options=options
    )
    pages = recogniser().recognise_pages(list(pixels), (), 100.0) if len(pixels) else []
    outcome = waiting.finish(pages)
    assert outcome.tree is not None
    return outcome.tree, len(pixels)


@pytest.mark.parametrize("seed", range(24))
def test_pictures_are_recognised_in_every_format(seed: int) -> None:
    chance = random.Random(seed)
    lines: tuple[str, ...] = chance.choice(LINES)
    lines = lines[: chance.choice((1, 2, 3))]
    text = chance.choice(("", "A short line.", "Words around the picture. " * 12))
    kind = chance.choice(("PNG", "JPEG"))
    picture = draw(lines, chance.choice((700, 1000, 1400)), chance.choice((22, 28, 36)), kind)
    data = MAKERS[seed % len(MAKERS)](picture, text, kind)

    tree, count = read_with_pictures(data, ReadOptions())

    assert count == 1
    read = " ".join(block.text for block in tree.blocks)
    words = {word for line in lines for word in line.split()}
    assert len([word for word in words if word in read]) >= 0.9 * len(words), read
    assert tree.coverage is not None
    assert tree.coverage.complete
    assert tree.coverage.pictures.recognised == 1


@pytest.mark.parametrize("maker", MAKERS)
def test_page_that_is_a_picture_is_not_complete_without_recogniser(maker: Callable[[bytes, str, str], bytes]) -> None:
    data = maker(draw(LINES[0], 1000, 36, "PNG"), "", "PNG")

    tree, count = read_with_pictures(data, ReadOptions(ocr=OcrMode.NEVER))

    assert count == 0
    assert tree.coverage is not None
    assert not tree.coverage.complete


def test_photograph_and_icon_are_not_recognised() -> None:
    noise = Image.effect_noise((50, 40), 200).convert("RGB").resize((500, 400), Image.Resampling.BICUBIC)
    out = io.BytesIO()
    noise.save(out, "PNG")

    _, count = read_with_pictures(in_html(out.getvalue(), "Text.", "PNG"), ReadOptions())

    assert count == 0


def test_picture_text_is_below_its_picture() -> None:
    tree, _ = read_with_pictures(in_docx(draw(LINES[3], 1000, 30, "PNG"), "Before.", "PNG"), ReadOptions())

    picture = next(block for block in tree.blocks if block.type is BlockType.PICTURE)
    inside = [block for block in tree.blocks if block.parent == picture.id]
    assert any("20418" in block.text for block in inside)
