"""The pages: private, escaped, closed to foreign content, and readable without a script."""

import asyncio
import re
from hashlib import sha256
from typing import Any

import pytest
from fastapi import FastAPI

from quire.models.cdom.version import SERVICE_VERSION
from quire.serve_apps.ui.browser.visit import FILES
from tests.ui.conftest import SAME_SITE, Visitor, visitor_of

HTMX = "d6fdc75f204e6bdefa99b69bf1e6d4ac69b8a364f77929f45c13476b4000f717"
EVIL = '<img src=x onerror="alert(1)">&amp;\'"{{7*7}}.pdf'


async def ended(visitor: Visitor, job_id: object) -> dict[str, Any]:
    body: dict[str, Any] = (await visitor.http.get(f"/ui/v1/jobs/{job_id}?wait=60")).json()
    return body


async def read_one(visitor: Visitor, name: str = "a.pdf", content: bytes = b"%PDF") -> tuple[str, str]:
    job = await ended(visitor, (await visitor.upload((name, content)))["id"])
    return job["id"], job["documents"][0]["document_id"]


@pytest.mark.parametrize(
    "path",
    [
        "/ui",
        "/ui/overview",
        "/ui/jobs",
        "/ui/dead-letters",
        "/ui/search",
        "/ui/review",
        "/ui/review/documents",
        "/ui/login",
    ],
)
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


async def test_every_page_links_the_guide_and_shows_the_version(visitor: Visitor) -> None:
    text = (await visitor.http.get("/ui/usage")).text
    assert 'href="/guide/"' in text
    assert f"Quire {SERVICE_VERSION} " in text


async def test_pages_have_no_inline_script_style_or_foreign_address(visitor: Visitor) -> None:
    job_id, document_id = await read_one(visitor)
    here = f"/ui/jobs/{job_id}"
    paths = [
        "/ui",
        "/ui/overview",
        "/ui/jobs",
        here,
        f"{here}/documents/{document_id}",
        f"{here}/documents/{document_id}/review",
    ]
    for path in paths:
        text = (await visitor.http.get(path)).text
        assert re.findall(r"<script(?![^>]*\ssrc=)|\sstyle=|\son\w+=|<style", text) == []
        places = re.findall(r'\s(?:src|href|action)="([^"]+)"', text)
        assert {url for url in places if not url.startswith(("/ui", "#", "?"))} == {"/guide/", "/docs"}


async def test_a_file_name_is_text_wherever_it_is_shown(visitor: Visitor) -> None:
    job_id, document_id = await read_one(visitor, EVIL)
    _, failed = await read_one(visitor, EVIL, b"\0\1 no document")
    shown = (await visitor.http.get(f"/ui/v1/documents/{document_id}")).json()["source_file"]
    assert "<img" in shown
    here = f"/ui/jobs/{job_id}"
    view = f"{here}/documents/{document_id}"
    paths = ["/ui", here, view, f"{view}/review", "/ui/dead-letters"]
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
    job_id, document_id = await read_one(visitor, "bad.txt", b"\0\1 no document")
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


async def test_form_without_scripts_uploads_and_redirects_to_its_documents(visitor: Visitor) -> None:
    headers = SAME_SITE | {"Accept": "text/html,application/xhtml+xml"}
    here = "/ui/v1/jobs"
    parts = {"files": ("a.pdf", b"%PDF", "application/pdf")}
    answer = await visitor.http.post(here, files=parts, data={"pages": "", "ocr": "auto"}, headers=headers)
    assert answer.status_code == 303
    assert re.fullmatch(r"/ui\?job_id=job_\w{26}", answer.headers["location"])
    refused = await visitor.http.post(here, files=parts, data={"pages": "nine"}, headers=headers)
    assert refused.status_code == 303
    shown = await visitor.http.get(refused.headers["location"])
    assert 'role="alert"' in shown.text
    foreign = await visitor.http.post(here, files=parts, headers=headers | {"Sec-Fetch-Site": "cross-site"})
    assert (foreign.status_code, foreign.json()["code"]) == (403, "foreign-request")
    assert "pages" in re.search(r'role="alert">([^<]+)<', shown.text)[1]  # type: ignore[index]


async def test_failed_documents_are_all_read_again(visitor: Visitor) -> None:
    for number in range(3):
        await read_one(visitor, f"{number}.txt", b"\0\1 no document")
    form = {"csrf": visitor.csrf, "act": "requeue-all"}
    answer = await visitor.http.post("/ui/act", data=form, headers=SAME_SITE)
    assert (answer.status_code, answer.headers["location"]) == (303, "/ui/jobs")
    for letter in (await visitor.http.get("/ui/v1/jobs")).json():
        job = await ended(visitor, letter["id"])
        assert job["documents"][0]["run"] == 2


async def test_token_in_the_address_is_not_accepted(visitor: Visitor) -> None:
    job_id, _ = await read_one(visitor)
    answer = await visitor.http.delete(f"/ui/v1/jobs/{job_id}?csrf={visitor.csrf}", headers=SAME_SITE)
    assert answer.status_code == 403


