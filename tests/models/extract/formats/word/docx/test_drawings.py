"""Pictures, text boxes, charts, embedded objects, alternative contents."""

from quire.models.cdom.original import ReadOptions
from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.word.docx import open_docx
from tests.models.extract.flow_trees import read_tree as read_counted
from tests.models.extract.formats.word.docx.files import PNG, cell, make_docx, paragraph, read_tree, row, shape, table

IMAGE = [("p1", "image", "media/one.png")]
FILES = {"word/media/one.png": PNG}


def drawing(rel: str, alt: str = "") -> str:
    return (
        f'<w:r><w:drawing><wp:inline><wp:docPr id="1" name="Picture 1" descr="{alt}"/><a:graphic><a:graphicData>'
        f'<pic:pic><pic:nvPicPr><pic:cNvPr id="0" name="x"/></pic:nvPicPr><pic:blipFill><a:blip {rel}/></pic:blipFill>'
        "</pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"
    )


def box(text: str) -> str:
    return f"<wps:txbx><w:txbxContent>{paragraph(text)}</w:txbxContent></wps:txbx>"


def test_picture_is_block_with_its_alternative_text_and_bytes() -> None:
    data = make_docx(paragraph("See", inside=drawing('r:embed="p1"', "A green icon")), relations=IMAGE, files=FILES)
    page = open_docx(data, ReadOptions()).read_page(1)
    picture = page.content.blocks[1]
    assert (picture.type, picture.text, picture.parent) == (BlockType.PICTURE, "A green icon", 0)
    assert picture.asset_ref == "image-1.png"
    assert page.assets == {"image-1.png": PNG}


def test_picture_before_text_of_its_paragraph_stands_before_it() -> None:
    body = "<w:p>" + drawing('r:embed="p1"') + "<w:r><w:t>Figure</w:t></w:r></w:p>"
    tree = read_tree(make_docx(body, relations=IMAGE, files=FILES))
    assert [block.type for block in tree.blocks] == [BlockType.PICTURE, BlockType.PARAGRAPH]


def test_one_image_used_twice_is_one_asset() -> None:
    body = paragraph(inside=drawing('r:embed="p1"') * 2)
    tree = read_tree(make_docx(body, relations=IMAGE, files=FILES))
    assert [block.asset_ref for block in tree.blocks] == ["image-1.png", "image-1.png"]


def test_outside_image_is_picture_without_asset_and_warning() -> None:
    relations = [("p1", "image", "http://169.254.169.254/latest")]
    for link in ('r:link="p1"', 'r:embed="p1"'):
        tree = read_tree(make_docx(paragraph(inside=drawing(link, "remote")), relations=relations))
        assert [(block.type, block.text, block.asset_ref) for block in tree.blocks] == [
            (BlockType.PICTURE, "remote", None)
        ]
        assert [warning.code for warning in tree.warnings] == ["external-image"]


def test_missing_image_part_is_picture_without_asset_and_warning() -> None:
    tree = read_tree(make_docx(paragraph(inside=drawing('r:embed="p1"')), relations=IMAGE))
    assert [(block.type, block.asset_ref) for block in tree.blocks] == [(BlockType.PICTURE, None)]
    assert [(warning.code, warning.page) for warning in tree.warnings] == [("picture-unreadable", 1)]


def test_pictures_past_the_limit_are_left_out_with_a_warning() -> None:
    body = paragraph(inside=drawing('r:embed="p1"') + drawing('r:embed="p2"'))
    data = make_docx(
        body,
        relations=[*IMAGE, ("p2", "image", "media/two.png")],
        files=FILES | {"word/media/two.png": PNG},
    )
    tree = read_tree(data, ReadOptions(max_assets=1))
    assert [block.asset_ref for block in tree.blocks] == ["image-1.png", None]
    assert [warning.code for warning in tree.warnings] == ["assets-left-out"]


def test_image_in_cell_is_child_of_table() -> None:
    body = table(row(cell(paragraph("x", inside=drawing('r:embed="p1"')))))
    blocks = read_tree(make_docx(body, relations=IMAGE, files=FILES)).blocks
    assert [(block.type, block.parent) for block in blocks] == [
        (BlockType.TABLE, None),
        (BlockType.PICTURE, blocks[0].id),
    ]


