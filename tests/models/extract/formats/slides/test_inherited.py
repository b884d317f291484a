"""Content that a slide inherits or refers to: layout and master, charts, diagrams, formulas, links, pictures."""

from random import Random

import pytest

from quire.models.cdom.tree import Block, BlockType, Tree
from tests.models.extract.flow_trees import of_type, read_tree, rows_of, texts
from tests.models.extract.formats.image.pictures import corner, encode
from tests.models.extract.formats.sheets.workbooks import R, relations
from tests.models.extract.formats.slides.decks import NAMES, deck, paragraph, shape, slide

RELS = "ppt/slides/_rels/slide1.xml.rels"
C = "http://schemas.openxmlformats.org/drawingml/2006/chart"
DGM = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"
M = "http://schemas.openxmlformats.org/officeDocument/2006/math"
PNG = encode(corner(), "PNG")
A14 = "http://schemas.microsoft.com/office/drawing/2010/main"


def _with_layout(body: str, *, layout: str = "", styles: str = "") -> Tree:
    """A slide below a layout with that shape tree and a master with those text styles."""
    more: dict[str, str | bytes] = {
        RELS: relations(("l", "slideLayout", "../slideLayouts/l1.xml")),
        "ppt/slideLayouts/l1.xml": f"<p:sldLayout {NAMES}><p:cSld><p:spTree>{layout}</p:spTree></p:cSld></p:sldLayout>",
        "ppt/slideLayouts/_rels/l1.xml.rels": relations(("m", "slideMaster", "../slideMasters/m1.xml")),
        "ppt/slideMasters/m1.xml": f"<p:sldMaster {NAMES}><p:txStyles>{styles}</p:txStyles></p:sldMaster>",
    }
    return read_tree(deck(slide(body), more=more))


def _frame(content: str, *, description: str = "") -> str:
    name = f'<p:nvGraphicFramePr><p:cNvPr id="2" name="g" descr="{description}"/></p:nvGraphicFramePr>'
    graphic = f"<a:graphic><a:graphicData>{content}</a:graphicData></a:graphic>"
    return f"<p:graphicFrame>{name}{graphic}</p:graphicFrame>"


def _with_part(content: str, kind: str, part: str) -> Tree:
    more: dict[str, str | bytes] = {RELS: relations(("x", kind, "../parts/x.xml")), "ppt/parts/x.xml": part}
    return read_tree(deck(slide(_frame(content)), more=more))


def test_placeholder_has_the_box_of_its_layout() -> None:
    layout = shape(kind="title", box=(100, 50, 400, 60)) + shape(kind="body", box=(10, 200, 300, 300))
    tree = _with_layout(
        shape(paragraph("Goals"), kind="ctrTitle") + shape(paragraph("Text"), kind="obj"), layout=layout
    )
    assert [(block.text, block.bbox) for block in tree.blocks] == [
        ("Goals", (100.0, 50.0, 500.0, 110.0)),
        ("Text", (10.0, 200.0, 310.0, 500.0)),
    ]


def test_the_masters_styles_say_which_levels_have_marks() -> None:
    styles = (
        '<p:bodyStyle><a:lvl1pPr><a:buChar char="-"/></a:lvl1pPr>'
        '<a:lvl2pPr><a:buAutoNum type="romanUcPeriod" startAt="4"/></a:lvl2pPr></p:bodyStyle>'
    )
    lines = [
        paragraph("One"), paragraph("deep", '<a:pPr lvl="1"/>'), paragraph("deeper", '<a:pPr lvl="1"/>'),
        paragraph("bare", "<a:pPr><a:buNone/></a:pPr>"), paragraph("Two"),
    ]  # fmt: skip
    tree = _with_layout(shape(*lines, kind="body"), styles=styles)
    assert [(block.type, block.text, block.level) for block in tree.blocks] == [
        (BlockType.LIST_ITEM, "One", 1), (BlockType.LIST_ITEM, "IV. deep", 2), (BlockType.LIST_ITEM, "V. deeper", 2),
        (BlockType.PARAGRAPH, "bare", None), (BlockType.LIST_ITEM, "Two", 1),
    ]  # fmt: skip


def test_numbers_are_written_as_their_scheme_says() -> None:
    schemes = ("alphaLcParenBoth", "alphaUcPeriod", "romanLcParenR", "arabicPeriod")
    lines = [paragraph("x", f'<a:pPr><a:buAutoNum type="{scheme}"/></a:pPr>') for scheme in schemes]
    assert texts(read_tree(deck(slide(shape(*lines))))) == ["(a) x", "A. x", "i) x", "1. x"]


def test_dates_footers_and_numbers_of_slides_are_furniture() -> None:
    shapes = [shape(paragraph(kind), kind=kind) for kind in ("dt", "ftr", "sldNum")]
    tree = read_tree(deck(slide(shape(paragraph("Body")), *shapes)))
    assert [block.type for block in tree.blocks] == [BlockType.PARAGRAPH, *[BlockType.PAGE_FOOTER] * 3]


