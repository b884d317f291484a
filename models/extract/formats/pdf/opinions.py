"""Second opinions on a page: another engine about its words, a layout detector about its tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from quire.models.cdom.original import ReadOptions
from quire.models.cdom.ports import DetectedPage, PixelPage
from quire.models.cdom.tree import DAMAGED, BlockType, Route
from quire.models.extract.contract import SECOND_ENGINE, PageBlock, PageContent
from quire.models.extract.document.table_checks import check_block
from quire.models.extract.formats.pdf.engine import read_contents, take_messages
from quire.models.extract.formats.pdf.render import draw_doubted
from quire.models.extract.formats.pdf.structure.contents import find_content_errors, has_loss, lacks_content
from quire.models.extract.formats.pdf.structure.referee import Referee
from quire.models.extract.layout.lines.marks import PageMarks


@dataclass(frozen=True, slots=True)
class SecondEngineLimits:
    """By how much more characters the second engine has to see to be believed."""

    more_share: float = 1.02
    """Factor of the characters of the first engine."""
    more_chars: int = 3
    """Characters beyond that."""


LIMITS = SecondEngineLimits()


def invite_opinion(marks: PageMarks, seen: DetectedPage | None) -> None:
    """Ask the layout to report doubtful tables, or give it the detector's tables when there are some."""
    if seen is None:
        marks.doubts = []
    else:
        marks.seen = [element.bbox for element in seen.elements if element.type is BlockType.TABLE]


def draw_if_doubted(page: Any, marks: PageMarks, content: PageContent, options: ReadOptions) -> PixelPage | None:
    """Return the page's picture for a detector; None where a second opinion is neither asked for nor needed."""
    is_asked = page is not None and content.route is not Route.OCR
    return draw_doubted(page, content, options) if is_asked and is_doubted(marks, content.blocks) else None


def is_doubted(marks: PageMarks, blocks: Sequence[PageBlock]) -> bool:
    """Return whether a detector should check the page's tables; False when a second opinion was not asked for."""
    if marks.doubts is None:
        return False
    return bool(marks.doubts) or any(_contradicts_itself(block) for block in blocks)


def _contradicts_itself(block: PageBlock) -> bool:
    table = check_block(block).table
    return table is not None and any(not check.holds for check in table.checks)


def check_content(page: Any, marks: PageMarks, referee: Referee | None) -> None:
    """Ask the second engine about a page without text or with errors, and take its words where it has more.

    Without more words, a page of which content is missing is not complete.
    """
    is_empty = not marks.lines and not marks.unseen
    errors = find_content_errors(page, take_messages())
    contents = read_contents(page) if is_empty or errors else b""
    if referee is not None and (errors or contents is None or (is_empty and contents.strip())):
        second = referee.read_page(marks.number)
        known = len(marks.painted.text) + sum(place.characters for place in marks.painted.excluded)
        if second is not None and len(second.painted.text) > LIMITS.more_share * known + LIMITS.more_chars:
            marks.lines, marks.painted, marks.engine = second.lines, second.painted, second.engine
            marks.tags, marks.unseen = [], []
            marks.warnings.append(SECOND_ENGINE)
    if contents is None or has_loss(page, errors) or lacks_content(page):
        doubt_content(marks)


def doubt_content(marks: PageMarks) -> None:
    """Record that content of the page is missing."""
    marks.painted.judged = False
    marks.warnings.append(DAMAGED)
