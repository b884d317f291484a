"""The first page: every document, found by name, status, type, flag, day and job; several acted on at once."""

import re

from quire.serve_apps.viewer.markdown_page import render_markdown
from quire.storage.store import Store
from tests.ui.conftest import SAME_SITE, Visitor
from tests.ui.papers import write_letter, write_locked_letter
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
    assert "No document matches" in text


async def test_invalid_filter_is_reported_on_the_page(visitor: Visitor) -> None:
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
    assert (answer.status_code, answer.headers["location"]) == (303, "/ui?name=a&act=requeue&done=1&skipped=2")
    said = (await visitor.http.get(answer.headers["location"])).text
    assert "1 document queued to be read again. 2 skipped: only failed documents are read again." in said
    job = await ended(visitor, boxes[0].split("/")[0])
    assert sorted((one["source_file"], one["run"]) for one in job["documents"]) == [("a.pdf", 1), ("notes.txt", 2)]
    await visitor.http.post("/ui/act-on-many", data=form | {"act": "delete", "id": boxes}, headers=SAME_SITE)
    assert await listed(visitor) == ["kept.pdf"]
    answer = await visitor.http.post("/ui/act-on-many", data=form | {"csrf": "x"}, headers=SAME_SITE)
    assert answer.status_code == 403


async def test_a_job_and_ticked_documents_are_downloaded_as_zips(visitor: Visitor) -> None:
    boxes = await send(visitor, ("a.pdf", b"%PDF"), ("b.pdf", b"%PDF"))
    job = boxes[0].split("/")[0]
    page = (await visitor.http.get(f"/ui/jobs/{job}")).text
    links = re.findall(r'href="(/ui/v1/jobs/[^"]+/(?:archive|export/finetune)[^"]*)"', page)
    assert len(links) == 7
    for link in links:
        answer = await visitor.http.get(link.replace("&amp;", "&"))
        is_masked = "finetune" in link or "redacted" in link
        is_refused = is_masked and "include=original" not in link  # nothing was scanned here
        assert answer.status_code == (409 if is_refused else 200)
    form = {"csrf": visitor.csrf, "act": "download", "id": boxes}
    onward = await visitor.http.post("/ui/act-on-many", data=form, headers=SAME_SITE)
    assert onward.status_code == 303
    assert (await visitor.http.get(onward.headers["location"])).headers["content-type"] == "application/zip"


async def test_a_locked_file_is_opened_where_it_failed(visitor: Visitor, store: Store) -> None:
    (box,) = await send(visitor, ("locked.pdf", b"no document"))
    job, document = box.split("/")
    with store.db.autocommit() as conn:
        conn.execute("update documents set error = 'encrypted' where id = %s", (document,))
    page = (await visitor.http.get(f"/ui/jobs/{job}/documents/{document}")).text
    assert "This file needs a password" in page
    form = {"csrf": visitor.csrf, "act": "requeue", "job": job, "document": document, "password": "open sesame"}
    assert (await visitor.http.post("/ui/act", data=form, headers=SAME_SITE)).status_code == 303
    await ended(visitor, job)
    row = store.db.fetch_one("select run, options from documents where id = %(id)s", {"id": document})
    assert row is not None
    assert row["run"] == 2
    assert row["options"]["sealed_password"]


async def test_markdown_is_shown_rendered_in_a_closed_frame_and_as_source(visitor: Visitor) -> None:
    (box,) = await send(visitor, ("a.pdf", b"%PDF"))
    here = "/ui/jobs/{}/documents/{}".format(*box.split("/"))
    assert 'src="' + here + "/preview?as=markdown" in (await visitor.http.get(f"{here}?tab=markdown")).text
    assert "<iframe" not in (await visitor.http.get(f"{here}?tab=markdown&as=source")).text
    answer = await visitor.http.get(f"{here}/preview?as=markdown")
    assert "Hello" in answer.text
    (policy,) = answer.headers.get_list("content-security-policy")
    assert {"default-src 'none'", "sandbox"} <= set(policy.split("; "))