def test_a_title_of_two_paragraphs_is_one_heading_with_its_emphasis() -> None:
    bold = '<a:p><a:r><a:rPr b="1"/><a:t>Two</a:t></a:r></a:p>'
    heading = of_type(
        read_tree(deck(slide(shape(paragraph("One"), bold, kind="title")))), BlockType.TITLE, BlockType.HEADING
    )
    assert [block.text for block in heading] == ["One\nTwo"]
    assert [(span.start, span.end, span.bold) for span in heading[0].spans] == [(4, 7, True)]


def test_links_breaks_and_formulas_stand_in_their_lines() -> None:
    linked = '<a:r><a:rPr i="1"><a:hlinkClick r:id="w"/></a:rPr><a:t>site</a:t></a:r>'
    formula = f'<a14:m xmlns:a14="{A14}"><m:oMath xmlns:m="{M}"><m:r><m:t>x</m:t></m:r></m:oMath></a14:m>'
    chosen = (
        f'<mc:AlternateContent xmlns:mc="{MC}"><mc:Choice Requires="a14">{formula}</mc:Choice></mc:AlternateContent>'
    )
    body = f"<a:p>{linked}<a:br/><a:r><a:t>and </a:t></a:r>{formula}{chosen}</a:p>"
    links = relations(("w", "hyperlink", "https://example.com/")).replace("/>", ' TargetMode="External"/>')
    block = read_tree(deck(slide(shape(body)), more={RELS: links})).blocks[0]
    assert block.text == "site\nand $x$$x$"
    assert [(span.href, span.latex) for span in block.spans] == [("https://example.com/", None), (None, "x")]


def test_chart_is_its_title_and_table_of_its_values() -> None:
    point = '<c:{0}><c:pt idx="0"><c:v>{1}</c:v></c:pt></c:{0}>'
    points = point.format("cat", "Q1") + point.format("val", "4.4000000000000004")
    title = "<c:title><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:title>"
    name = '<c:tx><c:pt idx="0"><c:v>North</c:v></c:pt></c:tx>'
    part = f'<c:chartSpace xmlns:c="{C}" {NAMES}>{title}<c:ser>{name}{points}</c:ser></c:chartSpace>'
    tree = _with_part(f'<c:chart xmlns:c="{C}" r:id="x"/>', "chart", part)
    caption, picture = tree.blocks
    assert (picture.type, caption.text, caption.parent) == (BlockType.PICTURE, "Sales", picture.id)
    assert rows_of(picture) == [["", "North"], ["Q1", "4.4"]]


def _smartart(*points: tuple[str, str], links: tuple[tuple[str, str, int], ...]) -> list[Block]:
    texts = "".join(
        f'<dgm:pt modelId="{id}"><dgm:t><a:p><a:r><a:t>{text}</a:t></a:r></a:p></dgm:t></dgm:pt>' for id, text in points
    )
    hidden = '<dgm:pt modelId="p" type="pres"><dgm:t><a:p><a:r><a:t>never</a:t></a:r></a:p></dgm:t></dgm:pt>'
    joined = "".join(f'<dgm:cxn srcId="{above}" destId="{below}" srcOrd="{at}"/>' for above, below, at in links)
    part = (
        f'<dgm:dataModel xmlns:dgm="{DGM}" {NAMES}><dgm:ptLst>{texts}{hidden}</dgm:ptLst>'
        f"<dgm:cxnLst>{joined}</dgm:cxnLst></dgm:dataModel>"
    )
    return list(_with_part(f'<dgm:relIds xmlns:dgm="{DGM}" r:dm="x"/>', "diagramData", part).blocks)


def test_diagram_is_list_in_its_order_with_its_depths() -> None:
    items = _smartart(
        ("1", "Plan"), ("2", "Do"), ("3", "Test"), ("4", "lonely"), links=(("d", "2", 1), ("d", "1", 0), ("1", "3", 0))
    )
    assert [(item.text, item.level) for item in items] == [("Plan", 1), ("Test", 2), ("Do", 1), ("lonely", 1)]
    assert items[1].parent == items[0].id


def test_a_diagram_that_hangs_from_itself_ends() -> None:
    items = _smartart(
        ("1", "Plan"), ("2", ""), ("3", "Do"), links=(("d", "1", 0), ("1", "2", 0), ("2", "3", 0), ("3", "1", 0))
    )
    assert [(item.text, item.level) for item in items] == [("Plan", 1), ("Do", 2)]


def test_picture_has_alternative_text_and_external_picture_is_not_loaded() -> None:
    blip = '<p:blipFill><a:blip r:{}="{}"/></p:blipFill>'
    name = '<p:nvPicPr><p:cNvPr id="1" name="x" descr=" A ship "/></p:nvPicPr>'
    shapes = [f"<p:pic>{name}{blip.format(*one)}</p:pic>" for one in (("embed", "i"), ("link", "o"))]
    outside = f'<Relationship Id="o" Type="{R}/image" Target="https://example.com/a.png" TargetMode="External"/>'
    named = relations(("i", "image", "../media/a.png")).replace("</Relationships>", f"{outside}</Relationships>")
    tree = read_tree(deck(slide(*shapes), more={RELS: named, "ppt/media/a.png": PNG}))
    assert [block.text for block in of_type(tree, BlockType.PICTURE)] == ["A ship", "A ship"]
    assert ("external-image", 1) in {(warning.code, warning.page) for warning in tree.warnings}


