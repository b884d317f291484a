"""Cards side by side and charts of the kinds since 2016: variants by seed."""

import random

import pytest

from quire.models.cdom.tree import BlockType
from tests.models.extract.flow_trees import read_tree, rows_of
from tests.models.extract.formats.sheets.workbooks import relations
from tests.models.extract.formats.slides.decks import deck, paragraph, shape, slide

KINDS = ("waterfall", "treemap", "sunburst", "funnel", "clusteredColumn", "boxWhisker", "regionMap", "paretoLine")
CX = "http://schemas.microsoft.com/office/drawing/2014/chartex"
MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"


@pytest.mark.parametrize("seed", range(20))
def test_cards_are_read_one_after_the_other(seed: int) -> None:
    chance = random.Random(seed)
    columns, has_price = chance.choice((2, 3)), chance.random() < 0.5
    width = 600 // columns
    heights = [30, 50, 180] if has_price else [30, 200]
    shapes = [shape(paragraph("Title"), kind="title", box=(40, 20, 600, 60))]
    wanted: list[list[str]] = [[] for _ in range(columns)]
    parts = [(row, column) for row in range(len(heights)) for column in range(columns)]
    chance.shuffle(parts)
    for row, column in parts:
        top = 110 + sum(heights[:row]) + 4 * row
        box = (40 + column * width + chance.randrange(3), top, width - 20, heights[row])
        shapes.append(shape(paragraph(f"c{column}r{row}"), box=box))
    for column in range(columns):
        wanted[column] = [f"c{column}r{row}" for row in range(len(heights))]

    tree = read_tree(deck(slide(*shapes)))

    assert [block.text for block in tree.blocks] == ["Title", *(text for card in wanted for text in card)]


def test_grid_of_equal_shapes_is_read_in_rows() -> None:
    shapes = [shape(paragraph(f"{x}{y}"), box=(40 + 300 * x, 40 + 200 * y, 280, 180)) for y in (0, 1) for x in (0, 1)]

    assert [block.text for block in read_tree(deck(slide(*shapes))).blocks] == ["00", "10", "01", "11"]


@pytest.mark.parametrize("seed", range(20))
def test_new_charts_have_their_data(seed: int) -> None:
    chance = random.Random(seed)
    names = chance.sample(["Opening", "Gain", "Loss", "Closing", "Норд", "東"], chance.choice((2, 3, 5)))
    values = [str(chance.randrange(500)) for _ in names]
    labels = "".join(f'<cx:pt idx="{n}">{name}</cx:pt>' for n, name in enumerate(names))
    numbers = "".join(f'<cx:pt idx="{n}">{value}</cx:pt>' for n, value in enumerate(values))
    chart = (
        f'<cx:chartSpace xmlns:cx="{CX}"><cx:chartData><cx:data id="4"><cx:strDim type="cat"><cx:lvl>{labels}</cx:lvl>'
        f'</cx:strDim><cx:numDim type="val"><cx:lvl>{numbers}</cx:lvl></cx:numDim></cx:data></cx:chartData><cx:chart>'
        "<cx:title><cx:tx><cx:txData><cx:v>Bridge</cx:v></cx:txData></cx:tx></cx:title><cx:plotArea><cx:plotAreaRegion>"
        f'<cx:series layoutId="{chance.choice(KINDS)}"><cx:tx><cx:txData><cx:v>Cash</cx:v></cx:txData></cx:tx>'
        '<cx:dataId val="4"/></cx:series></cx:plotAreaRegion></cx:plotArea></cx:chart></cx:chartSpace>'
    )
    frame = (
        '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="9" name="c"/></p:nvGraphicFramePr><a:graphic><a:graphicData>'
        f'<cx:chart xmlns:cx="{CX}" r:id="k"/></a:graphicData></a:graphic></p:graphicFrame>'
    )
    if chance.random() < 0.5:
        frame = (
            f'<mc:AlternateContent xmlns:mc="{MC}"><mc:Choice>{frame}</mc:Choice><mc:Fallback/></mc:AlternateContent>'
        )
    more: dict[str, str | bytes] = {
        "ppt/slides/_rels/slide1.xml.rels": relations(("k", "chartEx", "../charts/chartEx1.xml")),
        "ppt/charts/chartEx1.xml": chart,
    }

    tree = read_tree(deck(slide(frame), more=more))

    caption, picture = tree.blocks
    assert (caption.type, caption.text, caption.parent) == (BlockType.CAPTION, "Bridge", picture.id)
    assert rows_of(picture) == [["", "Cash"], *([name, value] for name, value in zip(names, values, strict=True))]
