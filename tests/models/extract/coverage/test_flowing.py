"""Formats without printed pages: the characters of the file's parts against the tree, apart from the readers."""

import struct

import pytest

from quire.models.cdom.coverage import Coverage, PageCoverage, Unseen
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.tree import BlockType, Tree
from quire.models.extract.coverage.stated.counted import COUNTERS, account_flow
from quire.models.extract.coverage.stated.mail import state_eml
from quire.models.extract.coverage.stated.office import state_xlsx
from quire.models.extract.coverage.stated.text import NOT_SHOWN, REFORMATTED, REPEATED, StatedText
from quire.models.extract.formats.common.installed import COUNTERS as INSTALLED_COUNTERS
from quire.models.extract.formats.common.installed import READERS as INSTALLED_READERS
from quire.models.extract.formats.common.installed import find_installed
from quire.models.extract.formats.flow.blocks import FlowBlock
from quire.models.extract.formats.mail import mime
from quire.models.extract.formats.sniffing.signatures import sniff
from quire.models.extract.pipeline.assemble import TEXT_LOST
from quire.models.extract.registry import READERS, STATED, find_reader
from tests.models.extract.flow_trees import read_tree
from tests.models.extract.formats.common.compound_files import cell, wide, xls
from tests.models.extract.formats.common.compound_files import workbook as old_workbook
from tests.models.extract.formats.opendocument.test_odf import ITEM, book, opendocument
from tests.models.extract.formats.sheets.workbooks import number_cell, sheet, text_cell, workbook
from tests.models.extract.formats.slides.decks import deck, shape, slide
from tests.models.extract.formats.slides.decks import paragraph as line
from tests.models.extract.formats.text.test_jats import article
from tests.models.extract.formats.word.doc.words import sprm, word
from tests.models.extract.formats.word.docx.files import make_docx, paragraph
from tests.packages.formats.test_msg import outlook
from tests.packages.formats.test_xlsb import cell as binary_cell
from tests.packages.formats.test_xlsb import row as binary_row
from tests.packages.formats.test_xlsb import text as binary_text
from tests.packages.formats.test_xlsb import xlsb

MAIL = b"From: ann@x.org\r\nSubject: Ropes\r\nContent-Type: text/plain\r\n\r\nTwelve ropes, please.\r\n"
FILES = {
    "docx": make_docx(paragraph("Twelve ropes")),
    "pptx": deck(slide(shape(line("Twelve ropes")))),
    "xlsx": workbook(sheet(f'<row r="1">{text_cell("A1", "Ropes")}{number_cell("B1", 12)}</row>')),
    "odt": opendocument("text", "<text:p>Twelve ropes</text:p>"),
    "html": b"<html><head><title>x</title><script>no()</script></head><body><p>Twelve <b>ropes</b></p></body></html>",
    "eml": MAIL,
    "rtf": rb"{\rtf1\ansi{\fonttbl{\f0 Arial;}}{\info{\title Unseen}}\f0 Twelve ropes\par}",
    "epub": book('<itemref idref="a"/>', ITEM.format("a"), a="<html><body><p>Twelve ropes</p></body></html>"),
    "txt": "Twelve ropes.\n\nAnd a knot: …\n".encode(),
    "markdown": b"# Ropes\n\nTwelve [ropes](https://example.com/ropes) and *knots*\n\n- one\n- two\n",
    "csv": b"name,count\nropes,12\nknots,3\n",
    "doc": word([("Twelve ropes\r", 0, b"")]),
    "xls": xls(old_workbook({"S": [cell(0x204, 0, 0, wide("Ropes")), cell(0x203, 0, 1, struct.pack("<d", 12.0))]})),
    "xlsb": xlsb(binary_row(0) + binary_cell(6, 0, binary_text("Ropes")) + binary_cell(7, 1, struct.pack("<I", 0))),
    "msg": outlook(),
    "jats": article("<p>Twelve ropes</p>", back="<ref-list><ref>Knots <pub-id>10.1</pub-id></ref></ref-list>"),
    "asciidoc": b"= Ropes\nAnn Lee <ann@x.org>\n:knots: two\n\n[NOTE]\n====\nTwelve *ropes*, {knots} knots.\n====\n",
}


