"""Opening: passwords, broken files, page limits, ranges, memory, rendering."""

import random
from contextlib import suppress
from importlib.machinery import ExtensionFileLoader
from operator import itemgetter

import pytest

from quire.models.cdom.errors import (
    Encrypted,
    ErrorCode,
    Malformed,
    NoSuchPage,
    ResourceLimit,
    TooManyPages,
    UnsupportedFormat,
)
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.tree import FURNITURE, PageStatus
from quire.models.cdom.visible import visible_blocks
from quire.models.extract.contract import dump_facts, dump_page, failed_page, load_facts, load_page
from quire.models.extract.formats.common.page_selection import select_pages
from quire.models.extract.formats.pdf.engine import pymupdf
from quire.models.extract.formats.pdf.facts import parse_date
from quire.models.extract.formats.pdf.structure.referee import Referee
from quire.models.extract.layout import page as layout_page
from quire.models.extract.pipeline import pdf as pdf_document
from quire.models.extract.pipeline.assemble import assemble
from quire.models.extract.registry import open_document
from tests.models.extract.formats.pdf.paper import SOURCE, Paper, read_tree
from tests.models.extract.passes import find_pass

of_sources = pytest.mark.skipif(
    isinstance(layout_page.__loader__, ExtensionFileLoader),
    reason="calls inside compiled code are neither replaced nor counted",
)


def make_pages(count: int) -> bytes:
    paper = Paper().text(50, 50, "page 1")
    for number in range(2, count + 1):
        paper.new_page().text(50, 50, f"page {number}")
    return paper.save()


def lock(user: str = "open", owner: str = "sesame") -> bytes:
    return Paper().text(50, 50, "secret").save(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw=user, owner_pw=owner)


def test_an_encrypted_file_wants_its_password() -> None:
    for password in (None, "wrong"):
        with pytest.raises(Encrypted):
            open_document(lock(), ReadOptions(password=password))
    assert read_tree(lock(), password="open").blocks[0].text == "secret"


def test_a_file_with_an_owner_password_only_opens() -> None:
    assert read_tree(lock(user="")).blocks[0].text == "secret"


@pytest.mark.parametrize("data", [b"%PDF-1.7\n", b"%PDF-1.4\n%%EOF", b"%PDF-1.7\n" + b"\x00" * 500])
def test_a_file_without_a_page_is_malformed(data: bytes) -> None:
    with pytest.raises(Malformed):
        open_document(data, ReadOptions())


def test_too_many_pages_are_refused_before_any_is_read() -> None:
    with pytest.raises(TooManyPages):
        open_document(make_pages(5), ReadOptions(max_pages=4))
    assert open_document(make_pages(5), ReadOptions(max_pages=4, pages=((2, 3),))).facts.page_numbers == (2, 3)


def test_page_ranges_are_ascending_and_inside_the_file() -> None:
    assert select_pages(9, ((7, 20), (2, 3), (3, 3))) == (2, 3, 7, 8, 9)
    assert select_pages(3, ()) == (1, 2, 3)


def test_pages_that_select_nothing_are_an_error_and_no_empty_tree() -> None:
    with pytest.raises(NoSuchPage):
        open_document(make_pages(3), ReadOptions(pages=((7, 7),)))


def test_only_the_pages_asked_for_are_in_the_tree() -> None:
    tree = read_tree(make_pages(5), pages=((2, 2), (4, 4)))
    assert [page.number for page in tree.pages] == [2, 4]
    assert [block.text for block in tree.blocks] == ["page 2", "page 4"]


def test_file_reopened_between_pages_reads_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    data = make_pages(7)
    whole = read_tree(data)
    monkeypatch.setattr(pdf_document, "PAGES_PER_OPEN", 2)
    assert read_tree(data) == whole


