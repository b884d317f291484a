"""Compare and evaluate: read now, kept nowhere."""

import asyncio
from dataclasses import replace
from typing import Any

import pymupdf
import pytest

from quire.models.cdom.errors import ErrorCode
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.ports import ReadOutcome
from quire.models.pii.engines.choose import make_flagger
from quire.serve_apps.api.context.ephemeral_slots import LANES, MOST_WAITING
from quire.serve_apps.api.context.resources import Ports
from quire.storage.postgres.database import Database
from quire.storage.store import Store
from tests.api.harness import client_of, make_resources, serving


def pdf(*lines: str) -> bytes:
    document = pymupdf.open()
    page = document.new_page()
    for number, line in enumerate(lines):
        page.insert_text((72, 90 + 40 * number), line)
    data = bytes(document.tobytes())
    document.close()
    return data


def two(a: bytes, b: bytes, names: tuple[str, str] = ("a", "b")) -> dict[str, Any]:
    return {names[0]: ("old.pdf", a, "application/pdf"), names[1]: ("new.pdf", b, "application/pdf")}


def rows(db: Database) -> int:
    row = db.fetch_one("select (select count(*) from documents) + (select count(*) from meter) as n")
    assert row is not None
    return int(row["n"])


@pytest.mark.parametrize("names", [("a", "b"), ("left", "right")])
async def test_compare_reports_changes_and_stores_nothing(store: Store, names: tuple[str, str]) -> None:
    old, new = pdf("First line stays.", "Second one goes."), pdf("First line stays.", "A third one comes.")
    async with serving(make_resources(store)) as app, client_of(app) as client:
        answer = await client.post("/v1/compare", files=two(old, new, names))
    assert answer.status_code == 200, answer.text
    assert answer.json()["summary"].keys() >= {"added", "removed", "modified", "unchanged"}
    assert answer.json()["summary"]["unchanged"] >= 1
    assert rows(store.db) == 0


async def test_compare_refuses_unreadable_files_and_other_than_two_files(store: Store) -> None:
    async with serving(make_resources(store)) as app, client_of(app) as client:
        unsupported = await client.post("/v1/compare", files=two(pdf("x"), b"MZ\x90\0\3 program"))
        alone = await client.post("/v1/compare", files={"a": ("a.pdf", pdf("x"))})
        three = await client.post("/v1/compare", files=[("a", b"1"), ("b", b"2"), ("c", b"3")])
    assert (unsupported.status_code, unsupported.json()["detail"][0]["type"]) == (422, "unsupported-format")
    assert (alone.status_code, alone.json()["detail"][0]["type"]) == (422, "two-files")
    assert three.status_code == 413


async def test_evaluate_gives_a_row_for_each_file_and_a_page(store: Store) -> None:
    sent = [("files", ("good.pdf", pdf("Total: 5 EUR"))), ("files", ("bad.bin", b"MZ\x90\0\3 program"))]
    async with serving(make_resources(store)) as app, client_of(app) as client:
        report = (await client.post("/v1/evaluate", files=sent)).json()
        page = await client.post("/v1/evaluate", params={"format": "html"}, files=sent)
        other = await client.post("/v1/evaluate", params={"format": "pdf"}, files=sent)
    assert [(d["source_file"], d["status"]) for d in report["documents"]] == [
        ("good.pdf", "succeeded"),
        ("bad.bin", "failed"),
    ]
    assert report["documents"][1]["error"] == "unsupported-format"
    assert report["aggregate"]["documents"] == 2
    assert page.headers["content-type"].startswith("text/html")
    assert "<script" not in page.text
    assert other.json() == report
    assert rows(store.db) == 0


async def test_evaluate_counts_flags_like_a_stored_tree(store: Store) -> None:
    sent = [("files", ("contact.pdf", pdf("Contact: jane.roe@example.org")))]
    resources = replace(make_resources(store), flag_tree=make_flagger("regex"))
    async with serving(resources) as app, client_of(app) as client:
        report = (await client.post("/v1/evaluate", files=sent)).json()
    assert report["documents"][0]["flags"] == report["aggregate"]["flags"] == {"pii:email": 1}


class Blind:
    """A reader without what pictures need."""

    async def read_once(self, original: bytes, options: ReadOptions, timeout_s: float) -> ReadOutcome:
        return ReadOutcome(error=ErrorCode.ML_UNAVAILABLE, detail="no recogniser here")


async def test_evaluate_reports_the_format_of_a_file_that_failed(store: Store) -> None:
    sent = [("files", ("photo.jpg", b"\xff\xd8\xff\xe0" + bytes(40))), ("files", ("x.bin", b"MZ\x90\0\3 program"))]
    async with serving(make_resources(store, ports=Ports(read_once=Blind()))) as app, client_of(app) as client:
        report = (await client.post("/v1/evaluate", files=sent)).json()
    assert [(row["error"], row["format"]) for row in report["documents"]] == [
        ("ml-unavailable", "jpeg"),
        ("unsupported-format", None),
    ]
    assert report["aggregate"]["formats"] == {"jpeg": 1}


class Slow:
    """Holds every reading until it is let go."""

    def __init__(self) -> None:
        self.go, self.waiting = asyncio.Event(), 0

    async def read_once(self, original: bytes, options: ReadOptions, timeout_s: float) -> ReadOutcome:
        self.waiting += 1
        await self.go.wait()
        return ReadOutcome(detail="nothing")


async def test_a_full_lane_refuses_at_once_and_says_when_to_come_back(store: Store) -> None:
    slow = Slow()
    async with serving(make_resources(store, ports=Ports(read_once=slow))) as app, client_of(app) as client:
        sent = {"files": ("a.pdf", pdf("x"))}
        held = [asyncio.create_task(client.post("/v1/evaluate", files=sent)) for _ in range(LANES)]
        while slow.waiting < LANES:
            await asyncio.sleep(0.01)
        held += [asyncio.create_task(client.post("/v1/evaluate", files=sent)) for _ in range(MOST_WAITING)]
        while sum(map(len, app.state.running.ephemeral._places._waiting.values())) < MOST_WAITING:
            await asyncio.sleep(0.01)
        refused = await client.post("/v1/evaluate", files=sent)
        slow.go.set()
        answers = await asyncio.gather(*held)
    assert refused.status_code == 503
    assert int(refused.headers["retry-after"]) >= 1
    assert [answer.status_code for answer in answers] == [200] * (LANES + MOST_WAITING)


async def test_without_a_reader_the_answer_is_503(store: Store) -> None:
    async with serving(make_resources(store, ports=Ports())) as app, client_of(app) as client:
        answer = await client.post("/v1/compare", files=two(pdf("x"), pdf("y")))
    assert answer.status_code == 503
    assert "retry-after" in answer.headers