def test_fallback_that_holds_words_is_read_for_newer_shape() -> None:
    def variants(choice: str, fallback: str) -> str:
        options = f'<mc:Choice Requires="x">{choice}</mc:Choice><mc:Fallback>{fallback}</mc:Fallback>'
        return f'<mc:AlternateContent xmlns:mc="{MC}">{options}</mc:AlternateContent>'

    bare, said = shape(), shape(paragraph("said"))
    tree = read_tree(deck(slide(variants(bare, said), variants(said, bare), variants("", ""))))
    assert texts(tree) == ["said", "said"]


def test_an_embedded_object_is_named_with_its_picture() -> None:
    content = '<p:oleObj><p:pic><p:blipFill><a:blip r:embed="i"/></p:blipFill></p:pic></p:oleObj>'
    more: dict[str, str | bytes] = {RELS: relations(("i", "image", "../media/a.png")), "ppt/media/a.png": PNG}
    tree = read_tree(deck(slide(_frame(content, description="A sheet")), more=more))
    assert texts(tree, BlockType.PICTURE) == ["A sheet"]
    assert [warning.code for warning in tree.warnings] == ["embedded-object"]


def test_deck_with_macros_and_lost_slides_is_read_with_warnings() -> None:
    parts: dict[str, str | bytes] = {
        "ppt/presentation.xml": (
            f'<p:presentation {NAMES}><p:sldIdLst><p:sldId r:id="r1"/><p:sldId r:id="none"/></p:sldIdLst>'
            "</p:presentation>"
        ),
        "ppt/_rels/presentation.xml.rels": relations(
            ("r1", "slide", "slides/slide1.xml"), ("v", "vbaProject", "v.bin")
        ),
    }
    tree = read_tree(deck(slide(shape(paragraph("Text"))), more=parts))
    assert ((tree.pages[0].width, tree.pages[0].height), texts(tree)) == ((720.0, 540.0), ["Text"])
    assert {(warning.code, warning.page) for warning in tree.warnings} == {("macros", None), ("part-unreadable", 2)}


EDGES = {BlockType.PAGE_HEADER: 10, BlockType.PARAGRAPH: 250, BlockType.PAGE_FOOTER: 500}


def made_layout(seed: int) -> tuple[list[tuple[BlockType, str]], list[str], list[tuple[BlockType, str]], Tree]:
    """What a slide shows of its layout and master, what it does not, what the tree says of both, and the tree."""
    random = Random(seed)
    shown, unshown = list[tuple[BlockType, str]](), ["Click to edit"]
    with_layout, with_master = random.random() < 0.7, random.random() < 0.7
    layers = [shape(paragraph("Click to edit"), kind="title", box=(10, 10, 600, 60))] * 2
    for layer, is_shown in enumerate((with_layout, with_layout and with_master)):
        for number in range(random.randint(0, 3)):
            type_ = random.choice(list(EDGES))
            text = f"{random.choice(('Vertraulich', '社外秘', 'Для служебного', 'Draft'))} {layer}{number}"
            made = shape(paragraph(text), box=(30, EDGES[type_], 200, 20))
            if random.random() < 0.3:
                made = f"<p:grpSp><p:nvGrpSpPr/><p:grpSpPr/>{made}</p:grpSp>"
            layers[layer] += made
            (shown if is_shown else unshown).append((type_, text) if is_shown else text)  # type: ignore[arg-type]
    off = 'showMasterSp="0"'
    more: dict[str, str | bytes] = {
        RELS: relations(("l", "slideLayout", "../slideLayouts/l1.xml")),
        "ppt/slideLayouts/l1.xml": f"<p:sldLayout {NAMES} {'' if with_master else off}><p:cSld><p:spTree>{layers[0]}"
        "</p:spTree></p:cSld></p:sldLayout>",
        "ppt/slideLayouts/_rels/l1.xml.rels": relations(("m", "slideMaster", "../slideMasters/m1.xml")),
        "ppt/slideMasters/m1.xml": f"<p:sldMaster {NAMES}><p:cSld><p:spTree>{layers[1]}</p:spTree></p:cSld>"
        "</p:sldMaster>",
    }
    body = shape(paragraph("Goals"), kind="title") + shape(paragraph("Own text"), box=(30, 300, 200, 40))
    tree = read_tree(deck(slide(body, attributes="" if with_layout else off), more=more))
    return shown, unshown, [(block.type, block.text) for block in tree.blocks], tree


@pytest.mark.parametrize("seed", range(6))
def test_texts_of_layout_and_master_are_read_where_they_show(seed: int) -> None:
    shown, unshown, found, tree = made_layout(seed)
    assert sorted(shown) == sorted(block for block in found if block[1] not in ("Goals", "Own text"))
    assert not {text for _, text in found} & set(unshown)
    assert tree.coverage is not None
    assert tree.coverage.complete