def test_pages_read_apart_make_the_same_tree_as_pages_read_in_a_row() -> None:
    data, options = make_pages(6), ReadOptions()
    contents = []
    for numbers in ((4, 5, 6), (1, 2, 3)):
        document = open_document(data, options)
        contents += [load_page(dump_page(document.read_page(number).content)) for number in numbers]
    facts = load_facts(dump_facts(open_document(data, options).facts))
    assert assemble(facts, contents, source=SOURCE, options=options) == read_tree(data)


def test_failed_page_stays_in_tree_with_warning() -> None:
    options, document = ReadOptions(), open_document(make_pages(3), ReadOptions())
    contents = [document.read_page(1).content, failed_page(2, ErrorCode.TIMEOUT), document.read_page(3).content]
    tree = assemble(document.facts, contents, source=SOURCE, options=options)
    assert [page.status for page in tree.pages] == [PageStatus.OK, PageStatus.FAILED, PageStatus.OK]
    assert [(warning.code, warning.page) for warning in tree.warnings] == [("timeout", 2)]
    assert [block.text for block in tree.blocks] == ["page 1", "page 3"]


@of_sources
@pytest.mark.usefixtures("steps_may_fail")
@pytest.mark.parametrize(("broken", "kind"), [(7, "TypeError"), (itemgetter(99), "IndexError")])
def test_layout_bug_costs_one_step(monkeypatch: pytest.MonkeyPatch, broken: object, kind: str) -> None:
    monkeypatch.setattr(find_pass("pieces"), "function", broken)
    read = open_document(make_pages(1), ReadOptions()).read_page(1)
    assert (read.content.status, read.content.warnings) == (PageStatus.OK, ("step-failed", "step-pieces"))
    assert (read.fault or "").startswith(f"step pieces: {kind} at models/extract/steps.py:")


@of_sources
def test_bug_outside_all_steps_leaves_the_page_to_the_second_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find_pass("text"), "function", 7)
    read = open_document(make_pages(1), ReadOptions()).read_page(1)
    assert (read.content.status, read.content.warnings, read.content.engine) == (
        PageStatus.OK,
        ("second-engine",),
        "pdfium",
    )
    assert [block.text for block in read.content.blocks] == ["page 1"]
    assert (read.fault or "").startswith("TypeError at models/extract/steps.py:")


@of_sources
def test_bug_on_a_page_that_no_engine_reads_is_internal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find_pass("text"), "function", 7)
    monkeypatch.setattr(Referee, "read_page", lambda *_: None)
    content = open_document(make_pages(1), ReadOptions()).read_page(1).content
    assert (content.status, content.error) == (PageStatus.FAILED, ErrorCode.INTERNAL)


def test_page_that_both_engines_refuse_is_malformed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find_pass("text"), "function", lambda *_: pymupdf.open(stream=b"", filetype="pdf"))
    monkeypatch.setattr(Referee, "read_page", lambda *_: None)
    read = open_document(make_pages(1), ReadOptions()).read_page(1)
    assert (read.content.error, read.fault) == (ErrorCode.MALFORMED, None)


def test_a_page_is_drawn_no_larger_than_allowed() -> None:
    data = Paper(600, 600).text(50, 50, "x").save()
    small = open_document(data, ReadOptions(max_image_pixels=10_000)).render_page(1, 300)
    pixels = pymupdf.Pixmap(small.png)
    assert pixels.width * pixels.height <= 10_000
    assert (small.width, small.height, small.page_count) == (600, 600, 1)


def test_a_page_that_is_not_there_is_not_drawn() -> None:
    with pytest.raises(Malformed):
        open_document(make_pages(1), ReadOptions()).render_page(2, 72)


def test_pictures_are_drawn_when_asked_for() -> None:
    document = open_document(Paper().picture(50, 50, 150, 120).text(50, 300, "words").save(), ReadOptions())
    content = document.read_page(1).content
    assets = document.render_assets(content)
    (reference,) = [block.asset_ref for block in content.blocks if block.asset_ref]
    assert set(assets) == {reference}
    assert pymupdf.Pixmap(assets[reference]).width == 200


