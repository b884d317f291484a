"""A redacted PDF shows what the original shows but for what is masked, and holds nothing else of it."""

import random
from collections.abc import Callable
from io import BytesIO

import pikepdf
import pymupdf
import pytest

from quire.models.cdom.tree import BlockId, Route
from quire.models.pii.flagging.flag import flag_tree
from quire.models.pii.letters import letters
from quire.models.pii.patterns.kind_patterns import RegexDetector
from quire.models.redaction.pdf import prove
from quire.models.redaction.pdf import redact as redact_module
from quire.models.redaction.pdf.clean import PageCleaner
from quire.models.redaction.planning import search
from quire.models.redaction.planning.errors import RedactionUnproven
from quire.models.redaction.redact import redact_original
from tests.lab.bench.redaction import canary_files
from tests.lab.bench.redaction.pdf_file import start
from tests.lab.bench.redaction.pdf_places import CONTENT_PLACES
from tests.models.redaction import papers
from tests.models.redaction.papers import PLACES, SECRET, SHOWN, append, edited, everything, read, redact, show
from tests.security.canaries import make_case

IBAN = "DE27181200263513456737"
UNSEEN = (papers.in_script_and_thumbnail, papers.in_earlier_revision)
"""Where the curious reader of these tests finds nothing either."""


@pytest.mark.parametrize("make", PLACES.values(), ids=PLACES)
def test_masked_value_is_removed_from_every_place(make: Callable[[], bytes]) -> None:
    original = make()
    clean = redact(original)
    assert letters(SECRET) in letters(everything(original)) or make in UNSEEN
    assert letters(SECRET) not in letters(everything(clean))
    assert SHOWN in pymupdf.open(stream=clean)[0].get_text()


def test_the_words_around_a_value_stay_and_can_be_selected() -> None:
    text = pymupdf.open(stream=redact(papers.in_text()))[0].get_text()
    assert "Write to" in text
    assert "soon." in text


def test_a_rejected_flag_leaves_the_value() -> None:
    original = papers.in_text()
    tree = flag_tree(read(original), RegexDetector())
    (block,) = [block for block in tree.blocks if block.flags]
    clean = redact_original(original, tree, {(block.id, "pii:email", 0): "rejected"}, read)
    assert SECRET in pymupdf.open(stream=clean)[0].get_text()


def test_unread_pictures_and_curves_are_not_shown() -> None:
    for original in (papers.in_picture(), papers.in_outlines()):
        page = pymupdf.open(stream=redact(original))[0]
        area = page.get_pixmap(clip=pymupdf.Rect(60, 150, 500, 300))
        assert area.is_unicolor
        assert not page.get_images()


def test_pages_keep_number_size_and_turn() -> None:
    with pymupdf.open() as document:
        document.new_page(width=300, height=500).insert_text((20, 40), f"Ask {SECRET}")
        document.new_page(width=900, height=400).set_rotation(270)
        original = document.tobytes()
    before, after = pymupdf.open(stream=original), pymupdf.open(stream=redact(original))
    assert [(page.rect, page.rotation) for page in after] == [(page.rect, page.rotation) for page in before]


def test_the_same_file_gives_the_same_bytes_linearised() -> None:
    original = papers.in_text()
    clean = redact(original)
    assert clean == redact(original)
    with pikepdf.open(BytesIO(clean)) as pdf:
        assert pdf.is_linearized
        assert set(pdf.Root.keys()) <= {"/Type", "/Pages", "/Extensions"}
        assert not pdf.docinfo.keys()


def test_unread_page_is_blank() -> None:
    with pymupdf.open() as document:
        document.new_page().insert_text((72, 72), SHOWN)
        document.new_page().insert_text((72, 72), "unread words")
        original = document.tobytes()
    tree = flag_tree(read(original), RegexDetector())
    from dataclasses import replace

    first = replace(tree, pages=tree.pages[:1], blocks=tuple(block for block in tree.blocks if block.page == 1))
    after = pymupdf.open(stream=redact_original(original, first, {}, read))
    assert [page.get_text().strip() for page in after] == [SHOWN, ""]