def test_markdown_is_rendered_with_its_tables() -> None:
    shown = render_markdown("# Title\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<table><tr><td>x</td></tr></table>\n")
    assert "<h1>Title</h1>" in shown
    assert shown.count("<table>") == 2


async def test_document_without_page_pictures_uses_the_full_width(visitor: Visitor) -> None:
    blocks = [{"id": "p", "type": "paragraph", "page": 1, "text": "Away"}]
    pages = [{"number": number, "width": 595, "height": 842} for number in (1, 2)]
    tree = {"cdom_version": "1.0", "source": {"name": "far.epub", "format": "epub"}, "pages": pages, "blocks": blocks}
    headers = SAME_SITE | {"X-CSRF-Token": visitor.csrf}
    job = (await visitor.http.post("/ui/v1/ingest", json={"tree": tree}, headers=headers)).json()
    here = f"/ui/jobs/{job['id']}/documents/{job['documents'][0]['document_id']}"
    text = (await visitor.http.get(here)).text
    assert "<img" not in text.partition('id="views"')[0].partition('id="sides"')[2]
    assert 'class="sides single"' in text
    assert "Page 1." in text
    assert "The whole document, 2 pages." in (await visitor.http.get(f"{here}?tab=markdown")).text


async def test_columns_sort_the_list_and_totals_are_shown(visitor: Visitor) -> None:
    await send(visitor, ("b.pdf", b"%PDF"), ("a.pdf", b"%PDF"))
    await send(visitor, ("notes.txt", b"no document"))
    assert await listed(visitor, "?sort=name") == ["a.pdf", "b.pdf", "notes.txt"]
    assert await listed(visitor, "?name=pdf&sort=-name") == ["b.pdf", "a.pdf"]
    text = (await visitor.http.get("/ui?name=pdf&sort=name")).text
    assert 'aria-sort="ascending"' in text
    assert 'href="?name=pdf&amp;sort=-name"' in text
    assert "2 documents, " in text


async def test_everything_that_matches_is_selected_over_pages(visitor: Visitor) -> None:
    for number in range(6):
        await visitor.upload(*[(f"{number}-{file}.pdf", b"%PDF") for file in range(10)])
    await send(visitor, ("kept.txt", b"no document"))
    text = (await visitor.http.get("/ui?name=pdf")).text
    assert 'data-everything="60"' in text
    jobs = (await visitor.http.get("/ui/v1/jobs")).json()
    for job in jobs:
        await ended(visitor, job["id"])
    form = {"csrf": visitor.csrf, "act": "delete", "query": "name=pdf", "all": "1"}
    answer = await visitor.http.post("/ui/act-on-many", data=form, headers=SAME_SITE)
    assert answer.headers["location"] == "/ui?name=pdf&act=delete&done=60&skipped=0"
    assert await listed(visitor) == ["kept.txt"]


async def test_copies_name_the_document_sent_first_and_lead_to_all_of_them(visitor: Visitor) -> None:
    await send(visitor, ("first.pdf", b"%PDF same"))
    await send(visitor, ("copy.pdf", b"%PDF same"), ("other.pdf", b"%PDF other"))
    text = (await visitor.http.get("/ui")).text
    found = re.search(r'same content as <a href="(\?sha256=\w{64})">first.pdf</a>', text)
    assert found
    assert "2 documents have this content" in text
    assert await listed(visitor, found[1]) == ["copy.pdf", "first.pdf"]


