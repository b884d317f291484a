"""Review through HTTP: pending flags, the inbox, decisions and what they do to redacted outputs."""

from collections.abc import AsyncIterator
from typing import Any
from unittest.mock import ANY

import httpx
import pytest

from quire.models.pii.engines.choose import make_flagger
from quire.storage.store import Store
from tests.api.harness import TREE, client_of, make_resources, serving


@pytest.fixture
async def client(store: Store, dsn: str) -> AsyncIterator[httpx.AsyncClient]:
    resources = make_resources(store, dsn=dsn, flag_tree=make_flagger("regex"))
    async with serving(resources) as app, client_of(app) as caller:
        yield caller


async def ingest(client: httpx.AsyncClient, *texts: str) -> tuple[str, str]:
    """A finished document with these paragraphs: (job id, document id)."""
    blocks = [{"id": f"x{i}", "type": "paragraph", "page": 1, "text": text} for i, text in enumerate(texts)]
    job = (await client.post("/v1/ingest", json={"tree": TREE | {"blocks": blocks}})).json()
    return job["id"], job["documents"][0]["document_id"]


async def review(
    client: httpx.AsyncClient, ids: tuple[str, str], block: str, flag: str, decision: str
) -> httpx.Response:
    path = f"/v1/jobs/{ids[0]}/documents/{ids[1]}/blocks/{block}/review"
    return await client.post(path, json={"flag": flag, "decision": decision})


async def pending(client: httpx.AsyncClient, job_id: str) -> list[Any]:
    found: list[Any] = (await client.get(f"/v1/jobs/{job_id}/review")).json()
    return found


async def redacted_tree(client: httpx.AsyncClient, ids: tuple[str, str]) -> str:
    return (await client.get(f"/v1/jobs/{ids[0]}/documents/{ids[1]}/tree?redacted=true")).text


async def test_a_flag_waits_with_its_text_and_place(client: httpx.AsyncClient) -> None:
    ids = await ingest(client, "Write to ann@example.com", "Nothing here")
    assert await pending(client, ids[0]) == [
        {
            "document_id": ids[1],
            "block_id": "b0",
            "page": 1,
            "bbox": None,
            "flag": "pii:email",
            "text": "Write to ann@example.com",
            "spans": [{"start": 9, "end": 24}],
            "state": "pending",
            "place": ANY,
            "confidence": 1.0,
            "same": 1,
            "words": [],
        }
    ]


@pytest.mark.parametrize(("decision", "kept"), [("approved", False), ("rejected", True)])
async def test_only_a_rejected_flag_is_kept_and_either_decision_ends_the_waiting(
    client: httpx.AsyncClient, decision: str, kept: bool
) -> None:
    ids = await ingest(client, "ann@example.com", "bob@example.com")
    assert "ann@" not in await redacted_tree(client, ids)
    answer = await review(client, ids, "b0", "pii:email", decision)
    assert answer.status_code == 200
    place = {"document_id": ids[1], "place": ANY, "state": decision}
    assert answer.json() == {
        "document_id": ids[1],
        "block_id": "b0",
        "flag": "pii:email",
        "state": decision,
        "decided_by": "acme:write",
        "decided_at": ANY,
        "act": ANY,
        "places": [place],
    }
    assert [item["block_id"] for item in await pending(client, ids[0])] == ["b1"]
    shown = await redacted_tree(client, ids)
    assert ("ann@example.com" in shown) is kept
    assert "bob@" not in shown
    for output in ("chunks", "export/html", "export/markdown"):
        text = (await client.get(f"/v1/jobs/{ids[0]}/documents/{ids[1]}/{output}?redacted=true")).text
        assert ("ann@example.com" in text) is kept


async def test_repeated_decision_changes_nothing_and_another_decision_does(client: httpx.AsyncClient) -> None:
    ids = await ingest(client, "ann@example.com")
    first = await review(client, ids, "b0", "pii:email", "rejected")
    again = await review(client, ids, "b0", "pii:email", "rejected")
    assert (again.status_code, again.json()) == (200, first.json() | {"act": None})
    changed = await review(client, ids, "b0", "pii:email", "approved")
    assert (changed.status_code, changed.json()["state"]) == (200, "approved")
    assert "ann@" not in await redacted_tree(client, ids)


@pytest.mark.parametrize(
    ("block", "body", "status"),
    [
        ("b9", {"flag": "pii:email", "decision": "approved"}, 404),
        ("../b0", {"flag": "pii:email", "decision": "approved"}, 404),
        ("b0", {"flag": "pii:phone", "decision": "approved"}, 422),
        ("b0", {"flag": "hidden-text", "decision": "approved"}, 422),
        ("b0", {"flag": "", "decision": "approved"}, 422),
        ("b0", {"flag": "pii:email", "decision": "pending"}, 422),
        ("b0", {"flag": "pii:email", "decision": "maybe"}, 422),
        ("b0", {"flag": "pii:email", "decision": "approved", "place": "elsewhere"}, 422),
        ("b0", {"flag": "pii:email", "decision": "approved", "apply_to": "world"}, 422),
        ("b0", {"flag": "pii:email"}, 422),
        ("b0", {"flag": "pii:email", "decision": "approved", "state": "rejected"}, 422),
        ("b0", ["pii:email"], 422),
    ],
)
async def test_invalid_decision_is_refused(client: httpx.AsyncClient, block: str, body: Any, status: int) -> None:
    ids = await ingest(client, "ann@example.com")
    answer = await client.post(f"/v1/jobs/{ids[0]}/documents/{ids[1]}/blocks/{block}/review", json=body)
    assert answer.status_code == status
    assert len(await pending(client, ids[0])) == 1


