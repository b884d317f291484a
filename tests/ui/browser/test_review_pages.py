"""Review at scale in the dashboard: everything a filter shows, groups of one value, exact counts in an order."""

import re
from collections.abc import AsyncIterator
from html import unescape

import pytest

from quire.models.pii.engines.choose import make_flagger
from quire.storage.store import Store
from tests.api.harness import make_resources, serving
from tests.ui.conftest import SAME_SITE, Visitor, visitor_of


@pytest.fixture
async def visitor(store: Store, dsn: str) -> AsyncIterator[Visitor]:
    """Signed in as acme's writer, at a service that searches for personal data."""
    async with serving(make_resources(store, dsn=dsn, flag_tree=make_flagger("regex"))) as app:
        one = visitor_of(app)
        async with one.http:
            assert (await one.sign_in()).status_code == 303
            yield one


async def ingest(visitor: Visitor, name: str, *texts: str) -> tuple[str, str]:
    """Return the job and document of a tree with these paragraphs."""
    blocks = [{"id": f"x{i}", "type": "paragraph", "page": 1, "text": text} for i, text in enumerate(texts)]
    tree = {"source": {"name": name, "format": "txt"}, "cdom_version": "1.0", "blocks": blocks,
            "pages": [{"number": 1, "width": 595, "height": 842}]}  # fmt: skip
    headers = SAME_SITE | {"X-CSRF-Token": visitor.csrf}
    job = (await visitor.http.post("/ui/v1/ingest", json={"tree": tree}, headers=headers)).json()
    return job["id"], job["documents"][0]["document_id"]


async def test_filtered_flags_are_decided_together_and_undone(visitor: Visitor) -> None:
    job, document = await ingest(visitor, "a.txt", "ann@leak.example", "bob@leak.example", "4012888888881881")
    path = f"/ui/jobs/{job}/documents/{document}/review"
    shown = (await visitor.http.get(path, params={"kind": "pii:email"})).text
    assert "Reject all 2" in shown
    form = {"csrf": visitor.csrf, "act": "decide-shown", "job": job, "document": document, "kind": "pii:email"}
    answer = await visitor.http.post("/ui/act", data=form | {"decision": "rejected"}, headers=SAME_SITE)
    after = (await visitor.http.get(answer.headers["location"])).text
    assert "2 flags changed" in after
    undo = re.search(r'name="id" value="([^"]+)"', after)
    assert undo is not None
    form = {"csrf": visitor.csrf, "act": "undo", "job": job, "document": document, "id": unescape(undo[1])}
    assert (await visitor.http.post("/ui/act", data=form, headers=SAME_SITE)).status_code == 303
    assert "0 of 3" not in (await visitor.http.get(path, params={"state": "rejected"})).text
    assert "Rejected" not in re.findall(r'class="state chip[^"]*"[^>]*>(\w+)', (await visitor.http.get(path)).text)


async def test_review_lists_each_value_once_with_its_number(visitor: Visitor) -> None:
    job, document = await ingest(visitor, "a.txt", "ann@leak.example", "Again ann@leak.example", "bob@leak.example")
    path = f"/ui/jobs/{job}/documents/{document}/review"
    assert (await visitor.http.get(path, params={"group": "place"})).text.count("data-place=") == 3
    grouped = (await visitor.http.get(path)).text
    assert grouped.count("data-place=") == 2
    assert "× 2" in grouped


@pytest.mark.parametrize(("sort", "names"), [("pending", ["b.txt", "a.txt"]), ("name", ["a.txt", "b.txt"])])
async def test_documents_are_listed_in_the_order_asked_for(visitor: Visitor, sort: str, names: list[str]) -> None:
    await ingest(visitor, "b.txt", "ann@leak.example", "bob@leak.example")
    await ingest(visitor, "a.txt", "ann@leak.example")
    listed = (await visitor.http.get("/ui/review", params={"sort": sort})).text
    assert re.findall(r'title="([ab]\.txt)"', listed) == names
    assert "3 flags in 2 documents" in listed