def test_single_form_of_alternative_contents_is_read() -> None:
    fallback = f"<w:pict><v:textbox><w:txbxContent>{paragraph('boxed')}</w:txbxContent></v:textbox></w:pict>"
    choice = f'<mc:Choice Requires="wps"><w:drawing>{box("boxed")}</w:drawing></mc:Choice>'
    both = f"<w:r><mc:AlternateContent>{choice}<mc:Fallback>{fallback}</mc:Fallback></mc:AlternateContent></w:r>"
    only_fallback = both.replace(choice, '<mc:Choice Requires="new"><w:unknown/></mc:Choice>')
    for xml in (both, only_fallback):
        assert shape(read_tree(make_docx(paragraph("Text", inside=xml))).blocks) == [
            (BlockType.PARAGRAPH, None, "Text"),
            (BlockType.PARAGRAPH, None, "boxed"),
        ]


def test_a_text_box_may_hold_a_table() -> None:
    content = table(row(cell("a")))
    boxed = f"<w:r><w:drawing><wps:txbx><w:txbxContent>{content}</w:txbxContent></wps:txbx></w:drawing></w:r>"
    assert [block.type for block in read_tree(make_docx(paragraph(inside=boxed))).blocks] == [BlockType.TABLE]


def test_an_embedded_object_is_its_preview_and_a_warning() -> None:
    shown = '<v:shape alt="A drawing"><v:imagedata r:id="p1"/></v:shape>'
    xml = f'<w:r><w:object>{shown}<o:OLEObject r:id="e"/></w:object></w:r>'
    tree = read_tree(make_docx(paragraph(inside=xml), relations=IMAGE, files=FILES))
    assert [(block.type, block.text, block.asset_ref) for block in tree.blocks] == [
        (BlockType.PICTURE, "A drawing", "image-1.png")
    ]
    assert [warning.code for warning in tree.warnings] == ["embedded-object"]


def test_chart_is_titled_picture_with_its_values_as_table() -> None:
    def points(*values: str) -> str:
        return "".join(f'<c:pt idx="{at}"><c:v>{value}</c:v></c:pt>' for at, value in enumerate(values))

    chart = (
        '<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
        'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><c:title><a:p><a:r><a:t>Sales</a:t></a:r></a:p>'
        f"</c:title><c:ser><c:tx>{points('2024')}</c:tx><c:cat>{points('Q1', 'Q2')}</c:cat>"
        f"<c:val>{points('1', '4.4000000000000004')}</c:val></c:ser></c:chartSpace>"
    )
    xml = '<w:r><w:drawing><c:chart r:id="c1"/></w:drawing></w:r>'
    data = make_docx(
        paragraph(inside=xml),
        relations=[("c1", "chart", "charts/chart1.xml")],
        files={"word/charts/chart1.xml": chart.encode()},
    )
    caption, picture = read_tree(data).blocks
    assert (picture.type, caption.text, caption.parent) == (BlockType.PICTURE, "Sales", picture.id)
    assert picture.table is not None
    assert [cell.text for cell in picture.table.cells] == ["", "2024", "Q1", "1", "Q2", "4.4"]


def test_an_embedded_document_is_not_read_and_warned_of() -> None:
    tree = read_tree(make_docx('<w:altChunk r:id="x"/>' + paragraph("a")))
    assert ([block.text for block in tree.blocks], [warning.code for warning in tree.warnings]) == (
        ["a"],
        ["embedded-document"],
    )


def test_word_art_is_read_and_counted() -> None:
    art = '<w:r><w:pict><v:shape><v:textpath string="Grand opening"/></v:shape></w:pict></w:r>'
    tree = read_counted(make_docx(paragraph("Body") + f"<w:p>{art}</w:p>"))
    assert [block.text for block in tree.blocks] == ["Body", "Grand opening"]
    assert tree.coverage is not None
    assert (tree.coverage.complete, tree.coverage.characters.painted) == (True, 16)
