"""A scan with a foreign text layer: the layer is not trusted as the content of the pixels."""

import io

import pymupdf
import pytest
from PIL import Image

from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.cdom.tree import Tree
from quire.models.neural.embed.tokenizer import load_tokenizer
from quire.models.pii.engines.choose import make_flagger
from quire.models.pii.paint import view_page
from tests.security.canaries import Case
from tests.security.redacted import outputs, read

SEEN = ["Report of the year", "Please write to canary.seen@mail.example.com soon.", "Nothing else is in this letter."]
LAYER = "Please write to canary.layer@mail.example.com soon."
FLAG = make_flagger("regex")


@pytest.fixture
def scan() -> Case:
    """Its pixels are blank; what they show is what the scripted recogniser says."""
    picture = io.BytesIO()
    Image.new("RGB", (600, 800), "white").save(picture, "PNG")
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_image(page.rect, stream=picture.getvalue())
        page.insert_text((72, 100), LAYER, render_mode=3)
        return Case(kind="pdf", data=document.tobytes(), lines=SEEN)


def text_of(tree: Tree) -> str:
    return "\n".join(block.text for block in tree.blocks)


def test_searchable_scan_is_recognised_and_its_flagged_blocks_are_black(scan: Case) -> None:
    scanned = FLAG(read(scan))
    assert "canary.seen@mail.example.com" in text_of(scanned)
    assert not any(HIDDEN_TEXT in block.flags for block in scanned.blocks)
    view = view_page(scanned, {}, 1)
    assert view.shown
    assert view.hidden
    assert not view.blank


def test_redacted_outputs_contain_neither_visible_nor_layer_text(scan: Case) -> None:
    for name, data, _ in outputs(FLAG(read(scan)), load_tokenizer()):
        assert b"canary" not in data, name


def test_without_a_recogniser_the_layer_is_masked_and_the_picture_is_white(scan: Case) -> None:
    scanned = FLAG(read(scan, ReadOptions(ocr=OcrMode.NEVER)))
    assert all(HIDDEN_TEXT in block.flags for block in scanned.blocks if block.text)
    assert "canary.layer@mail.example.com" in text_of(scanned)
    assert view_page(scanned, {}, 1).shown == ()
    for name, data, _ in outputs(scanned, load_tokenizer()):
        assert b"canary" not in data, name