def test_dates_of_all_shapes_become_iso_dates() -> None:
    assert parse_date("D:20230517120102+02'00'") == "2023-05-17T12:01:02+02:00"
    assert parse_date("D:20230517120102Z") == "2023-05-17T12:01:02Z"
    assert parse_date("D:2023") == "2023-01-01"
    assert parse_date("yesterday") is None
    assert parse_date(None) is None


def test_metadata_and_outline_are_facts_of_the_document() -> None:
    paper = Paper().text(50, 50, "x")
    paper.file.set_metadata({"title": "A Title", "author": "A. Author", "creationDate": "D:20200102"})
    paper.file.set_toc([[1, "One", 1]])
    facts = open_document(paper.save(), ReadOptions()).facts
    assert (facts.metadata.title, facts.metadata.author, facts.metadata.created) == (
        "A Title",
        "A. Author",
        "2020-01-02",
    )
    assert [(entry.level, entry.title, entry.page) for entry in facts.outline] == [(1, "One", 1)]


def test_more_text_than_allowed_is_a_limit() -> None:
    document = open_document(make_pages(3), ReadOptions(max_text_chars=10))
    document.read_page(1)
    with pytest.raises(ResourceLimit):
        document.read_page(2)


def test_pictures_beyond_the_limit_lose_their_reference_with_a_warning() -> None:
    paper = Paper().picture(50, 50, 150, 120).picture(50, 200, 150, 270).picture(50, 350, 150, 420)
    tree = read_tree(paper.text(50, 500, "Words enough to be a page of text.").save(), max_assets=2)
    assert [bool(block.asset_ref) for block in tree.blocks[:3]] == [True, True, False]
    assert [warning.code for warning in tree.warnings] == ["pictures-left-out"]


@of_sources
def test_thousands_of_scattered_words_are_read_in_linear_time() -> None:
    """Each word is compared with few others: twice the words, about twice the steps (counted, not timed)."""
    import sys

    def count_calls(words: int) -> int:
        paper = Paper()
        for number in range(words):
            paper.text(10 + number * 37 % 380, 10 + number * 91 % 580, f"w{number}", 3)
        document, calls = open_document(paper.save(), ReadOptions()), 0

        def note(*_: object) -> None:
            nonlocal calls
            calls += 1

        sys.setprofile(note)
        try:
            document.read_page(1)
        finally:
            sys.setprofile(None)
        return calls

    assert count_calls(1200) < 3.5 * count_calls(400)


def test_page_with_a_broken_entry_fails_alone() -> None:
    data = make_pages(3).replace(b"/Type/Page/", b"/Type/Pxge/", 1)
    tree = read_tree(data)
    assert len(tree.pages) == 3
    assert [block.text for block in tree.blocks][-1] == "page 3"


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_file_is_read_or_refused_with_a_code(seed: int) -> None:
    chance = random.Random(seed)
    data = bytearray(make_pages(3))
    for _ in range(chance.choice((1, 5, 40))):
        data[chance.randrange(9, len(data))] = chance.randrange(256)
    with suppress(Malformed, Encrypted, UnsupportedFormat):
        assert read_tree(bytes(data)).pages


def test_a_form_in_xfa_says_so() -> None:
    paper = Paper().text(50, 50, "Please wait while the form is loaded")
    assert open_document(paper.save(), ReadOptions()).facts.warnings == ()
    paper.file.xref_set_key(paper.file.pdf_catalog(), "AcroForm", "<< /Fields [] /XFA [] >>")
    assert open_document(paper.save(), ReadOptions()).facts.warnings == ("xfa-form",)


@pytest.mark.parametrize("y", [12, 300, 590])
@pytest.mark.parametrize("word", ["Hello", "7", "-", "."])
def test_document_of_a_single_word_has_this_word_as_text_at_any_place(word: str, y: float) -> None:
    tree = Paper().text(60, y, word).read()
    assert [block.text for block in visible_blocks(tree)] == [word]
    assert not any(block.type in FURNITURE for block in tree.blocks)
