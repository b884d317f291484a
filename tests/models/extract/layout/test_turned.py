"""Text that runs up, down or upside down: read as on an upright page, in its place on the page as it is."""

import pytest

from quire.models.cdom.tree import BlockType, Tree
from quire.models.extract.formats.pdf.engine import pymupdf
from tests.models.extract.formats.pdf.paper import Paper, of_type, read_tree
from tests.models.extract.formats.pdf.test_tables import rows_of

ROWS = [
    ["Ship", "Flag", "Tons", "Dues"],
    ["Alba", "Norway", "1,204", "88.10"],
    ["Berta", "Spain", "930", "71.00"],
    ["Cora", "Malta", "15,030", "902.55"],
    ["Dora", "Italy", "77", "5.20"],
    ["Total", "", "17,241", "1,066.85"],
]
WIDTH, HEIGHT = 600, 420


def upright(ruled: bool, prose: bool = True) -> bytes:
    paper = Paper(WIDTH, HEIGHT)
    if prose:
        paper.text(50, 40, "Harbour dues by ship", 14, "hebo").prose(50, 240, 8, 90)
    for line, row in enumerate(ROWS):
        for x, text in zip((60, 180, 300, 420), row, strict=True):
            paper.text(x, 80 + 22 * line, text, 10)
    for line in range(len(ROWS) + 1 if ruled else 0):
        paper.rule(50, 65 + 22 * line, 520, 65 + 22 * line)
    for x in (50, 170, 290, 410, 520) if ruled else ():
        paper.rule(x, 65, x, 65 + 22 * len(ROWS))
    return paper.save()


def turned(data: bytes, degrees: int) -> bytes:
    """Return the content painted turned, on a page that is not."""
    with pymupdf.open() as made, pymupdf.open(stream=data) as original:
        width, height = (HEIGHT, WIDTH) if degrees % 180 else (WIDTH, HEIGHT)
        page = made.new_page(width=width, height=height)
        page.show_pdf_page(page.rect, original, 0, rotate=degrees)
        return bytes(made.tobytes())


def table_rows(tree: Tree) -> list[list[str]]:
    (block,) = of_type(tree, BlockType.TABLE)
    return rows_of(block.table)


@pytest.mark.parametrize("ruled", [True, False], ids=["ruled", "open"])
@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_page_with_turned_text_reads_like_an_upright_page(degrees: int, ruled: bool) -> None:
    level, tree = read_tree(upright(ruled)), read_tree(turned(upright(ruled), degrees))
    assert [(block.type, block.text) for block in tree.blocks] == [(block.type, block.text) for block in level.blocks]
    assert table_rows(tree) == ROWS
    assert tree.coverage is not None
    assert tree.coverage.complete


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_boxes_of_turned_text_are_at_its_visible_place(degrees: int) -> None:
    data = turned(upright(ruled=True), degrees)
    (block,) = of_type(read_tree(data), BlockType.TABLE)
    assert block.table is not None
    with pymupdf.open(stream=data) as document:
        for cell in block.table.cells:
            if cell.text:
                assert cell.bbox is not None
                assert document[0].get_textbox(pymupdf.Rect(cell.bbox)).split() == cell.text.split()


@pytest.mark.parametrize("degrees", [90, 270])
@pytest.mark.parametrize("ruled", [True, False], ids=["ruled", "open"])
def test_table_on_its_side_is_found_on_page_of_upright_text(degrees: int, ruled: bool) -> None:
    paper = Paper(600, 800)
    with pymupdf.open(stream=upright(ruled, prose=False)) as original:
        clip = pymupdf.Rect(45, 60, 525, 200)
        paper.page.show_pdf_page(pymupdf.Rect(50, 400, 200, 780), original, 0, rotate=degrees, clip=clip)
    paper.prose(50, 60, 22, 90)
    tree = paper.read()
    assert table_rows(tree) == ROWS
    assert [block.type for block in tree.blocks] == [BlockType.PARAGRAPH, BlockType.TABLE]


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_the_turn_of_a_page_itself_changes_nothing(degrees: int) -> None:
    with pymupdf.open(stream=upright(ruled=True)) as document:
        document[0].set_rotation(degrees)
        tree = read_tree(bytes(document.tobytes()))
    assert table_rows(tree) == ROWS


def test_a_table_on_its_side_continues_over_pages() -> None:
    with pymupdf.open() as made, pymupdf.open(stream=upright(ruled=True, prose=False)) as original:
        for _ in range(2):
            page = made.new_page(width=HEIGHT, height=WIDTH)
            page.show_pdf_page(page.rect, original, 0, rotate=90)
        tree = read_tree(bytes(made.tobytes()))
    assert table_rows(tree) == [*ROWS, *ROWS[1:]]


def test_stamp_along_margin_does_not_turn_page() -> None:
    paper = Paper()
    turn = (pymupdf.Point(20, 500), pymupdf.Matrix(90))
    paper.page.insert_text((20, 500), "arXiv:2101.00001v1 [cs.DL] 1 Jan 2021 and more of it", fontsize=14, morph=turn)
    paper.prose(60, 60, 6)
    first = next(block for block in paper.read().blocks if block.type is BlockType.PARAGRAPH)
    assert first.text.startswith("The quick brown fox")
    assert first.bbox is not None
    assert first.bbox[1] < 60


def test_a_mirrored_page_keeps_its_words() -> None:
    data = upright(ruled=False)
    with pymupdf.open(stream=data) as document:
        page = document[0]
        document.update_stream(
            page.get_contents()[0], b"-1 0 0 1 600 0 cm " + document.xref_stream(page.get_contents()[0])
        )
        mirrored = bytes(document.tobytes())
    tree = read_tree(mirrored)
    words = " ".join(block.text + " ".join(cell.text for cell in (block.table.cells if block.table else ()))
                     for block in tree.blocks).split()  # fmt: skip
    assert {"Norway", "15,030", "1,066.85"} <= set(words)
    assert tree.coverage is not None
    assert tree.coverage.characters.lost == 0