@pytest.mark.parametrize("path", ["/ui/nothing", "/ui/lists/webhooks", "/ui/jobs/job_x/y", "/ui/jobs/none"])
async def test_unknown_address_shows_the_not_found_page(visitor: Visitor, path: str) -> None:
    answer = await visitor.http.get(path)
    assert answer.status_code == 404
    assert "Page not found" in answer.text
    assert 'href="/ui/jobs"' in answer.text


async def test_a_document_stands_only_under_its_own_job(visitor: Visitor) -> None:
    _, document_id = await read_one(visitor)
    other, _ = await read_one(visitor)
    for ending in ("", "/review", "/preview"):
        assert (await visitor.http.get(f"/ui/jobs/{other}/documents/{document_id}{ending}")).status_code == 404


async def test_the_preview_may_be_framed_by_us_and_runs_nothing(visitor: Visitor) -> None:
    job_id, document_id = await read_one(visitor)
    answer = await visitor.http.get(f"/ui/jobs/{job_id}/documents/{document_id}/preview")
    (policy,) = answer.headers.get_list("content-security-policy")
    assert {"default-src 'none'", "sandbox", "frame-ancestors 'self'"} <= set(policy.split("; "))
    assert "script-src" not in policy


async def test_a_document_that_was_not_scanned_has_no_redacted_view(visitor: Visitor) -> None:
    job_id, document_id = await read_one(visitor)
    answer = await visitor.http.get(f"/ui/jobs/{job_id}/documents/{document_id}?redacted=1")
    assert "The redacted view is not available yet" in answer.text
    assert "Hello" not in answer.text


async def test_jobs_are_named_by_their_first_file_of_ones_own(app: FastAPI, visitor: Visitor) -> None:
    await visitor.upload(("contract.pdf", b"%PDF"), ("annex.pdf", b"%PDF"))
    text = (await visitor.http.get("/ui/jobs")).text
    assert "contract.pdf" in text
    assert "and 1 more" in text
    other = visitor_of(app)
    await other.sign_in("zeta-all")
    assert "contract.pdf" not in (await other.http.get("/ui/jobs")).text


async def test_colours_are_chosen_without_a_script_and_only_from_our_pages(visitor: Visitor) -> None:
    back = SAME_SITE | {"Referer": "http://quire.test/ui/jobs?status=failed"}
    answer = await visitor.http.post("/ui/theme", data={"theme": "dark"}, headers=back)
    assert (answer.status_code, answer.headers["location"]) == (303, "/ui/jobs?status=failed")
    assert 'data-theme="dark"' in (await visitor.http.get("/ui")).text
    foreign = await visitor.http.post("/ui/theme", data={"theme": "light"}, headers={"Origin": "https://evil.example"})
    assert foreign.status_code == 403
    await visitor.http.post("/ui/theme", data={"theme": "<script>"}, headers=SAME_SITE)
    assert "data-theme" not in (await visitor.http.get("/ui")).text
    away = SAME_SITE | {"Referer": "https://evil.example//evil.example"}
    assert (await visitor.http.post("/ui/theme", data={}, headers=away)).headers["location"] == "/ui"


async def test_a_fault_is_a_page_of_ours_and_is_recorded_without_its_text(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def break_down(*_: object, **__: object) -> None:
        raise RuntimeError("the secret of the document")

    monkeypatch.setattr("quire.serve_apps.ui.pages.work.find_names", break_down)
    answer = await visitor.http.get("/ui/jobs")
    assert answer.status_code == 500
    assert "An error occurred" in answer.text
    assert answer.headers["x-request-id"] in answer.text
    assert "RuntimeError" in caplog.text
    assert "secret of the document" not in caplog.text + answer.text


def test_htmx_is_the_file_of_its_package() -> None:
    content = FILES.content["htmx.min.js"]
    assert sha256(content).hexdigest() == HTMX
    assert b'version:"2.0.11"' in content


async def test_doubtful_reading_waits_in_review_until_accepted(visitor: Visitor) -> None:
    block = {"id": "x", "type": "paragraph", "page": 1, "text": "Blurred words", "confidence": 0.2}
    tree = {"source": {"name": "blurred.pdf", "format": "pdf"}, "cdom_version": "1.0", "blocks": [block],
            "pages": [{"number": 1, "width": 595, "height": 842}]}  # fmt: skip
    headers = SAME_SITE | {"X-CSRF-Token": visitor.csrf}
    job = (await visitor.http.post("/ui/v1/ingest", json={"tree": tree}, headers=headers)).json()
    document = job["documents"][0]["document_id"]
    listed = (await visitor.http.get("/ui/review/documents")).text
    assert "blurred.pdf" in listed
    assert "Blurred words" in listed
    form = {"csrf": visitor.csrf, "act": "decide-reading", "job": job["id"], "document": document}
    said = form | {"decision": "accepted", "state": "waiting", "below": ""}
    assert (await visitor.http.post("/ui/act", data=said, headers=SAME_SITE)).status_code == 303
    assert "blurred.pdf" not in (await visitor.http.get("/ui/review/documents")).text
    accepted = (await visitor.http.get("/ui/review/documents?state=accepted")).text
    assert "blurred.pdf" in accepted
    assert "Accepted by" in accepted
