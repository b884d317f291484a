"""The page next to its content: thumbnails, page-dependent content, sums of tables, page or text on a phone."""

import base64
from typing import Any

from fastapi import FastAPI

from quire.serve_apps.viewer.document_view import of_page
from tests.ui.conftest import SAME_SITE, Visitor, visitor_of

ORIGINAL = base64.b64encode(b"%PDF-1.7").decode()
PAGES = [{"number": number, "width": 595, "height": 842} for number in (1, 2)]
CELLS = [{"row": row, "col": 0, "text": text} for row, text in enumerate(("Sum", "2", "3", "6"))]
TABLE = {"rows": 4, "cols": 1, "cells": CELLS, "checks": [{"kind": "column-sum", "cells": [1, 2, 3], "holds": False}]}


def a_block(name: str, page: int, **facts: Any) -> dict[str, Any]:
    top = 100.0 + 50 * page
    return {"id": name, "type": "paragraph", "page": page, "bbox": [72, top, 300, top + 20], "text": name} | facts


async def sent(visitor: Visitor, *blocks: dict[str, Any]) -> str:
    tree = {"cdom_version": "1.0", "source": {"name": "a.pdf", "format": "pdf"}, "pages": PAGES, "blocks": list(blocks)}
    headers = SAME_SITE | {"X-CSRF-Token": visitor.csrf}
    answer = await visitor.http.post("/ui/v1/ingest", json={"tree": tree, "source_bytes": ORIGINAL}, headers=headers)
    assert answer.status_code == 201, answer.text
    job = answer.json()
    return f"/ui/jobs/{job['id']}/documents/{job['documents'][0]['document_id']}"


async def test_all_pages_are_shown_as_pictures_that_load_when_they_are_seen(visitor: Visitor) -> None:
    here = await sent(visitor, a_block("one", 1), a_block("two", 2))
    text = (await visitor.http.get(here)).text
    assert text.count('<img loading="lazy" alt="" src="') == 2
    assert "/pages/2?dpi=36" in text


async def test_chunks_and_fields_follow_the_page_until_all_are_asked_for(visitor: Visitor) -> None:
    heading = {"type": "heading", "level": 1}
    names = (("A", 1), ("first words", 1), ("B", 2), ("second words", 2))
    blocks = [a_block(name, page, **(heading if name in "AB" else {})) for name, page in names]
    here = await sent(visitor, *blocks)
    followed = (await visitor.http.get(f"{here}?tab=chunks&page=2")).text
    assert "second words" in followed
    assert "first words" not in followed
    assert "Page 2." in followed
    everything = (await visitor.http.get(f"{here}?tab=chunks&page=2&all=1")).text
    assert "first words" in everything
    assert "The whole document, 2 pages." in everything


def test_objects_without_a_page_are_shown_on_every_page() -> None:
    here: list[dict[str, Any]] = [{"pages": []}, {"pages": [1, 3]}, {"evidence": {"page": 2}}]
    elsewhere: list[dict[str, Any]] = [{"evidence": {"page": 4}}, {"pages": [3, 3]}]
    assert of_page(here + elsewhere, 2) == here


async def test_table_in_parts_is_shown_on_each_page_with_its_rows_and_box(
    visitor: Visitor,
) -> None:
    parts = [{"page": 1, "bbox": [72, 150, 300, 170], "rows": 2}, {"page": 2, "bbox": [72, 33, 300, 77], "rows": 2}]
    here = await sent(visitor, a_block("t", 1, type="table", text="", table=TABLE | {"parts": parts}))
    first, second = [(await visitor.http.get(f"{here}?page={page}")).text for page in (1, 2)]
    assert "part 1 of 2" in first
    assert 'dir="auto">2</td>' in first
    assert 'dir="auto">6</td>' not in first
    assert "part 2 of 2" in second
    assert 'dir="auto">6</td>' in second
    assert 'dir="auto">2</td>' not in second
    assert 'y="33" width="228" height="44"' in second.replace(".0", "")
    assert "6 in row 2 is not the sum of its column" in second


async def test_failed_sum_is_reported_at_its_table(visitor: Visitor) -> None:
    here = await sent(visitor, a_block("t", 1, type="table", text="", table=TABLE))
    text = (await visitor.http.get(here)).text
    assert "6 in row 4 is not the sum of its column" in text


async def test_any_table_opens_as_a_sheet_without_scripts(visitor: Visitor) -> None:
    rows = [["Part", "<b>Hours</b>"], ["Rope", "12"], ["Hook", "9"], ["<script>x</script>", "100"]]
    cells = [{"row": y, "col": x, "text": t, "header": y == 0} for y, row in enumerate(rows) for x, t in enumerate(row)]
    here = await sent(visitor, a_block("t", 1, type="table", text="", table={"rows": 4, "cols": 2, "cells": cells}))
    first = (await visitor.http.get(here)).text
    assert "table=b0" in first
    opened = (await visitor.http.get(f"{here}?page=1&tab=blocks&table=b0&sort=1")).text
    assert "<script>x" not in opened
    assert "<b>Hours" not in opened
    places = [opened.index(f">{text}</t") for text in ("Part", "Hook", "Rope", "&lt;script&gt;x&lt;/script&gt;")]
    assert places == sorted(places)
    assert 'aria-sort="ascending"' in opened
    found = (await visitor.http.get(f"{here}?table=b0&find=%3Cscript")).text
    assert "1 row of 3 with" in found
    assert ">Rope</t" not in found
    assert 'id="blocks"' in (await visitor.http.get(f"{here}?table=none")).text


async def test_page_of_a_waiting_document_follows_its_job(token_app: FastAPI) -> None:
    visitor = visitor_of(token_app)  # of a service whose reader does not run
    async with visitor.http:
        await visitor.sign_in("quire_token")
        job = await visitor.upload(("long.pdf", b"%PDF"))
        (document,) = (await visitor.http.get(f"/ui/v1/documents?job_id={job['id']}")).json()
        text = (await visitor.http.get(f"/ui/jobs/{job['id']}/documents/{document['document_id']}")).text
    assert f'data-whole data-events="/ui/v1/jobs/{job["id"]}/events"' in text
    assert "Waiting for a reader" in text
