"""Decisions about single values, the same value elsewhere, filters, taking back, and two keys that have to agree."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from quire.models.pii.engines.choose import make_flagger
from quire.storage.store import Store
from tests.api.harness import TREE, client_of, make_resources, serving

ANN, BOB, CALL = "ann@example.com", "bob@example.com", "+33 1 84 17 61 18"


@pytest.fixture
async def client(store: Store, dsn: str) -> AsyncIterator[httpx.AsyncClient]:
    resources = make_resources(store, dsn=dsn, flag_tree=make_flagger("regex"))
    async with serving(resources) as app, client_of(app) as caller:
        yield caller


@pytest.fixture
async def pair(store: Store, dsn: str) -> AsyncIterator[tuple[httpx.AsyncClient, httpx.AsyncClient]]:
    """A clerk and a supervisor of a house in which both have to say the same."""
    resources = make_resources(store, dsn=dsn, flag_tree=make_flagger("regex"), review_approvals=2)
    async with serving(resources) as app, client_of(app) as clerk, client_of(app, "acme-admin") as chief:
        yield clerk, chief


class Paper:
    """A finished document with these paragraphs."""

    def __init__(self, client: httpx.AsyncClient, job: str, document: str) -> None:
        self.client, self.job, self.document = client, job, document

    async def pending(self, **asked: Any) -> list[Any]:
        found: list[Any] = (await self.client.get(f"/v1/jobs/{self.job}/review", params=asked)).json()
        return found

    async def decide(self, item: Any, decision: str, client: httpx.AsyncClient | None = None, **more: str) -> Any:
        path = f"/v1/jobs/{self.job}/documents/{item['document_id']}/blocks/{item['block_id']}/review"
        body = {"flag": item["flag"], "decision": decision, "place": item["place"], **more}
        answer = await (client or self.client).post(path, json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def redacted(self) -> list[str]:
        tree = (await self.client.get(f"/v1/jobs/{self.job}/documents/{self.document}/tree?redacted=true")).json()
        return [block["text"] for block in tree["blocks"]]


async def paper(client: httpx.AsyncClient, *texts: str) -> Paper:
    blocks = [{"id": f"x{i}", "type": "paragraph", "page": 1, "text": text} for i, text in enumerate(texts)]
    job = (await client.post("/v1/ingest", json={"tree": TREE | {"blocks": blocks}})).json()
    return Paper(client, job["id"], job["documents"][0]["document_id"])


async def test_two_values_in_one_paragraph_are_two_decisions(client: httpx.AsyncClient) -> None:
    letter = await paper(client, f"Ask {ANN} or {BOB}.")
    first, second = await letter.pending()
    assert [item["text"][s["start"] : s["end"]] for item in (first, second) for s in item["spans"]] == [ANN, BOB]
    await letter.decide(second, "rejected")
    assert await letter.redacted() == [f"Ask [REDACTED:email] or {BOB}."]
    assert [item["place"] for item in await letter.pending()] == [first["place"]]


async def test_without_a_place_every_value_of_the_flag_in_the_block_is_meant(client: httpx.AsyncClient) -> None:
    letter = await paper(client, f"Ask {ANN} or {BOB}.")
    item = (await letter.pending())[0]
    path = f"/v1/jobs/{letter.job}/documents/{letter.document}/blocks/{item['block_id']}/review"
    answer = await client.post(path, json={"flag": "pii:email", "decision": "rejected"})
    assert len(answer.json()["places"]) == 2
    assert await letter.redacted() == [f"Ask {ANN} or {BOB}."]


async def test_decision_applies_to_the_same_value_in_the_whole_document(client: httpx.AsyncClient) -> None:
    letter = await paper(client, f"Ask {ANN}.", f"Again: ANN@example.com and {BOB}.", f"And {ANN}")
    said = await letter.decide((await letter.pending())[0], "rejected", apply_to="document")
    assert len(said["places"]) == 3
    assert await letter.redacted() == [f"Ask {ANN}.", "Again: ANN@example.com and [REDACTED:email].", f"And {ANN}"]


async def test_phone_number_is_the_same_value_in_any_spelling(client: httpx.AsyncClient) -> None:
    letter = await paper(client, f"Call {CALL}.", "Or +33-1-84-17-61-18!")
    said = await letter.decide((await letter.pending())[0], "rejected", apply_to="document")
    assert len(said["places"]) == 2


async def test_flags_are_listed_by_kind_state_confidence_and_decider(client: httpx.AsyncClient) -> None:
    letter = await paper(client, f"Ask {ANN} or call {CALL}.")
    mail, phone = await letter.pending()
    assert [one["flag"] for one in await letter.pending(kind="phone")] == ["pii:phone"]
    assert len(await letter.pending(kind=["phone", "email"])) == 2
    assert [one["flag"] for one in await letter.pending(max_confidence=0.99)] == ["pii:phone"]
    assert await letter.pending(decided_by="acme:write") == []
    await letter.decide(mail, "rejected")
    (rejected,) = await letter.pending(state="rejected")
    assert (rejected["place"], rejected["state"]) == (mail["place"], "rejected")
    assert [word["decided_by"] for word in rejected["words"]] == ["acme:write"]
    assert [one["place"] for one in await letter.pending(decided_by="acme:write")] == [mail["place"]]
    assert [one["place"] for one in await letter.pending()] == [phone["place"]]
    inbox = (await client.get("/v1/review", params={"kind": "phone"})).json()
    assert [one["place"] for one in inbox] == [phone["place"]]


async def test_undone_decision_restores_the_previous_state_of_all_its_places(
    client: httpx.AsyncClient,
) -> None:
    letter = await paper(client, f"Ask {ANN}.", f"Again {ANN}.")
    first, second = await letter.pending()
    await letter.decide(second, "rejected")
    said = await letter.decide(first, "approved", apply_to="document")
    assert await letter.redacted() == ["Ask [REDACTED:email].", "Again [REDACTED:email]."]
    undone = (await client.delete(f"/v1/review/{said['act']}")).json()
    assert {one["place"]: one["state"] for one in undone["places"]} == {
        first["place"]: "pending",
        second["place"]: "rejected",
    }
    assert await letter.redacted() == ["Ask [REDACTED:email].", f"Again {ANN}."]
    assert (await client.delete(f"/v1/review/{said['act']}")).status_code == 404


async def test_decisions_and_their_undoing_are_audited_with_the_actor(client: httpx.AsyncClient, store: Store) -> None:
    letter = await paper(client, f"Ask {ANN}.", f"Again {ANN}.")
    item = (await letter.pending())[0]
    said = await letter.decide(item, "rejected", apply_to="document")
    await client.delete(f"/v1/review/{said['act']}")
    rows = store.db.fetch_all("select actor, action, object from audit where action like 'flag.%%' order by entry")
    objects = [f"{letter.document}/b{n}/pii:email" for n in (0, 1)]
    assert [row["action"] for row in rows] == ["flag.rejected"] * 2 + ["flag.undone"] * 2
    assert {row["actor"] for row in rows} == {"acme:write"}
    assert sorted(row["object"] for row in rows[:2]) == sorted(row["object"] for row in rows[2:]) == objects


async def test_with_four_eyes_a_decision_holds_when_two_keys_said_the_same(
    pair: tuple[httpx.AsyncClient, httpx.AsyncClient],
) -> None:
    clerk, chief = pair
    letter = await paper(clerk, f"Ask {ANN}.")
    item = (await letter.pending())[0]
    assert (await letter.decide(item, "rejected"))["state"] == "pending"
    assert (await letter.decide(item, "rejected"))["state"] == "pending"
    assert await letter.redacted() == ["Ask [REDACTED:email]."]
    (waiting,) = await letter.pending()
    assert [(word["decision"], word["decided_by"]) for word in waiting["words"]] == [("rejected", "acme:write")]
    assert (await letter.decide(item, "approved", chief))["state"] == "pending"
    assert (await letter.decide(item, "rejected", chief))["state"] == "rejected"
    assert await letter.redacted() == [f"Ask {ANN}."]
    assert (await letter.decide(item, "approved"))["state"] == "pending"
    assert await letter.redacted() == ["Ask [REDACTED:email]."]


async def test_decision_of_another_key_cannot_be_undone(pair: tuple[httpx.AsyncClient, httpx.AsyncClient]) -> None:
    clerk, chief = pair
    letter = await paper(clerk, f"Ask {ANN}.")
    said = await letter.decide((await letter.pending())[0], "approved")
    assert (await chief.delete(f"/v1/review/{said['act']}")).status_code == 404
    assert (await clerk.delete(f"/v1/review/{said['act']}")).status_code == 200