async def test_the_inbox_pages_by_jobs_and_shows_where_each_flag_is(client: httpx.AsyncClient) -> None:
    older = await ingest(client, "ann@example.com", "+33 1 84 17 61 18")
    await ingest(client, "Nothing")
    newer = await ingest(client, "bob@example.com", "eve@example.com")
    first = await client.get("/v1/review?limit=1")
    assert [(item["job_id"], item["source_file"]) for item in first.json()] == [(newer[0], "far.epub")] * 2
    second = await client.get("/v1/review", params={"limit": 1, "cursor": first.headers["x-next-cursor"]})
    assert [(item["job_id"], item["flag"]) for item in second.json()] == [
        (older[0], "pii:email"),
        (older[0], "pii:phone"),
    ]
    assert "x-next-cursor" not in second.headers
    forged = await client.get("/v1/review", params={"cursor": first.headers["x-next-cursor"] + "A"})
    assert forged.status_code == 422


async def test_an_approval_of_one_occurrence_says_nothing_about_another(client: httpx.AsyncClient) -> None:
    ids = await ingest(client, "ann@example.com", "ann@example.com")
    await review(client, ids, "b1", "pii:email", "rejected")
    assert [item["block_id"] for item in await pending(client, ids[0])] == ["b0"]
    assert (await redacted_tree(client, ids)).count("ann@example.com") == 1


async def test_identifiers_in_an_ingested_tree_do_not_leak(client: httpx.AsyncClient) -> None:
    secret = "ann@example.com"
    block = {
        "id": secret, "type": "paragraph", "page": 1, "text": "Plain", "flags": [secret],
        "provenance": {"engine": secret, "model": secret, "version": secret},
        "spans": [{"start": 0, "end": 5, "href": f"mailto:{secret}"}],
    }  # fmt: skip
    tree = TREE | {
        "blocks": [block],
        "source": {"name": secret, "format": secret},
        "metadata": dict.fromkeys(("title", "author", "created", "modified", "language"), secret),
        "pages": [{"number": 1, "width": 595, "height": 842, "reason": secret, "language": secret}],
        "warnings": [{"code": secret}],
        "provenance": {"service_version": secret, "options_hash": secret},
    }
    job = (await client.post("/v1/ingest", json={"tree": tree, "semantics": {"objects": [{"name": secret}]}})).json()
    base = f"/v1/jobs/{job['id']}/documents/{job['documents'][0]['document_id']}"
    for output in ("tree", "chunks", "semantics", "fields", "export/html", "export/markdown", "export/graph"):
        plain = await client.get(f"{base}/{output}")
        assert plain.status_code == 200
        answer = await client.get(f"{base}/{output}?redacted=true")
        assert (answer.status_code, secret in answer.text) == (200, False), output


async def test_everything_that_a_filter_shows_is_decided_and_undone(client: httpx.AsyncClient) -> None:
    ids = await ingest(client, "ann@example.com", "Mail ann@example.com or bob@example.com", "Card 4012888888881881")
    path = f"/v1/jobs/{ids[0]}/review"
    grouped = (await client.get(path, params={"group": "value", "kind": "email"})).json()
    assert [item["same"] for item in grouped] == [2, 1]
    answer = await client.post(path, params={"kind": "email"}, json={"decision": "rejected"})
    assert answer.json() == {"act": ANY, "places": 3, "documents": 1}
    assert [item["flag"] for item in await pending(client, ids[0])] == ["pii:credit_card"]
    assert "bob@example.com" in await redacted_tree(client, ids)
    undone = await client.delete(f"/v1/review/{answer.json()['act']}")
    assert len(undone.json()["places"]) == 3
    assert len(await pending(client, ids[0])) == 4
    other = await client.post(path, params={"document_id": "doc_none"}, json={"decision": "rejected"})
    assert other.json() == {"act": None, "places": 0, "documents": 0}


async def test_counts_of_documents_are_exact(client: httpx.AsyncClient) -> None:
    one = await ingest(client, "ann@example.com")
    two = await ingest(client, "ann@example.com", "bob@example.com")
    await review(client, two, "b0", "pii:email", "approved")
    listed = (await client.get("/v1/review/counts", params={"sort": "newest"})).json()
    assert [(item["document_id"], item["pending"]) for item in listed] == [(two[1], 1), (one[1], 1)]
    assert (await client.get("/v1/review/counts", params={"sort": "age"})).status_code == 422
