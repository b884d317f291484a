"""The route of a page, and its recorded reason."""

import pytest

from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.cdom.tree import Route
from quire.models.extract.layout.lines.marks import Line, PageMarks
from quire.models.extract.pipeline.plan import plan_page

PAGE = (0.0, 0.0, 400.0, 600.0)


def marks(
    text: str = "", *, hidden: str = "", pictures: tuple[tuple[float, float, float, float], ...] = ()
) -> PageMarks:
    lines = [Line(50, 50, 300, 60, 58, 10, text)] if text else []
    unseen = [Line(50, 80, 300, 90, 88, 10, hidden, hidden=True, unseen="invisible")] if hidden else []
    return PageMarks(width=400, height=600, lines=lines, unseen=unseen, pictures=list(pictures))


@pytest.mark.parametrize(
    ("page", "route", "reason"),
    [
        (marks("A page of ordinary text that anybody can read."), Route.FAST, "text-layer"),
        (marks(), Route.FAST, "blank"),
        (marks(pictures=(PAGE,)), Route.OCR, "no-text"),
        (marks(hidden="recognised long ago by somebody else", pictures=(PAGE,)), Route.OCR, "hidden-text"),
        (marks("Title over a picture", pictures=(PAGE,)), Route.OCR, "picture-text"),
        (marks("\ue001\ue002\ue003\ue004\ue005 \ue006\ue007\ue008 x"), Route.OCR, "garbage-text"),
        (marks("Text beside a large picture, and quite enough of it to be a page " * 3, pictures=(PAGE,)), Route.FAST,
         "text-layer"),
    ],
)  # fmt: skip
def test_a_page_goes_its_way_for_a_reason(page: PageMarks, route: Route, reason: str) -> None:
    plan = plan_page(page, ReadOptions())
    assert (plan.route, plan.reason) == (route, reason)


def test_recognition_can_be_asked_for_and_refused() -> None:
    assert plan_page(marks("Plain text."), ReadOptions(ocr=OcrMode.ALWAYS)).route is Route.OCR
    refused = plan_page(marks(pictures=(PAGE,)), ReadOptions(ocr=OcrMode.NEVER))
    assert refused.route is Route.NONE
    assert refused.reason == "no-text, ocr off"
