"""Documents that were read with doubt: who is listed, in which order, what a person says, and that it is audited."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import httpx
import pytest

from quire.models.cdom.coverage import CharacterCount, Coverage, PictureCoverage
from quire.models.cdom.tree import BlockType
from quire.models.derive.doubts import lowest_confidence
from quire.storage.store import Store
from tests.api.harness import TREE, client_of, make_resources, serving
from tests.builders import make_block, make_tree

LIST = "/v1/review/documents"


@pytest.fixture
async def client(store: Store, dsn: str) -> AsyncIterator[httpx.AsyncClient]:
    async with serving(make_resources(store, dsn=dsn, review_below=0.6)) as app, client_of(app) as caller:
        yield caller


async def ingest(client: httpx.AsyncClient, *confidences: float) -> tuple[str, str]:
    blocks = [
        {"id": f"x{i}", "type": "paragraph", "page": 1, "text": f"Line {i}", "confidence": one}
        for i, one in enumerate(confidences)
    ]
    job = (await client.post("/v1/ingest", json={"tree": TREE | {"blocks": blocks}})).json()
    return job["id"], job["documents"][0]["document_id"]


async def listed(client: httpx.AsyncClient, **asked: Any) -> list[Any]:
    answer = await client.get(LIST, params=asked)
    assert answer.status_code == 200, answer.text
    found: list[Any] = answer.json()
    return found


async def say(client: httpx.AsyncClient, ids: tuple[str, str], decision: str) -> httpx.Response:
    return await client.post(f"/v1/jobs/{ids[0]}/documents/{ids[1]}/review", json={"decision": decision})


async def test_documents_below_the_confidence_limit_are_listed_lowest_first(
    client: httpx.AsyncClient,
) -> None:
    some = await ingest(client, 0.9, 0.55, 0.5)
    await ingest(client, 0.9, 0.6)
    worst = await ingest(client, 0.2)
    found = await listed(client)
    assert [one["document_id"] for one in found] == [worst[1], some[1]]
    assert found[1]["blocks_below"] == 2
    assert [(one["block_id"], one["confidence"], one["text"]) for one in found[1]["blocks"]] == [
        ("b1", 0.55, "Line 1"),
        ("b2", 0.5, "Line 2"),
    ]
    assert len(await listed(client, below=0.95)) == 3
    assert (await client.get(LIST, params={"below": 2})).status_code == 422


async def test_reading_is_marked_seen_or_accepted_and_reset(client: httpx.AsyncClient) -> None:
    ids = await ingest(client, 0.1)
    first = await say(client, ids, "seen")
    assert first.json()["state"] == "seen"
    assert first.json()["decided_by"] == "acme:write"
    assert await listed(client, state="waiting") == []
    assert (await listed(client, state="seen"))[0]["decided_by"] == "acme:write"
    assert (await say(client, ids, "accepted")).json()["state"] == "accepted"
    assert [one["state"] for one in await listed(client)] == ["accepted"]
    taken = (await say(client, ids, "waiting")).json()
    assert (taken["state"], taken["decided_by"], taken["decided_at"]) == ("waiting", None, None)
    assert [one["state"] for one in await listed(client, state="waiting")] == ["waiting"]
    assert (await say(client, ids, "perhaps")).status_code == 422


async def test_every_word_is_an_act_of_the_audit_trail(store: Store, dsn: str) -> None:
    async with serving(make_resources(store, dsn=dsn)) as app, client_of(app, "acme-admin") as admin:
        ids = await ingest(admin, 0.1)
        await say(admin, ids, "accepted")
        acts = store.db.fetch_all("select action, object from audit where action like 'reading.%%'")
        assert [(act["action"], act["object"]) for act in acts] == [("reading.accepted", ids[1])]


async def test_pages_of_the_list_continue_where_the_last_ended(client: httpx.AsyncClient) -> None:
    documents = [(await ingest(client, confidence))[1] for confidence in (0.1, 0.2, 0.2, 0.3)]
    seen: list[str] = []
    asked: dict[str, Any] = {"limit": 1}
    while True:
        answer = await client.get(LIST, params=asked)
        seen += [one["document_id"] for one in answer.json()]
        if "x-next-cursor" not in answer.headers:
            break
        asked["cursor"] = answer.headers["x-next-cursor"]
    assert sorted(seen) == sorted(documents)
    assert seen[0] == documents[0]
    assert seen[-1] == documents[-1]


async def test_a_foreign_document_is_an_unknown_one(store: Store, dsn: str) -> None:
    async with (
        serving(make_resources(store, dsn=dsn)) as app,
        client_of(app) as owner,
        client_of(app, "zeta-all") as other,
    ):
        ids = await ingest(owner, 0.1)
        assert (await say(other, ids, "seen")).status_code == 404
        assert await listed(other) == []
        await owner.delete(f"/v1/documents/{ids[1]}")
        assert (await say(owner, ids, "seen")).status_code == 404
        assert await listed(owner) == []


def test_lost_text_ranks_first_and_hidden_text_is_not_doubtful() -> None:
    blocks = (
        make_block(BlockType.PARAGRAPH, "Seen", confidence=0.8),
        make_block(BlockType.PARAGRAPH, "Hidden", confidence=0.1, flags=("hidden-text",)),
    )
    tree = make_tree(*blocks)
    assert lowest_confidence(tree) == 0.8
    counts = CharacterCount(painted=5, placed=4, lost=1)
    stated = Coverage(characters=counts, pages=(), pictures=PictureCoverage(), complete=False)
    assert lowest_confidence(replace(tree, coverage=stated)) == 0.0
    assert lowest_confidence(make_tree()) is None
