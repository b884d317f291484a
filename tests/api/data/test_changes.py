"""Changes between stored documents: compared on request, or recorded when the earlier version is gone."""

from dataclasses import replace
from typing import Any

import httpx
from psycopg.types.json import Jsonb
from pydantic_core import to_json

from quire.models.cdom.tree import dump_tree, load_tree
from quire.models.derive.changes import compare_versions, without_texts
from quire.storage.objects.artifacts import CHANGES, TREE
from quire.storage.store import Store
from quire.storage.values.rows import DocumentId
from tests.api.harness import TREE as SENT
from tests.api.harness import client_of, make_resources, serving
from tests.api.results.test_tables import MAIL, WITH_TABLE, ingest
from tests.ui.papers import FLAGGER


def changed(text: str) -> dict[str, Any]:
    return {**WITH_TABLE, "blocks": [SENT["blocks"][0], {**SENT["blocks"][1], "text": text}, WITH_TABLE["blocks"][2]]}


async def test_changes_compare_two_documents_of_the_organisation(client: httpx.AsyncClient) -> None:
    before, after = (await ingest(client))[1], (await ingest(client, changed("Away again")))[1]
    answer = await client.get(f"/v1/documents/{after}/changes", params={"since": before})
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert (body["since"], body["pages"], body["cells"]) == (before, [1], [])
    assert [(block["change"], block["before"], block["text"]) for block in body["blocks"]] == [
        ("modified", "Away", "Away again")
    ]
    assert (await client.get(f"/v1/documents/{after}/changes")).status_code == 404


async def test_changes_of_a_foreign_document_are_not_found(store: Store) -> None:
    async with serving(make_resources(store)) as app, client_of(app) as acme, client_of(app, org="other") as other:
        mine, theirs = (await ingest(acme))[1], (await ingest(other))[1]
        for document, since in ((mine, theirs), (theirs, mine)):
            answer = await acme.get(f"/v1/documents/{document}/changes", params={"since": since})
            assert answer.status_code == 404


async def test_recorded_changes_are_served_when_the_earlier_version_is_gone(
    client: httpx.AsyncClient, store: Store
) -> None:
    before, after = (await ingest(client))[1], (await ingest(client, changed("Away again")))[1]
    trees = [load_tree(store.artifacts.read(DocumentId(name), 1, TREE)) for name in (before, after)]
    recorded = to_json(without_texts(compare_versions(before, *trees)))
    manifest = store.artifacts.put(DocumentId(after), 1, {CHANGES: recorded})
    with store.db.transaction() as conn:
        conn.execute("update documents set manifest = manifest || %s where id = %s", (Jsonb(manifest), after))
    full = (await client.get(f"/v1/documents/{after}/changes")).json()
    assert full["blocks"][0]["before"] == "Away"
    assert (await client.delete(f"/v1/documents/{before}")).status_code == 204
    left = (await client.get(f"/v1/documents/{after}/changes")).json()
    assert [(block["before"], block["text"]) for block in left["blocks"]] == [(None, "Away again")]
    assert (left["since"], left["pages"]) == (before, [1])


async def test_changes_of_a_reread_are_those_from_the_replaced_tree(store: Store) -> None:
    async with serving(make_resources(store)) as app, client_of(app) as client:
        document = (await ingest(client, changed("Another text")))[1]
        row = store.db.fetch_all("select published_attempt from documents")[0]
        after = load_tree(store.artifacts.read(DocumentId(document), row["published_attempt"], TREE))
        first, *others = after.blocks
        before = replace(after, blocks=(replace(first, text=f"{first.text} before"), *others))
        recorded = {TREE: dump_tree(after), CHANGES: to_json(without_texts(compare_versions(document, before, after)))}
        manifest = store.artifacts.put(DocumentId(document), 7, recorded)
        with store.db.autocommit() as conn:
            conn.execute("update documents set published_attempt = 7, manifest = %s", (Jsonb(manifest),))
        for params in ({}, {"since": document}):
            answer = (await client.get(f"/v1/documents/{document}/changes", params=params)).json()
            assert answer["since"] == document
            assert [block["change"] for block in answer["blocks"]] == ["modified"]


async def test_redacted_changes_hold_no_flagged_value(store: Store) -> None:
    async with serving(make_resources(store, flag_tree=FLAGGER)) as app, client_of(app) as client:
        before = (await ingest(client))[1]
        after = (await ingest(client, changed(f"Write to {MAIL}")))[1]
        path = f"/v1/documents/{after}/changes"
        assert MAIL in (await client.get(path, params={"since": before})).text
        masked = await client.get(path, params={"since": before, "redacted": True})
        assert masked.status_code == 200
        assert MAIL not in masked.text