def stated(tree: Tree) -> Coverage:
    assert tree.coverage is not None
    return tree.coverage


def assert_balanced(page: PageCoverage) -> None:
    counts = page.characters
    assert counts.painted == counts.placed + sum(counts.excluded.values()) + counts.lost


@pytest.mark.parametrize("kind", FILES)
def test_every_character_of_the_files_parts_is_accounted_for(kind: str) -> None:
    coverage = stated(read_tree(FILES[kind]))
    for page in coverage.pages:
        assert_balanced(page)
    assert coverage.characters.placed > 0
    assert coverage.characters.lost == 0
    assert coverage.complete


@pytest.mark.parametrize("kind", FILES)
def test_word_that_reader_drops_is_lost_and_warned_of(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = read_tree(FILES[kind])
    reader = type(find_reader(sniff(FILES[kind]))(FILES[kind], ReadOptions()))
    monkeypatch.setattr(reader, "written", lambda self: [[] for _ in self.facts.page_numbers])
    tree = read_tree(FILES[kind])
    assert stated(tree).characters.lost > 0
    assert not stated(tree).complete
    assert TEXT_LOST in [warning.code for warning in tree.warnings]
    assert tree.pages[0].confidence < whole.pages[0].confidence


def test_deleted_hidden_and_repeated_text_is_excluded_by_name() -> None:
    deleted = "<w:del><w:r><w:delText>gone</w:delText></w:r></w:del>"
    hidden = "<w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r>"
    counts = stated(read_tree(make_docx(paragraph("Seen", inside=deleted + hidden)))).characters
    assert (counts.placed, counts.lost) == (4, 0)
    assert counts.excluded == {"deleted": 4, "invisible": 6}


def test_formatted_values_and_the_second_mail_body_are_excluded_by_name() -> None:
    day = f'<row r="1">{text_cell("A1", "Day")}{number_cell("B1", 44562, style=1)}</row>'
    counts = stated(read_tree(workbook(sheet(day), codes=("yyyy-mm-dd",)))).characters
    assert counts.lost == 0
    assert counts.excluded[REFORMATTED] > 0
    both = (
        b"Subject: x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=B\r\n\r\n"
        b"--B\r\nContent-Type: text/plain\r\n\r\nplain words 123\r\n"
        b"--B\r\nContent-Type: text/html\r\n\r\n<p>plain words</p>\r\n--B--\r\n"
    )
    counts = stated(read_tree(both)).characters
    assert counts.lost == 0
    assert counts.excluded[REPEATED] > 0


@pytest.mark.parametrize(
    "mail",
    [
        b"To: Ann <ann@x.org>\r\nno field at all\r\nSubject: x\r\n\r\nWords\r\n",
        b"To: Ann\r\nSubject: x\r\nContent-Type: multipart/mixed; boundary=B\r\n\r\n--B\r\n\r\nWords\r\n",
        b"To: Ann\r\nSubject: x\r\nContent-Type: multipart/mixed\r\n\r\n--B\r\n\r\nWords\r\n--B--\r\n",
    ],
)
def test_a_mail_with_defects_is_unknown_and_not_complete(mail: bytes) -> None:
    coverage = stated(read_tree(mail))
    assert coverage.unknown == (1,)
    assert not coverage.complete


@pytest.mark.parametrize(
    ("said", "encoding"),
    [("Words=20of=\r\n a mail", "quoted-printable"), ("V29yZHMgb2YgYSBtYWls", "base64"), ("Words of a mail", "7bit")],
)
def test_a_mail_is_stated_apart_from_its_reader(said: str, encoding: str) -> None:
    mail = (
        "To   : Ann <ann@x.org>\r\nSubject: =?utf-8?q?x?=\r\nContent-Type: multipart/mixed;\r\n boundary=B\r\n\r\n"
        f"--B\r\nContent-Type: multipart/alternative; boundary=BB\r\n\r\n--BB\r\n"
        f"Content-Transfer-Encoding: {encoding}\r\n\r\n{said}\r\n--BB--\r\n--B\r\n"
        "Content-Type: text/plain; name=a.txt\r\n\r\nbeside\r\n--B--\r\n"
    )  # fmt: skip
    told = state_eml(mail.encode())
    assert " ".join(told.text).split() == ["Words", "of", "a", "mail", "x"]
    assert told.formed == ["Ann <ann@x.org>"]
    coverage = stated(read_tree(mail.encode()))
    assert (coverage.complete, coverage.characters.excluded) == (True, {})


def test_subject_of_mail_and_name_of_sheet_must_be_in_tree() -> None:
    page = [FlowBlock(BlockType.PARAGRAPH, "Words")]
    mail = state_eml(b"To: Ann\r\nSubject: 2468\r\n\r\nWords\r\n")
    assert account_flow(mail, [page], first=1)[0].characters.lost == len("2468")
    book = state_xlsx(workbook(sheet(f'<row r="1">{text_cell("A1", "Words")}</row>')))
    assert account_flow(book, [page], first=1)[0].characters.lost == len("Sheet1")
    guessed = state_eml(b"To: Ann\r\nSubject: caf\xe9\r\n\r\nWords\r\n")
    assert account_flow(guessed, [page], first=1)[0].characters.lost == 0


def test_dropped_part_of_a_mail_is_counted_as_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    mail = (
        b"To: Ann\r\nSubject: x\r\nContent-Type: multipart/mixed; boundary=B\r\n\r\n--B\r\n\r\nFirst words\r\n"
        b"--B\r\n\r\n2468\r\n--B--\r\n"
    )
    whole = mime._split
    monkeypatch.setattr(mime, "_split", lambda body, boundary: whole(body, boundary)[:1])
    assert stated(read_tree(mail)).characters.lost == 4


def test_field_codes_and_deletions_of_old_word_files_are_excluded() -> None:
    text = 'kept gone \x13HYPERLINK "http://x.org/"\x14here\x15\r'
    coverage = stated(read_tree(word([(text, 0, b"")], looks=[(5, 9, sprm(0x0800, b"\x01"))])))
    assert (coverage.characters.excluded[Unseen.DELETED], coverage.characters.placed) == (4, 8)
    assert coverage.characters.excluded[NOT_SHOWN] == len('HYPERLINK"http://x.org/"')
    assert coverage.complete


def test_title_of_asciidoc_list_is_read_across_blank_line() -> None:
    tree = read_tree(b"= Ropes\n\nSome text.\n\n.Procedure\n\n. Tie it.\n. Pull it.\n")
    assert "Procedure" in [block.text for block in tree.blocks]
    assert stated(tree).complete


def test_text_straight_inside_a_list_is_read() -> None:
    """It was dropped; the statement found it in a page of the measuring sets."""
    tree = read_tree(b"<html><body><ul> bare words <i>here</i> <li>item</li> after</ul></body></html>")
    assert [block.text for block in tree.blocks] == ["bare words here", "item", "after"]
    assert stated(tree).complete


def test_coverage_sums_pages_and_text_without_a_page_counts_on_the_first() -> None:
    pages = [[FlowBlock(BlockType.PARAGRAPH, "ab")], [FlowBlock(BlockType.PARAGRAPH, "c", flags=("hidden-text",))]]
    wanted = StatedText(text=["abcd"], formed=["9"], other={NOT_SHOWN: ["note"]})
    first, second = account_flow(wanted, pages, first=1)
    assert_balanced(first)
    assert_balanced(second)
    assert (first.characters.placed, first.characters.lost) == (2, 1)
    assert first.characters.excluded == {NOT_SHOWN: 4, REFORMATTED: 1}
    assert second.characters.excluded == {"invisible": 1}


def test_every_format_with_a_counter_has_a_reader() -> None:
    readers, counters = find_installed(INSTALLED_READERS), find_installed(INSTALLED_COUNTERS)
    assert {*COUNTERS, *counters} == STATED
    assert set(COUNTERS) <= set(READERS)
    assert {*counters, "word-2003"} == set(readers)
    assert set(readers).isdisjoint(READERS)