async def test_attachments_stand_below_their_mail_and_name_it_when_filtered(visitor: Visitor, store: Store) -> None:
    boxes = await send(visitor, ("mail.eml", b"%PDF mail"), ("bill.pdf", b"%PDF bill"), ("later.pdf", b"%PDF later"))
    mail, bill = (box.split("/")[1] for box in boxes[:2])
    with store.db.autocommit() as conn:
        conn.execute("update documents set parent_document_id = %s, path = '1/bill.pdf' where id = %s", (mail, bill))
    assert await listed(visitor) == ["later.pdf", "mail.eml", "bill.pdf"]
    assert 'class="inside level1"' in (await visitor.http.get("/ui")).text
    filtered = (await visitor.http.get("/ui?name=bill")).text
    assert re.search(r'in <a href="/ui/jobs/\w+/documents/' + mail + '">mail.eml</a>', filtered)


async def test_password_of_an_upload_is_checked_without_storing_the_file(visitor: Visitor) -> None:
    async def opens(data: bytes, password: str) -> object:
        parts = {"file": ("letter.pdf", data, "application/pdf")}
        headers = SAME_SITE | {"X-CSRF-Token": visitor.csrf}
        answer = await visitor.http.post("/ui/check-upload", files=parts, data={"password": password}, headers=headers)
        return answer.json()["opens"]

    locked = write_locked_letter()
    assert (await opens(locked, ""), await opens(locked, "wrong"), await opens(locked, "sesame")) == (
        False, False, True,
    )  # fmt: skip
    assert await opens(write_letter(), "")
    assert await opens(b"word " * 400_000, "")
    assert (await visitor.http.get("/ui/v1/documents")).json() == []
    refused = await visitor.http.post("/ui/check-upload", files={"file": ("a", b"x")}, headers=SAME_SITE)
    assert refused.status_code == 403


async def test_wrong_password_of_a_failed_document_does_not_start_a_run(visitor: Visitor, store: Store) -> None:
    job = await ended(visitor, (await visitor.upload(("locked.pdf", write_locked_letter())))["id"])
    document = job["documents"][0]["document_id"]
    with store.db.autocommit() as conn:
        conn.execute("update documents set status = 'failed', error = 'encrypted' where id = %s", (document,))
    here = f"/ui/jobs/{job['id']}/documents/{document}"
    form = {"csrf": visitor.csrf, "act": "requeue", "job": job["id"], "document": document, "password": "wrong"}
    answer = await visitor.http.post("/ui/act", data=form, headers=SAME_SITE)
    assert answer.headers["location"] == f"{here}?password=wrong"
    assert "That password does not open this file" in (await visitor.http.get(answer.headers["location"])).text
    row = store.db.fetch_one("select run from documents where id = %(id)s", {"id": document})
    assert row == {"run": 1}


async def test_slide_is_drawn_from_its_boxes_and_pictures_are_never_asked_for(visitor: Visitor) -> None:
    shape = {"type": "paragraph", "page": 1, "bbox": [60, 150, 500, 300]}
    blocks = [
        {"id": "t", "type": "heading", "page": 1, "bbox": [60, 30, 900, 130], "text": "Plan"},
        shape | {"id": "p", "text": "First & foremost"},
        shape | {"id": "q", "text": "Second"},
    ]
    pages = [{"number": 1, "width": 960, "height": 540}]
    tree = {"cdom_version": "1.0", "source": {"name": "a.pptx", "format": "pptx"}, "pages": pages, "blocks": blocks}
    headers = SAME_SITE | {"X-CSRF-Token": visitor.csrf}
    for format, shapes in (("pptx", 2), ("pdf", 0)):  # a PDF without its original has no pictures
        tree["source"] = {"name": f"a.{format}", "format": format}
        job = (await visitor.http.post("/ui/v1/ingest", json={"tree": tree}, headers=headers)).json()
        here = f"/ui/jobs/{job['id']}/documents/{job['documents'][0]['document_id']}"
        text = (await visitor.http.get(here)).text
        assert text.count("<foreignObject ") == shapes
        assert "/pages/1" not in text
        assert "/pages/1" not in (await visitor.http.get(f"{here}/review")).text
