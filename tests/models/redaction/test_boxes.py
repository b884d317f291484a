"""The exact place of a value on the page: the picture covers it and nothing next to it."""

from io import BytesIO

import pymupdf
import pytest
from PIL import Image

from quire.actors.reading.read_document import DocumentReader
from quire.actors.sandbox.limits import SandboxLimits
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.ports import PageMark
from quire.models.cdom.tree import Tree
from quire.models.extract.pipeline.plan import SCAN_LAYER
from quire.models.extract.registry import open_document
from quire.models.pii.flagging.flag import flag_tree
from quire.models.pii.paint import mark_values, paint_page, view_page
from quire.models.pii.patterns.kind_patterns import RegexDetector
from quire.models.pii.redact import Decisions
from quire.models.redaction.pdf.boxes import find_boxes
from quire.models.redaction.redact import redact_original
from tests.models.redaction.papers import SECRET, everything, in_text, read

LINES = (
    "The rope was measured twice before the crane was moved to the quay,",
    f"and {SECRET} was asked to come and see it with the others,",
    "who had been waiting since the morning for the ship to be unloaded.",
)


def a_letter(rotation: int = 0) -> bytes:
    with pymupdf.open() as document:
        page = document.new_page()
        for number, line in enumerate(LINES):
            page.insert_text((72, 100 + 20 * number), line)
        page.set_rotation(rotation)
        return bytes(document.tobytes())


def scanned(data: bytes) -> Tree:
    return flag_tree(read(data), RegexDetector())


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_the_box_is_the_values_own_and_not_its_paragraphs(rotation: int) -> None:
    data = a_letter(rotation)
    tree = scanned(data)
    marks = mark_values(tree, {}, 1)
    (((block, _), mark),) = marks.items()
    ((box,),) = find_boxes(data, 1, [mark])
    page = pymupdf.open(stream=data)[0]
    (true,) = (rect * page.rotation_matrix for rect in page.search_for(SECRET)) if rotation else page.search_for(SECRET)
    assert box == pytest.approx(tuple(true), abs=3)
    whole = next(one.bbox for one in tree.blocks if one.id == block)
    assert whole is not None
    assert (box[2] - box[0]) * (box[3] - box[1]) < (whole[2] - whole[0]) * (whole[3] - whole[1]) / 4


def test_the_words_around_a_covered_value_are_seen() -> None:
    data = a_letter()
    tree = scanned(data)
    marks = mark_values(tree, {}, 1)
    exact = dict(zip(marks, map(tuple, find_boxes(data, 1, list(marks.values()))), strict=True))
    document = open_document(data, ReadOptions())
    drawn = document.render_page(1, 144).png
    shown = Image.open(BytesIO(paint_page(drawn, tree.pages[0], view_page(tree, {}, 1, exact))))
    original = Image.open(BytesIO(drawn)).convert("RGB")
    (box,) = next(iter(exact.values()))
    inside = shown.crop((int(box[0] * 2), int(box[1] * 2), int(box[2] * 2), int(box[3] * 2)))
    assert inside.getcolors() == [(inside.width * inside.height, (0, 0, 0))]
    for area in ((144, 176, 900, 206), (int(box[2] * 2) + 8, 214, 900, 248), (144, 264, 900, 288)):
        assert shown.crop(area).tobytes() == original.crop(area).tobytes()
        assert (0, 0, 0) in {colour for _, colour in original.crop(area).getcolors(1 << 16) or ()}


def test_value_without_an_exact_match_hides_its_block() -> None:
    data = a_letter()
    tree = scanned(data)
    ((block, _),) = mark_values(tree, {}, 1)
    mark = PageMark((72.0, 80.0, 500.0, 160.0), "Other words 1234", ((12, 16),))
    assert find_boxes(data, 1, [mark]) == [[]]
    whole = next(one.bbox for one in tree.blocks if one.id == block)
    assert whole in view_page(tree, {}, 1, {(block, None): ()}).hidden


def test_a_rejected_value_is_neither_looked_for_nor_hidden() -> None:
    tree = scanned(a_letter())
    ((block, _),) = mark_values(tree, {}, 1)
    rejected: Decisions = {(block, "pii:email", 0): "rejected"}
    assert mark_values(tree, rejected, 1) == {}
    assert view_page(tree, rejected, 1).hidden == ()


def test_sandbox_draws_page_and_says_where_values_stand() -> None:
    reader = DocumentReader(SandboxLimits())
    try:
        marks = list(mark_values(scanned(a_letter()), {}, 1).values())
        image = reader.render(BytesIO(a_letter()), 1, 72, marks=marks)
        plain = reader.render(BytesIO(in_text()), 1, 72)
    finally:
        reader.close()
    assert image.boxes == tuple(tuple(map(tuple, boxes)) for boxes in find_boxes(a_letter(), 1, marks))
    assert plain.boxes == ()


def test_redacted_scan_holds_the_value_in_neither_picture_nor_layer() -> None:
    letter = pymupdf.open(stream=a_letter())
    words = [(word[:4], word[4]) for word in letter[0].get_text("words")]
    file = pymupdf.open()
    page = file.new_page()
    page.insert_image(page.rect, stream=letter[0].get_pixmap(dpi=100).tobytes("jpeg"))
    for box, word in words:
        page.insert_text((box[0], box[3] - 3), word, fontsize=11, render_mode=3)
    data = bytes(file.tobytes())
    tree = scanned(data)
    assert tree.pages[0].reason == SCAN_LAYER
    redacted = redact_original(data, tree, {}, read)
    assert SECRET not in everything(redacted)
    (secret,) = [pymupdf.Rect(box) for box, word in words if SECRET in word]
    inner = pymupdf.Rect(secret.x0 + 2, secret.y0 + 3, secret.x1 - 2, secret.y1 - 3)
    before, after = (
        len(set(pymupdf.open(stream=made)[0].get_pixmap(clip=inner, dpi=100).samples)) for made in (data, redacted)
    )
    assert (before > 20, after < 5) == (True, True)
