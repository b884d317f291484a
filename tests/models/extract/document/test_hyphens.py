"""Words at line ends in the light of the whole document: the page decided alone, other pages know better."""

from dataclasses import replace

from quire.models.cdom.coverage import LINE_END_HYPHEN, CharacterCount, ExcludedPlace, PageCoverage
from quire.models.cdom.tree import BlockType, Span
from quire.models.extract.contract import PageBlock, PageContent
from quire.models.extract.coverage.total import count_written
from tests.models.extract.pipeline.test_assemble import build, page, text

PLACE = ExcludedPlace(reason=LINE_END_HYPHEN, characters=1, bbox=(0, 0, 9, 9))


def broken(words: str, at: str, **more: object) -> PageBlock:
    """A paragraph with a line end right before `at`."""
    return replace(text(words), breaks=(words.index(at),), **more)  # type: ignore[arg-type]


def stated(made: PageContent, hyphens: int) -> PageContent:
    """The page with the statement that reading it makes."""
    placed = count_written(made.blocks)
    excluded = {LINE_END_HYPHEN: hyphens} if hyphens else {}
    counts = CharacterCount(painted=placed + hyphens, placed=placed, excluded=excluded)
    coverage = PageCoverage(number=made.number, characters=counts, excluded=(PLACE,) * hyphens)
    return replace(made, written=placed, coverage=coverage)


def test_a_hyphen_that_the_document_has_elsewhere_is_put_back() -> None:
    first = broken("A list of indemand jobs.", "demand", spans=(Span(start=10, end=18, bold=True),))
    tree = build(stated(page(1, first), 1), stated(page(2, text("Jobs that are in-demand.")), 0))
    assert tree.blocks[0].text == "A list of in-demand jobs."
    assert [tree.blocks[0].text[one.start : one.end] for one in tree.blocks[0].spans] == ["in-demand"]
    assert tree.coverage is not None
    assert tree.coverage.complete
    assert tree.coverage.pages[0].characters.excluded == {}
    assert not tree.coverage.pages[0].excluded


def test_a_hyphen_that_the_document_does_not_have_elsewhere_goes() -> None:
    first = broken("A long work-flow, and on.", "-flow", spans=(Span(start=7, end=16, bold=True),))
    tree = build(stated(page(1, first), 0), stated(page(2, text("The workflow of it.")), 0))
    assert tree.blocks[0].text == "A long workflow, and on."
    assert [tree.blocks[0].text[one.start : one.end] for one in tree.blocks[0].spans] == ["workflow"]
    assert tree.coverage is not None
    counts = tree.coverage.pages[0].characters
    assert (counts.excluded, counts.lost) == ({LINE_END_HYPHEN: 1}, 0)
    assert counts.painted == counts.placed + 1


def test_two_line_ends_are_not_evidence_for_each_other() -> None:
    blocks = [broken("A list of indemand jobs.", "demand"), broken("Jobs of in-demand kind.", "-demand")]
    assert [block.text for block in build(page(1, *blocks)).blocks] == [block.text for block in blocks]
    assert all(block.type is BlockType.PARAGRAPH for block in build(page(1, *blocks)).blocks)
