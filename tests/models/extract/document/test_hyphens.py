"""Words at line ends in the light of the whole document: the page decided alone, other pages know better."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from quire.models.cdom.coverage import LINE_END_HYPHEN, CharacterCount, ExcludedPlace, PageCoverage
from quire.models.cdom.tree import BlockType, FlagSpan, Span
from quire.models.extract.contract import PageBlock, PageContent
from quire.models.extract.coverage.total import count_written
from quire.models.extract.document.draft import make_drafts
from quire.models.extract.document.hyphens import settle_hyphens
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


def test_hyphen_that_document_has_elsewhere_is_put_back() -> None:
    first = broken("A list of indemand jobs.", "demand", spans=(Span(start=10, end=18, bold=True),))
    tree = build(stated(page(1, first), 1), stated(page(2, text("Jobs that are in-demand.")), 0))
    assert tree.blocks[0].text == "A list of in-demand jobs."
    assert [tree.blocks[0].text[one.start : one.end] for one in tree.blocks[0].spans] == ["in-demand"]
    assert tree.coverage is not None
    assert tree.coverage.complete
    assert tree.coverage.pages[0].characters.excluded == {}
    assert not tree.coverage.pages[0].excluded


def test_hyphen_that_document_does_not_have_elsewhere_goes() -> None:
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


def settle(*pages: PageContent) -> tuple[list[PageBlock], Counter[int]]:
    drafts = make_drafts(list(pages))
    gained = settle_hyphens(drafts)
    return [draft.block for draft in drafts], gained


def test_gained_characters_are_counted_by_page() -> None:
    known = text("Jobs that are in-demand. The workflow of it.")
    pages = (
        page(1, known),
        page(2, broken("A list of indemand jobs.", "demand")),
        page(3, broken("A work-flow.", "-flow")),
    )
    blocks, gained = settle(*pages)
    assert gained == {2: 1, 3: -1}
    assert [block.text for block in blocks[1:]] == ["A list of in-demand jobs.", "A workflow."]


@pytest.mark.parametrize(
    ("words", "at", "elsewhere"),
    [
        ("A list of indemand jobs.", "demand", "Jobs without the word."),
        ("A list of indemand jobs.", "demand", "Both in-demand and indemand."),
        ("A list of indemand jobs.", "demand", "The word indemand itself."),
        ("A work-flow of it.", "-flow", "The work-flow of it."),
        ("A work-flow of it.", "-flow", "Both work-flow and workflow."),
        ("A list, demand jobs.", " demand", "A list-demand."),
        ("The end", "The", "The-end of the end."),
    ],
)
def test_hyphen_stays_as_printed_when_nothing_or_both_forms_speak(words: str, at: str, elsewhere: str) -> None:
    blocks, gained = settle(page(1, broken(words, at)), page(2, text(elsewhere)))
    assert (blocks[0].text, gained) == (words, {})


def test_words_are_compared_without_case_also_in_divided_paragraphs() -> None:
    first = broken("A WORK-FLOW of the IN-DEMAND kind.", "-FLOW")
    second = broken("Some indemand Workflow.", "demand")
    blocks, _ = settle(page(1, first), page(2, second))
    assert [block.text for block in blocks] == ["A WORKFLOW of the IN-DEMAND kind.", "Some in-demand Workflow."]


@pytest.mark.parametrize("seed", range(20))
def test_spans_and_breaks_follow_the_hyphens_of_their_words(seed: int) -> None:
    """Each span covers the same word before and after; hyphens come and go at several line ends of one paragraph."""
    draw = random.Random(seed)
    words = [draw.choice(("indemand", "work-flow", "plain", "rope")) for _ in range(draw.randint(2, 12))]
    printed, known = " ".join(words), {"indemand": "in-demand", "work-flow": "workflow"}
    starts = [sum(len(word) + 1 for word in words[:index]) for index in range(len(words))]
    cut = {"indemand": 2, "work-flow": 4}
    breaks = tuple(start + cut[word] for start, word in zip(starts, words, strict=True) if word in cut)
    spans = tuple(Span(start=start, end=start + len(word)) for start, word in zip(starts, words, strict=True))
    flags = tuple(FlagSpan(flag="a", start=span.start, end=span.end) for span in spans)
    block = replace(text(printed), spans=spans, flag_spans=flags, breaks=breaks)
    blocks, gained = settle(page(1, block), page(2, text("The in-demand workflow.")))
    settled, expected = blocks[0], [known.get(word, word) for word in words]
    assert settled.text == " ".join(expected)
    assert [settled.text[span.start : span.end] for span in settled.spans] == expected
    assert [settled.text[flag.start : flag.end] for flag in settled.flag_spans] == expected
    assert gained[1] == len(settled.text) - len(printed)
    ends = {"in-demand": "in", "workflow": "work"}
    before = [settled.text[:offset].rsplit(" ", 1)[-1].rstrip("-") for offset in settled.breaks]
    assert before == [ends[word] for word in expected if word in ends]
