"""Rich text: headings by style, lists, tables, notes, charsets, and files that mean harm."""

import pytest

from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.tree import BlockType
from tests.models.extract.flow_trees import of_type, read_tree, rows_of, texts

STYLES = r"{\stylesheet{\s0 Normal;}{\s2 Heading 2;}{\s5\outlinelevel0 Big;}}"


def rtf(body: str, head: str = "") -> bytes:
    return (
        rf"{{\rtf1\ansi\ansicpg1252{{\fonttbl{{\f0 Arial;}}{{\f1\fcharset204 Arial;}}}}{STYLES}{head}{body}}}".encode(
            "latin-1"
        )
    )


def test_headings_are_recognised_by_style_name_and_outline_level() -> None:
    tree = read_tree(rtf(r"\pard\s2 Two\par\pard\s5 One\par\pard\outlinelevel2 Three\par\pard text\par"))
    assert [(block.text, block.level) for block in tree.blocks] == [
        ("Two", 2),
        ("One", 1),
        ("Three", 3),
        ("text", None),
    ]


def test_looks_and_links_are_spans() -> None:
    tree = read_tree(rtf(r'a {\b bold} {\field{\*\fldinst HYPERLINK "http://x.org/"}{\fldrslt here}}\par'))
    block = tree.blocks[0]
    assert block.text == "a bold here"
    assert [(block.text[span.start : span.end], span.bold, span.href) for span in block.spans] == [
        ("bold", True, None),
        ("here", False, "http://x.org/"),
    ]


def test_list_texts_are_labels() -> None:
    body = r"{\listtext\'95\tab}\ls1\ilvl0 one\par{\listtext 1.\tab}\ls1\ilvl1 two\par"
    assert [(block.text, block.level) for block in of_type(read_tree(rtf(r"\pard" + body)), BlockType.LIST_ITEM)] == [
        ("one", 1),
        ("1. two", 2),
    ]


def test_tables_keep_merged_cells() -> None:
    rows = r"\trowd\trhdr\cellx1\clmrg\cellx2 \pard\intbl h\cell\cell\row "
    rows += r"\trowd\cellx1\cellx2 \intbl a\cell b\cell\row\pard"
    table = of_type(read_tree(rtf(rows + r" after\par")), BlockType.TABLE)[0]
    assert rows_of(table) == [["h"], ["a", "b"]]
    assert table.table is not None
    assert (table.table.cells[0].col_span, table.table.cells[0].header) == (2, True)


def test_notes_stand_at_the_end_and_hidden_text_is_flagged() -> None:
    tree = read_tree(rtf(r"text{\footnote below}{\v secret}\par"))
    assert [(block.type.value, block.text, block.flags) for block in tree.blocks] == [
        ("paragraph", "secret", (HIDDEN_TEXT,)),
        ("paragraph", "text", ()),
        ("footnote", "below", ()),
    ]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (r"Gr\'fc\'dfe", "Grüße"),
        (r"\f1 \'cf\'f0", "Пр"),
        (r"\u1055?\u1088?", "Пр"),
        (r"{\uc0\u8364}5", "€5"),
        (r"a\~b\emdash", "a\xa0b—"),
    ],
)
def test_characters_are_those_of_their_font_or_code(body: str, text: str) -> None:
    assert texts(read_tree(rtf(body + r"\par"))) == [text]


def test_a_page_break_begins_a_page() -> None:
    assert [block.page for block in read_tree(rtf(r"one\page two\par")).blocks] == [1, 2]


def test_groups_without_end_are_read() -> None:
    assert texts(read_tree(rtf("{" * 300_000 + "deep" + "}" * 300_000 + r" after\par"))) == ["deep after"]


def test_binary_data_never_leads_past_the_file() -> None:
    assert read_tree(rtf(r"seen\par{\*\x\bin2147483647 " + "z" * 100)).blocks[0].text == "seen"


def test_objects_and_automatic_data_are_named_and_never_run() -> None:
    tree = read_tree(
        rtf(r"a{\object\objemb{\*\objdata " + "00" * 10_000 + r'}}{\field{\*\fldinst DDEAUTO cmd "x"}{\fldrslt b}}\par')
    )
    assert texts(tree) == ["ab"]
    assert [warning.code for warning in tree.warnings] == ["embedded-object", "external-data"]


def test_table_in_a_cell_is_nested_in_the_outer_table() -> None:
    body = r"\trowd\cellx9 \pard\intbl\itap1 before\par\pard\intbl\itap2 A\nestcell B\nestcell "
    body += r"{\*\nesttableprops\trowd\cellx1\cellx2\nestrow}{\nonesttables lost\par}"
    body += r"\pard\intbl\itap1 after\cell\row\pard end\par"
    outer, inner = of_type(read_tree(rtf(body)), BlockType.TABLE)
    assert rows_of(outer) == [["before\nA\tB\nafter"]]
    assert (rows_of(inner), inner.parent) == ([["A", "B"]], outer.id)


def test_skipped_table_level_is_not_a_table() -> None:
    body = r"\trowd\cellx9 \pard\intbl\itap5 deep\nestcell{\*\nesttableprops\trowd\cellx4\nestrow}"
    tree = read_tree(rtf(body + r"\pard\intbl\itap1 top\cell\row"))
    assert [rows_of(block) for block in of_type(tree, BlockType.TABLE)] == [[["deep\ntop"]], [["deep"]]]


def test_backslash_before_line_end_ends_paragraph() -> None:
    assert texts(read_tree(rtf("one\\\ntwo\\\r\nthree"))) == ["one", "two", "three"]


