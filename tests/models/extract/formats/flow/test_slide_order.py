"""Reading order on slides: grouped shapes stay together in PPTX and ODP."""

import pytest

from tests.models.extract.flow_trees import read_tree, texts
from tests.models.extract.formats.opendocument.test_odf import opendocument
from tests.models.extract.formats.slides.decks import deck, paragraph, shape, slide

BOXES = {
    "group top": (100, 100, 100, 50),
    "group bottom": (100, 300, 100, 50),
    "beside": (400, 150, 100, 50),
    "below": (100, 400, 100, 50),
}


def _pptx() -> bytes:
    shapes = [shape(paragraph(text), box=box) for text, box in BOXES.items()]
    group = f"<p:grpSp><p:grpSpPr/>{shapes[1]}{shapes[0]}</p:grpSp>"
    return deck(slide(shapes[3], group, shapes[2]))


def _odp() -> bytes:
    frames = [
        f'<draw:frame svg:x="{x}pt" svg:y="{y}pt" svg:width="{width}pt" svg:height="{height}pt">'
        f"<draw:text-box><text:p>{text}</text:p></draw:text-box></draw:frame>"
        for text, (x, y, width, height) in BOXES.items()
    ]
    group = f"<draw:g>{frames[1]}{frames[0]}</draw:g>"
    return opendocument("presentation", f"<draw:page>{frames[3]}{group}{frames[2]}</draw:page>")


@pytest.mark.parametrize("data", [_pptx(), _odp()], ids=["pptx", "odp"])
def test_shapes_of_a_group_are_not_interleaved_with_their_neighbours(data: bytes) -> None:
    assert texts(read_tree(data)) == ["group top", "group bottom", "beside", "below"]
