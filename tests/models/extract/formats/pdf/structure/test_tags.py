"""Tagged PDFs: the author's structure is used where the page agrees with it, block by block."""

import pytest

from quire.models.cdom.tree import BlockType, Tree, Warning
from quire.models.extract.formats.pdf.structure.tags import find_marked_share
from tests.models.extract.formats.pdf.paper import LOREM
from tests.models.extract.formats.pdf.tagged import Element, Words, read_tagged

IGNORED = [Warning(code="tags-ignored", page=1)]


def prose(y: float, rows: int = 3, role: str = "P") -> Element:
    return Element(role, [Words(50, y + 12 * row, LOREM[60 * row : 60 * row + 55]) for row in range(rows)])


def shown(tree: Tree) -> list[tuple[BlockType, int | None, str]]:
    return [(block.type, block.level, block.provenance.engine) for block in tree.blocks]


def test_tagged_headings_are_headings_even_in_plain_type() -> None:
    tree = read_tagged([Element("H2", [Words(50, 60, "Scope of the work")]), prose(80), prose(130)])
    text = (BlockType.PARAGRAPH, None, "mupdf+tags")
    assert shown(tree) == [(BlockType.HEADING, 2, "mupdf+tags"), text, text]
    assert tree.warnings == ()


def test_bold_text_tagged_as_a_paragraph_is_not_a_heading() -> None:
    bold = Element("P", [Words(50, 80, "Nothing but bold", bold=True)])
    tree = read_tagged([Element("H1", [Words(50, 50, "Title", size=20)]), bold, prose(110)])
    assert [block.type for block in tree.blocks] == [BlockType.HEADING, BlockType.PARAGRAPH, BlockType.PARAGRAPH]


def test_visible_headings_stay_when_no_heading_is_tagged() -> None:
    tree = read_tagged([Element("P", [Words(50, 50, "Methods", size=16, bold=True)]), prose(80), prose(130)])
    assert shown(tree)[0] == (BlockType.HEADING, 1, "mupdf")


def test_nested_lists_have_the_depth_of_their_tags() -> None:
    inner = Element("L", [Element("LI", [Element("LBody", [Words(52, 84, "- below")])])])
    first = Element("LI", [Element("LBody", [Words(50, 72, "- above"), inner])])
    tree = read_tagged([prose(20), Element("L", [first, Element("LI", [Words(50, 96, "- beside")])])])
    items = [(block.text, block.level) for block in tree.blocks if block.type is BlockType.LIST_ITEM]
    assert items == [("- above", 1), ("- below", 2), ("- beside", 1)]


def row(y: float, *cells: tuple[float, str], role: str = "TD") -> Element:
    return Element("TR", [Element(role, [Words(x, y, text)]) for x, text in cells])


def test_table_without_any_rule_is_one_that_was_tagged() -> None:
    wide = "both here and there together, at once"
    rows = [
        row(80, (50, "Town"), (200, "People"), role="TH"),
        row(92, (50, "Bonn"), (200, "331")),
        row(104, (50, wide)),
    ]
    tree = read_tagged([prose(30), Element("Table", rows)])
    table = tree.blocks[-1].table
    assert table is not None
    assert [(cell.text, cell.header, cell.col_span) for cell in table.cells] == [
        ("Town", True, 1), ("People", True, 1), ("Bonn", False, 1), ("331", False, 1),
        (wide, False, 2),
    ]  # fmt: skip
    assert tree.blocks[-1].provenance.engine == "mupdf+tags"


def test_note_at_foot_of_page_is_not_running_foot() -> None:
    tree = read_tagged([prose(60, 8), Element("Note", [Words(50, 570, "1 Quoted from the first edition.", size=8)])])
    assert [block.type for block in tree.blocks] == [BlockType.PARAGRAPH, BlockType.FOOTNOTE]


@pytest.mark.parametrize("lie", ["reversed", "text missing", "all headings"])
def test_page_wins_over_false_tags_with_a_warning(lie: str) -> None:
    role = "H1" if lie == "all headings" else "P"
    parts = [prose(60 + 60 * number, 4, role) for number in range(6)]
    loose = [words for part in parts[2:] for words in part.inside if isinstance(words, Words)]
    told = parts[:2] if lie == "text missing" else parts
    tree = read_tagged(told, loose=loose if lie == "text missing" else (), reverse=lie == "reversed")
    assert [warning for warning in tree.warnings if warning.code == "tags-ignored"] == IGNORED
    assert {block.provenance.engine for block in tree.blocks} == {"mupdf"}
    assert [block.type for block in tree.blocks] == [BlockType.PARAGRAPH] * 6
    tops = [block.bbox[1] for block in tree.blocks if block.bbox]
    assert tops == sorted(tops)


def test_one_level_for_headings_of_several_sizes_says_nothing() -> None:
    sizes = [(22, "Report"), (14, "Scope"), (14, "Results"), (14, "Outlook")]
    parts: list[Element] = []
    for number, (size, text) in enumerate(sizes):
        parts += [Element("H1", [Words(50, 60 + 100 * number, text, size=size, bold=True)]), prose(80 + 100 * number)]
    tree = read_tagged(parts)
    heads = [block for block in tree.blocks if block.type in (BlockType.HEADING, BlockType.TITLE)]
    assert [block.text for block in heads] == ["Report", "Scope", "Results", "Outlook"]
    assert len({(block.type, block.level) for block in heads}) == 2
    assert [warning.code for warning in tree.warnings] == ["tags-ignored"]


def test_no_character_is_lost_by_following_tags() -> None:
    tree = read_tagged(
        [Element("H1", [Words(50, 60, "Scope")]), prose(80), Element("Span", [Words(50, 200, "left over")])]
    )
    assert tree.coverage is not None
    assert tree.coverage.characters.lost == 0
    assert any("left over" in block.text for block in tree.blocks)


def test_an_element_that_no_standard_knows_says_nothing() -> None:
    tree = read_tagged([Element("Unheard", [Words(50, 60, "Text in an element that no standard knows")])])
    assert [(block.text, block.provenance.engine) for block in tree.blocks] == [
        ("Text in an element that no standard knows", "mupdf")
    ]


@pytest.mark.parametrize(
    ("content", "share"),
    [
        (b"/P <</MCID 0>> BDC (abcd) Tj EMC", 1.0),
        (b"/P <</MCID 0>> BDC (abc) Tj EMC (z) Tj", 0.75),
        (b"/P /MC0 BDC [<0041> 3 <0042>] TJ EMC /Artifact BMC (foot) Tj EMC", 1.0),
        (b"/OC /MC0 BDC (ab) Tj /P <</MCID 1>> BDC (ab) Tj EMC EMC", 0.5),
        (b"/Artifact <</Type/Pagination>> BDC /Span <</MCID 3>> BDC (ab) Tj EMC EMC", 1.0),
        (b"EMC EMC (unbalanced) Tj", 0.0),
        (b"", 1.0),
    ],
)
def test_text_that_no_mark_holds_is_counted_in_the_content_stream(content: bytes, share: float) -> None:
    assert find_marked_share(content) == share
