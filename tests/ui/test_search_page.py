"""The search page: what is near is shown with its place, what is far is said to be far, narrowing is passed on."""

from dataclasses import replace
from typing import Any

import pytest

from quire.models.cdom.search import SearchHit, SearchRequest
from quire.serve_apps.api.context.resources import Ports
from quire.storage.store import Store
from tests.api.harness import make_resources, serving
from tests.serve_apps.mcp.test_mcp import a_hit
from tests.ui.conftest import Visitor, visitor_of

TABLE = "Crane | Verdict\nCrane 1 | in service\nCrane 3 | <b>replace</b>"


class Shelf:
    """Finds one passage at a distance that the test chooses; keeps what it was asked."""

    def __init__(self, similarity: float, **facts: Any) -> None:
        self.asked: list[SearchRequest] = []
        self._hit = replace(a_hit(TABLE), similarity=similarity, **facts)

    async def search(self, request: SearchRequest) -> list[SearchHit]:
        self.asked.append(request)
        return [self._hit]

    async def check(self) -> float:
        """Always well."""
        return 0.0


async def page_of(store: Store, dsn: str, shelf: Shelf, query: str) -> str:
    async with serving(make_resources(store, dsn=dsn, ports=Ports(search=shelf))) as app:
        visitor: Visitor = visitor_of(app)
        await visitor.sign_in()
        answer = await visitor.http.get(f"/ui/search?{query}")
    assert answer.status_code == 200
    return answer.text


@pytest.mark.parametrize(("similarity", "said"), [(0.1, True), (0.6, False)])
async def test_search_without_a_good_match_says_so(store: Store, dsn: str, similarity: float, said: bool) -> None:
    text = await page_of(store, dsn, Shelf(similarity), "q=zxqv+nothing")
    assert ("No good match" in text) is said
    assert "a.pdf" in text


async def test_table_row_is_shown_below_its_header_as_plain_text(store: Store, dsn: str) -> None:
    start = TABLE.index("replace")
    shelf = Shelf(
        0.6,
        highlights=((start, start + 7),),
        bboxes=({"page": 2, "bbox": [60, 100, 260, 140]},),
        has_page_pictures=True,
    )
    text = await page_of(store, dsn, shelf, "q=replace")
    assert '<th scope="col">Verdict</th>' in text
    assert "<td>&lt;b&gt;replace&lt;/b&gt;</td>" in text
    assert "in service" not in text
    assert 'viewBox="48' in text
    assert "/pages/2?dpi=144" in text


async def test_a_search_is_narrowed_as_the_form_says(store: Store, dsn: str) -> None:
    shelf = Shelf(0.6)
    text = await page_of(store, dsn, shelf, "q=x&type=pdf&language=de&since=2026-01-02&until=")
    (asked,) = shelf.asked
    assert (asked.format, asked.language, asked.until) == ("pdf", "de", None)
    assert asked.since is not None
    assert asked.since.date().isoformat() == "2026-01-02"
    assert 'name="type" value="pdf"' in text
