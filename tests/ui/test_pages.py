"""The pages: private, escaped, closed to foreign content, and readable without a script."""

import asyncio
import re
from typing import Any

import pytest
from fastapi import FastAPI

from tests.ui.conftest import SAME_SITE, Visitor, visitor_of

EVIL = '<img src=x onerror="alert(1)">&amp;\'"{{7*7}}.pdf'


async def ended(visitor: Visitor, job_id: object) -> dict[str, Any]:
    body: dict[str, Any] = (await visitor.http.get(f"/ui/v1/jobs/{job_id}?wait=20")).json()
    return body


async def read_one(visitor: Visitor, name: str = "a.pdf", content: bytes = b"%PDF") -> tuple[str, str]:
    job = await ended(visitor, (await visitor.upload((name, content)))["id"])
    return job["id"], job["documents"][0]["document_id"]


@pytest.mark.parametrize("path", ["/ui", "/ui/jobs", "/ui/dead-letters", "/ui/search", "/ui/review", "/ui/login"])
async def test_pages_are_private_and_closed(visitor: Visitor, path: str) -> None:
    answer = await visitor.http.get(path)
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-frame-options"] == "DENY"
    assert answer.headers["x-content-type-options"] == "nosniff"
    policies = answer.headers.get_list("content-security-policy")
    assert len(policies) == 1
    assert "frame-ancestors 'none'" in policies[0]
    assert "unsafe" not in policies[0]


async def test_pages_have_no_inline_script_style_or_foreign_address(visitor: Visitor) -> None:
    job_id, document_id = await read_one(visitor)
    here = f"/ui/jobs/{job_id}"
    paths = ["/ui", "/ui/jobs", here, f"{here}/documents/{document_id}", f"{here}/documents/{document_id}/review"]
    for path in paths:
        text = (await visitor.http.get(path)).text
        assert re.findall(r"<script(?![^>]*\ssrc=)|\sstyle=|\son\w+=|<style", text) == []
        assert [
            url for url in re.findall(r'\s(?:src|href|action)="([^"]+)"', text) if not url.startswith(("/ui", "#", "?"))
        ] == []


async def test_a_file_name_is_text_wherever_it_is_shown(visitor: Visitor) -> None:
    job_id, document_id = await read_one(visitor, EVIL)
    _, failed = await read_one(visitor, EVIL, b"no document")
    shown = (await visitor.http.get(f"/ui/v1/documents/{document_id}")).json()["source_file"]
    assert "<img" in shown
    here = f"/ui/jobs/{job_id}"
    paths = [here, f"{here}/documents/{document_id}", f"{here}/documents/{document_id}/review", "/ui/dead-letters"]
    for path in paths:
        text = (await visitor.http.get(path)).text
        assert "&lt;img src=x" in text
        assert "<img src=x" not in text
        assert "{{7*7}}" in text
    assert failed


async def test_a_document_is_shown_with_its_boxes_and_views(visitor: Visitor) -> None:
    job_id, document_id = await read_one(visitor)
    here = f"/ui/jobs/{job_id}/documents/{document_id}"
    text = (await visitor.http.get(here)).text
    assert '<rect data-block="b0" class="paragraph' in text
    assert "Hello" in text
    for tab in ("chunks", "fields", "markdown"):
        assert (await visitor.http.get(f"{here}?tab={tab}")).status_code == 200
    picture = re.search(r'<img src="([^"]+/pages/1\?dpi=144)"', text)
    assert picture
    assert (await visitor.http.get(picture[1])).headers["content-type"] == "image/png"
    assert (await visitor.http.get(f"{here}?page=9")).status_code == 404


async def test_a_failed_document_says_why_and_is_read_again(visitor: Visitor) -> None:
    job_id, document_id = await read_one(visitor, "bad.txt", b"no document")
    text = (await visitor.http.get("/ui/dead-letters")).text
    assert "unsupported-format" in text
    form = {"csrf": visitor.csrf, "act": "requeue", "job": job_id, "document": document_id}
    answer = await visitor.http.post("/ui/act", data=form, headers=SAME_SITE)
    assert (answer.status_code, answer.headers["location"]) == (303, f"/ui/jobs/{job_id}")
    job = await ended(visitor, job_id)
    assert job["documents"][0]["run"] == 2


async def test_forms_delete_and_the_record_is_gone(visitor: Visitor) -> None:
    job_id, _ = await read_one(visitor)
    form = {"csrf": visitor.csrf, "act": "delete-job", "job": job_id}
    assert (await visitor.http.post("/ui/act", data=form, headers=SAME_SITE)).headers["location"] == "/ui/jobs"
    assert (await visitor.http.get(f"/ui/jobs/{job_id}")).status_code == 404


@pytest.mark.parametrize("act", ["", "drop-table", "CANCEL"])
async def test_an_unknown_act_is_refused(visitor: Visitor, act: str) -> None:
    form = {"csrf": visitor.csrf, "act": act, "job": "../../x"}
    assert (await visitor.http.post("/ui/act", data=form, headers=SAME_SITE)).status_code == 422


async def test_an_id_in_a_form_is_one_segment(visitor: Visitor) -> None:
    form = {"csrf": visitor.csrf, "act": "cancel", "job": "../dead-letters"}
    assert (await visitor.http.post("/ui/act", data=form, headers=SAME_SITE)).status_code == 404


async def test_foreign_and_unknown_jobs_are_the_same_page(app: FastAPI, visitor: Visitor) -> None:
    job_id, _ = await read_one(visitor)
    other = visitor_of(app)
    await other.sign_in("zeta-all")
    foreign, unknown = await asyncio.gather(
        other.http.get(f"/ui/jobs/{job_id}"), other.http.get(f"/ui/jobs/job_{'a' * 26}")
    )
    assert foreign.status_code == unknown.status_code == 404
    assert foreign.text == unknown.text.replace("job_" + "a" * 26, job_id)


async def test_progress_comes_as_events_through_the_session(visitor: Visitor) -> None:
    job_id, _ = await read_one(visitor)
    answer = await visitor.http.get(f"/ui/v1/jobs/{job_id}/events")
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert "event: end" in answer.text


async def test_files_are_kept_by_browsers_under_an_address_of_their_version(visitor: Visitor) -> None:
    text = (await visitor.http.get("/ui")).text
    found = re.search(r'href="(/ui/static/\w+/style\.css)"', text)
    assert found
    style = await visitor.http.get(found[1])
    assert "immutable" in style.headers["cache-control"]
    assert (await visitor.http.get("/ui/static/older/style.css")).headers["cache-control"] == "no-cache"
    for name in ("..%2froutes.py", "%2e%2e%2froutes.py", "routes.py"):
        assert (await visitor.http.get(f"/ui/static/older/{name}")).status_code == 404
