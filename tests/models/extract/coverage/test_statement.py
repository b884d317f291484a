"""The statement of a document: every character that a page shows is placed, excluded by name, or reported as lost."""

import random
from dataclasses import replace

from quire.models.cdom.coverage import CharacterCount, Coverage
from quire.models.cdom.original import Format, ReadOptions
from quire.models.cdom.tree import BlockType, Tree
from quire.models.extract.contract import DocumentFacts, PageBlock, PageContent
from quire.models.extract.coverage.account import Painted, account_page, account_recognised
from quire.models.extract.formats.pdf.engine import pymupdf
from quire.models.extract.pipeline.assemble import TEXT_LOST, assemble
from quire.models.extract.pipeline.page import layout_page
from quire.models.extract.registry import open_document
from tests.models.extract.formats.pdf.paper import SOURCE, Paper
from tests.models.extract.passes import find_marks

MUTANTS = 1000
TOP, LOW, BESIDE, UNDER = (0.0, 0.0, 9.0, 9.0), (0.0, 9.0, 9.0, 18.0), (9.0, 0.0, 12.0, 9.0), (9.0, 9.0, 12.0, 18.0)


def make_paper() -> Paper:
    """Prose in two columns, a table with rules, a divided word, a heading and single figures."""
    paper = Paper(width=520, height=700)
    paper.text(50, 40, "1. What was measured", size=16, font="hebo")
    paper.prose(50, 70, 7, chars=44)
    paper.prose(280, 70, 6, chars=40)
    paper.lines(50, 200, ["The measure-", "ment was repeated twice", "and is kept."])
    for row in range(4):
        paper.rule(50, 300 + 20 * row, 450, 300 + 20 * row)
        for column in range(3 if row < 3 else 0):
            paper.text(60 + 130 * column, 314 + 20 * row, ("Year", "Count", "7")[column] if not row else str(7 + row))
    paper.prose(50, 420, 5)
    return paper


def states(count: CharacterCount) -> bool:
    return count.painted == count.placed + sum(count.excluded.values()) + count.lost


def read_contents(paper: Paper) -> tuple[DocumentFacts, list[PageContent]]:
    document = open_document(paper.save(), ReadOptions())
    return document.facts, [document.read_page(number).content for number in document.facts.page_numbers]


def assemble_pages(facts: DocumentFacts, pages: list[PageContent]) -> Tree:
    return assemble(facts, pages, source=SOURCE, options=ReadOptions())


def statement(tree: Tree) -> Coverage:
    assert tree.coverage is not None
    return tree.coverage


def test_every_character_of_a_good_page_is_placed() -> None:
    stated = statement(make_paper().read())
    assert stated.complete
    assert stated.characters.lost == 0
    assert stated.characters.placed > 600
    assert all(states(page.characters) for page in stated.pages)
    assert states(stated.characters)


def test_hyphen_of_divided_word_is_left_out_by_name_with_its_place() -> None:
    (page,) = statement(make_paper().read()).pages
    assert page.characters.excluded == {"line_end_hyphen": 1}
    assert page.excluded[0].bbox is not None
    assert 188 < page.excluded[0].bbox[1] < 205


def test_a_line_that_layout_drops_is_reported_with_its_place() -> None:
    engine = pymupdf.open(stream=make_paper().save(), filetype="pdf")
    chance = random.Random(18)
    reported = 0
    for _ in range(MUTANTS // 2):
        marks = find_marks(engine[0])
        lost = marks.lines.pop(chance.randrange(len(marks.lines)))
        stated = account_page(1, marks.painted, layout_page(marks).blocks)
        assert states(stated.characters)
        count = len("".join(lost.text.split()))
        reported += stated.characters.lost >= count - 1 and any(place.bbox is not None for place in stated.lost)
    assert reported == MUTANTS // 2


def drop_a_line(block: PageBlock, chance: random.Random) -> PageBlock | None:
    """The block without a stretch of its text or a cell; null without all of it."""
    if block.table is not None:
        cells = list(block.table.cells)
        full = [at for at, cell in enumerate(cells) if cell.text.strip()]
        at = chance.choice(full)
        cells[at] = replace(cells[at], text="")
        return replace(block, table=replace(block.table, cells=tuple(cells)))
    words = block.text.split(" ")
    if len(words) < 4 or chance.random() < 0.3:
        return None
    start = chance.randrange(len(words) - 2)
    return replace(block, text=" ".join(words[:start] + words[start + 2 :]))


def test_a_line_that_is_dropped_after_layout_is_reported() -> None:
    facts, (page,) = read_contents(make_paper())
    chance = random.Random(19)
    for _ in range(MUTANTS // 2):
        at = chance.randrange(len(page.blocks))
        changed = drop_a_line(page.blocks[at], chance)
        blocks = page.blocks[:at] + (() if changed is None else (changed,)) + page.blocks[at + 1 :]
        tree = assemble_pages(facts, [replace(page, blocks=blocks)])
        stated = statement(tree)
        assert stated.characters.lost > 0
        assert not stated.complete
        assert states(stated.characters)
        assert [warning.code for warning in tree.warnings] == [TEXT_LOST]
        assert tree.pages[0].confidence < page.confidence


def test_value_that_stands_twice_and_is_in_tree_once_is_reported() -> None:
    lines = [("Total", TOP), ("Total", LOW), ("5", BESIDE), ("5", UNDER)]
    painted = Painted(
        text="TotalTotal55",
        lines=lambda: lines,
    )
    stated = account_page(1, painted, [PageBlock(type=BlockType.PARAGRAPH, text="Total 5 Total")])
    assert stated.characters.lost == 1
    assert stated.lost[0].bbox in {BESIDE, UNDER}


def test_uncounted_page_is_unknown_and_not_complete() -> None:
    facts, (page,) = read_contents(make_paper())
    stated = statement(assemble_pages(facts, [replace(page, coverage=None)]))
    assert stated.unknown == (1,)
    assert not stated.complete


def test_characters_that_are_not_decoded_are_lost() -> None:
    block = PageBlock(type=BlockType.PARAGRAPH, text="price \ufffd\ufffd", bbox=TOP)
    painted = Painted(text="price\ufffd\ufffd")
    page = PageContent(
        number=1, width=100.0, height=100.0, blocks=(block,), coverage=account_page(1, painted, [block]), written=7
    )
    facts = DocumentFacts(format=Format.PDF, page_count=1, page_numbers=(1,))
    stated = statement(assemble_pages(facts, [page]))
    assert (stated.characters, stated.complete) == (CharacterCount(painted=7, placed=5, lost=2), False)


def test_recognition_replaces_at_most_as_much_as_it_brings() -> None:
    layer = account_page(1, Painted(text="abcdefgh"), [PageBlock(type=BlockType.PARAGRAPH, text="abcdefgh", bbox=TOP)])
    recognised = PageBlock(type=BlockType.PARAGRAPH, text="abcde", bbox=TOP)
    lines = [("abcde", TOP)]
    whole = account_recognised(layer, lines, [recognised], number=1, kept=False)
    assert whole.characters == CharacterCount(painted=13, placed=5, excluded={"replaced": 5}, lost=3)
    old = PageBlock(type=BlockType.PARAGRAPH, text="abcdefgh", bbox=TOP)
    part = account_recognised(layer, lines, [recognised], number=1, kept=True, replaced=[old])
    assert part.characters == CharacterCount(painted=13, placed=5, excluded={"replaced": 5}, lost=3)
    assert sum(place.characters for place in part.lost) == 3
