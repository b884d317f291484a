"""The first page: every document, found by name, status, type, flag, day and job; several acted on at once."""

import re

from tests.ui.conftest import SAME_SITE, Visitor
from tests.ui.test_pages import ended


async def listed(visitor: Visitor, query: str = "") -> list[str]:
    """Names on the page, in its order."""
    text = (await visitor.http.get(f"/ui{query}")).text
    return re.findall(r'<a class="name" href="/ui/jobs/[^"]+" title="([^"]+)"', text)


async def send(visitor: Visitor, *files: tuple[str, bytes]) -> list[str]:
    """Values of the boxes of these files, once they were read."""
    job = await ended(visitor, (await visitor.upload(*files))["id"])
    return [f"{job['id']}/{document['document_id']}" for document in job["documents"]]


async def test_the_first_page_lists_documents_of_all_jobs_and_leads_to_them(visitor: Visitor) -> None:
    await send(visitor, ("a.pdf", b"%PDF"), ("b.pdf", b"%PDF"))
    (last,) = await send(visitor, ("notes.txt", b"no document"))
    assert await listed(visitor) == ["notes.txt", "b.pdf", "a.pdf"]
    text = (await visitor.http.get("/ui")).text
    job, document = last.split("/")
    assert f'href="/ui/jobs/{job}/documents/{document}"' in text
    assert "unsupported-format" in text


async def test_filters_narrow_the_list_and_are_kept_in_the_form(visitor: Visitor) -> None:
    (first,) = await send(visitor, ("report.pdf", b"%PDF"))
    await send(visitor, ("notes.txt", b"no document"))
    assert await listed(visitor, "?name=REP") == ["report.pdf"]
    assert await listed(visitor, "?status=failed") == ["notes.txt"]
    assert await listed(visitor, "?type=pdf") == ["report.pdf"]
    assert await listed(visitor, f"?job_id={first.split('/')[0]}") == ["report.pdf"]
    assert await listed(visitor, "?flag=pii") == []
    today = (await visitor.http.get("/ui/v1/documents")).json()[0]["created_at"][:10]
    assert await listed(visitor, f"?since={today}&until={today}") == ["notes.txt", "report.pdf"]
    assert await listed(visitor, "?until=2020-01-01") == []
    text = (await visitor.http.get("/ui?name=rep&status=failed")).text
    assert 'value="rep"' in text
    assert '<option value="failed" selected>' in text
    assert "No document fits" in text


async def test_a_filter_that_makes_no_sense_is_told_on_the_page(visitor: Visitor) -> None:
    for query in ("status=burnt", "since=yesterday", "flag=x", "job_id=none", "cursor=forged"):
        answer = await visitor.http.get(f"/ui?{query}")
        assert answer.status_code == 200
        assert 'class="problem" role="alert"' in answer.text


async def test_a_long_list_has_pages_that_keep_the_filter(visitor: Visitor) -> None:
    for _ in range(6):
        await visitor.upload(*[(f"{number}.pdf", b"%PDF") for number in range(10)])
    text = (await visitor.http.get("/ui?name=pdf")).text
    found = re.search(r'rel="next" href="(\?name=pdf&[^"]+)"', text)
    assert found
    assert len(await listed(visitor, "?name=pdf")) == 50
    assert len(await listed(visitor, found[1].replace("&amp;", "&"))) == 10


async def test_ticked_documents_are_deleted_or_read_again_and_others_stay(visitor: Visitor) -> None:
    boxes = await send(visitor, ("a.pdf", b"%PDF"), ("notes.txt", b"no document"))
    (kept,) = await send(visitor, ("kept.pdf", b"%PDF"))
    form = {"csrf": visitor.csrf, "act": "requeue", "query": "name=a", "id": [*boxes, kept]}
    answer = await visitor.http.post("/ui/act-on-many", data=form, headers=SAME_SITE)
    assert (answer.status_code, answer.headers["location"]) == (303, "/ui?name=a")
    job = await ended(visitor, boxes[0].split("/")[0])
    assert sorted((one["source_file"], one["run"]) for one in job["documents"]) == [("a.pdf", 1), ("notes.txt", 2)]
    await visitor.http.post("/ui/act-on-many", data=form | {"act": "delete", "id": boxes}, headers=SAME_SITE)
    assert await listed(visitor) == ["kept.pdf"]
    answer = await visitor.http.post("/ui/act-on-many", data=form | {"csrf": "x"}, headers=SAME_SITE)
    assert answer.status_code == 403