def test_value_found_again_refuses_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redact_module, "remove_values", lambda *_: set())
    with pytest.raises(RedactionUnproven):
        redact(papers.in_text())


@pytest.mark.parametrize("engine", ["texts_of_tree", "_texts_of_pdfium", "_decoded"])
def test_each_way_of_reading_again_finds_a_value_alone(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redact_module, "remove_values", lambda *_: set())
    monkeypatch.setattr(search.Search, "in_bytes", lambda *_: engine == "_decoded")
    for other in {"texts_of_tree", "_texts_of_pdfium", "_decoded"} - {engine}:
        monkeypatch.setattr(prove, other, lambda _: iter(()))
    with pytest.raises(RedactionUnproven):
        redact(papers.in_text())


def test_marks_that_were_not_taken_out_refuse_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mutant: content streams pass as they are, so `/ActualText` stays and is found among the bytes."""

    def edit(pdf: pikepdf.Pdf) -> None:
        append(pdf, show(f"Ask {SECRET} now", 300))
        second = pdf.add_blank_page().obj
        second.Contents = pdf.make_stream(f"/Figure <</Alt ({SECRET})>> BDC EMC".encode())

    original = edited(edit)
    assert letters(SECRET) not in letters(everything(redact(original)))
    monkeypatch.setattr("quire.models.redaction.pdf.clean.needs_cleaning", lambda _: False)
    with pytest.raises(RedactionUnproven):
        redact(original)


def test_metadata_that_was_not_left_behind_refuses_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mutant: every key of a page is copied."""

    def edit(pdf: pikepdf.Pdf) -> None:
        append(pdf, show(f"Ask {SECRET} now", 300))
        pdf.pages[0].obj.Note = pikepdf.String(SECRET)

    original = edited(edit)
    assert letters(SECRET) not in letters(everything(redact(original)))
    kept = PageCleaner.clean

    def careless(self: PageCleaner, page: pikepdf.Page) -> object:
        made = kept(self, page)
        made.Note = page.obj.Note
        return made

    monkeypatch.setattr(PageCleaner, "clean", careless)
    with pytest.raises(RedactionUnproven):
        redact(original)


@pytest.mark.parametrize("number", range(0, 90, 3))
def test_canaries_in_every_place_are_gone(number: int) -> None:
    case = make_case(number)
    found = letters(everything(redact(case.data)))
    assert [place for needle, place in case.needles.items() if needle in found] == []


@pytest.mark.parametrize("number", range(30))
def test_values_in_any_place_of_a_file_are_gone_by_every_way_of_looking(number: int) -> None:
    case = canary_files.make_pdf(number)
    seen, shown = canary_files.search_pdf(case.data), canary_files.search_pdf(redact(case.data))
    for needle, place in case.needles.items():
        assert any(needle in text for text in seen.values()), place
        assert [way for way, text in shown.items() if needle in text] == [], place


def test_figures_drawn_in_any_order_are_a_number_to_the_second_engine() -> None:
    """The first engine reads them in the order in which they are drawn."""

    originals = []
    for number in range(12):
        file = start(packed=False)
        CONTENT_PLACES["shuffled"](file, IBAN, 400, random.Random(number))
        originals.append(file.finish())
    assert any(IBAN not in pymupdf.open(stream=one)[0].get_text() for one in originals)
    for one in originals:
        assert canary_files.folded(IBAN) not in canary_files.search_pdf(redact(one))["pdfium"]


def test_hidden_text_of_a_recognised_page_is_not_written_below_its_picture() -> None:
    from dataclasses import replace

    original = papers.in_text()
    tree = flag_tree(read(original), RegexDetector())
    first, *rest = tree.blocks
    seen = replace(first, text="Words that are seen.", flags=(), flag_spans=())
    unseen = replace(first, id=BlockId("unseen"), text="Words that nobody sees.", flags=("hidden-text",), flag_spans=())
    page = replace(tree.pages[0], route=Route.OCR)
    scan = replace(tree, pages=(page,), blocks=(seen, unseen, *rest))
    text = pymupdf.open(stream=redact_original(original, scan, {}, read))[0].get_text()
    assert "Words that are seen." in text
    assert "nobody" not in text