def test_fallback_of_a_unicode_character_ends_with_its_group() -> None:
    items = read_tree(rtf(r"\pard\ls1{\listtext\tab \u8226 \tab}First\par\ls1 goes on\par"))
    assert [(block.type, block.text) for block in items.blocks] == [
        (BlockType.LIST_ITEM, "First"),
        (BlockType.PARAGRAPH, "goes on"),
    ]


def test_items_of_a_list_of_word_6_are_counted_on() -> None:
    tree = read_tree(rtf(r"\pard{\pntext 1.\tab}\ls3 A\par B\par\pard C\par"))
    assert texts(tree) == ["1. A", "2. B", "C"]


def test_character_style_is_not_a_heading() -> None:
    head = r"{\stylesheet{\s0 Normal;}{\*\cs15 \additive Heading 1 Char;}}"
    assert read_tree(rtf(r"\pard\plain text\par", head)).blocks[0].type is BlockType.PARAGRAPH


def test_a_note_belongs_to_the_paragraph_that_calls_it() -> None:
    tree = read_tree(rtf(r"\pard first\par second{\footnote below} ends\par"))
    note = of_type(tree, BlockType.FOOTNOTE)[0]
    assert next(block.text for block in tree.blocks if block.id == note.parent) == "second ends"


LISTS = (
    r"{\*\listtable{\list{\listlevel\levelnfc0}{\listlevel\levelnfc4}\listid7}{\list{\listlevel\levelnfcn23}\listid8}}"
    r"{\*\listoverridetable{\listoverride\listid7\ls1}{\listoverride\listid8\ls2}}"
)


def test_items_without_a_label_are_numbered_separately_below_each_item() -> None:
    lines = [(1, 0, "a"), (1, 1, "x"), (1, 1, "y"), (1, 0, "b"), (1, 1, "z"), (2, 0, "dot"), (3, 0, "unknown")]
    body = "".join(rf"\pard\ls{list_id}\ilvl{level} {text}\par" for list_id, level, text in lines)
    tree = read_tree(rtf(body, LISTS))
    assert [(block.text, block.level) for block in tree.blocks] == [
        ("1. a", 1), ("1. x", 2), ("2. y", 2), ("2. b", 1), ("1. z", 2), ("dot", 1), ("unknown", 1),
    ]  # fmt: skip
    assert {block.type for block in tree.blocks} == {BlockType.LIST_ITEM}


def test_marks_typed_by_hand_before_a_hanging_indent_are_labels() -> None:
    item = r"\pard\fi-360\li{} {}\tab {}\par"
    body = item.format(720, "1)", "one") + item.format(1440, r"\bullet", "deep") + r"\pard\li720 goes on\par"
    tree = read_tree(rtf(body))
    assert [(block.type, block.text, block.level) for block in tree.blocks] == [
        (BlockType.LIST_ITEM, "1) one", 1),
        (BlockType.LIST_ITEM, "deep", 2),
        (BlockType.PARAGRAPH, "goes on", None),
    ]
    assert tree.blocks[2].parent is not None


def test_a_style_named_title_is_the_title() -> None:
    head = r"{\stylesheet{\s0 Normal;}{\s9 Title;}{\s4\outlinelevel9 Odd;}}"
    tree = read_tree(rtf(r"\pard\s9 Report\par\pard\s4 body\par", head))
    assert [(block.type, block.text) for block in tree.blocks] == [
        (BlockType.TITLE, "Report"),
        (BlockType.PARAGRAPH, "body"),
    ]


@pytest.mark.parametrize(("font", "byte", "text"), [(r"\fcharset161", "e1", "α"), (r"\cpg1251", "cf", "П")])
def test_fonts_say_their_charset_or_their_code_page(font: str, byte: str, text: str) -> None:
    assert texts(read_tree(rtf(rf"{{\fonttbl{{\f7{font} Arial;}}}}\f7 \'{byte}\par"))) == [text]


def test_headers_and_footers_are_apart_from_the_text_and_read_once() -> None:
    page = r"{\field{\*\fldinst PAGE}{\fldrslt 1}}"
    heads = rf"{{\header\pard Secret\par}}{{\headerl Secret}}{{\footer Page {page}\par}}"
    tree = read_tree(rtf(rf"{heads}\pard Words\par\sect{heads} more\par"))
    assert texts(tree, BlockType.PARAGRAPH) == ["Words", "more"]
    assert texts(tree, BlockType.PAGE_HEADER) == ["Secret"]
    assert texts(tree, BlockType.PAGE_FOOTER) == ["Page 1"]


def test_table_in_a_header_or_note_does_not_change_the_text_around_it() -> None:
    table = r"\trowd\cellx1\cellx2\pard\intbl a\cell b\cell\row"
    tree = read_tree(rtf(rf"{{\header {table}}}\pard Words{{\footnote {table}}} after\par"))
    assert texts(tree, BlockType.PARAGRAPH) == ["Words after"]
    assert texts(tree, BlockType.PAGE_HEADER) == ["a\tb"]
    assert texts(tree, BlockType.FOOTNOTE) == ["a\tb"]
    assert of_type(tree, BlockType.TABLE) == []


def test_link_in_a_note_stays_in_the_note() -> None:
    field = r'{\field{\*\fldinst HYPERLINK "http://x.org"}{\fldrslt here}}'
    tree = read_tree(rtf(rf"Words{{\footnote See {field}.}} after\par"))
    assert texts(tree, BlockType.PARAGRAPH) == ["Words after"]
    assert texts(tree, BlockType.FOOTNOTE) == ["See here."]
