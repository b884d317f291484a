"""A person's value is found in everything stored for an organisation, deleted with it, and reported, signed."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from quire.models.pii.engines.choose import make_flagger
from quire.serve_apps.api.documents.erasing import digest_value, sign_report
from quire.storage.store import Store
from quire.storage.upkeep.erase import purge_some
from tests.api.harness import TREE, client_of, make_resources, serving

ANN = "ann@example.com"


@pytest.fixture
async def admin(store: Store, dsn: str) -> AsyncIterator[httpx.AsyncClient]:
    resources = make_resources(store, dsn=dsn, flag_tree=make_flagger("regex"))
    async with serving(resources) as app, client_of(app, "acme-admin") as caller:
        yield caller


async def ingest(admin: httpx.AsyncClient, *texts: str, name: str = "a.epub") -> str:
    blocks = [{"id": f"x{i}", "type": "paragraph", "page": 1, "text": text} for i, text in enumerate(texts)]
    tree = TREE | {"blocks": blocks, "source": {"name": name, "format": "epub"}}
    job = (await admin.post("/v1/ingest", json={"tree": tree})).json()
    found: str = job["documents"][0]["document_id"]
    return found


async def erase(admin: httpx.AsyncClient, value: str, **more: Any) -> Any:
    answer = await admin.post("/v1/erasure", json={"value": value, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_value_is_found_in_any_spelling_and_place(admin: httpx.AsyncClient) -> None:
    plain = await ingest(admin, f"Ask {ANN}.", "ANN @ example . com again")
    torn = await ingest(admin, "write to ann@exam", "ple.com today")
    named = await ingest(admin, "Nothing", name=f"letter to {ANN}.epub")
    await ingest(admin, "Ask bob@example.com")
    report = await erase(admin, ANN)
    lines = {line["document_id"]: line for line in report["found"]}
    assert lines.keys() == {plain, torn, named}
    assert (lines[plain]["places"], lines[torn]["places"], lines[named]["in_name"]) == (2, 1, True)
    assert (report["searched"], report["erased"]) == (4, False)
    for one in lines:
        assert (await admin.get(f"/v1/documents/{one}")).json()["deleted_at"] is None


async def test_documents_with_the_value_are_deleted_and_leave_the_store(admin: httpx.AsyncClient, store: Store) -> None:
    gone, stays = await ingest(admin, f"Ask {ANN}."), await ingest(admin, "Ask bob@example.com")
    report = await erase(admin, ANN, erase=True)
    assert [(line["document_id"], line["result"]) for line in report["found"]] == [(gone, "deleted")]
    assert store.db.fetch_all("select document_id from purges") == [{"document_id": gone}]
    assert purge_some(store) == 1
    assert store.db.fetch_all("select document_id from purges") == []
    assert store.artifacts.attempts(gone) == []  # type: ignore[arg-type]
    assert (await admin.get(f"/v1/documents/{stays}")).json()["deleted_at"] is None
    assert (await erase(admin, ANN))["found"] == []


async def test_the_report_is_signed_and_does_not_say_the_value(admin: httpx.AsyncClient, store: Store) -> None:
    await ingest(admin, f"Ask {ANN}.")
    report = await erase(admin, ANN, erase=True)
    assert "ann" not in str(report).replace(report["signature"], "")
    assert report["signature"] == sign_report(store.signer, report)
    assert report["value"] == digest_value(store.signer, "ANN@example.com")
    assert sign_report(store.signer, report | {"found": []}) != report["signature"]


async def test_other_organisations_are_not_looked_into(admin: httpx.AsyncClient) -> None:
    await ingest(admin, f"Ask {ANN}.")
    answer = await admin.post("/v1/erasure", json={"value": ANN}, headers={"X-DE-Org": "elsewhere"})
    assert (answer.json()["found"], answer.json()["searched"]) == ([], 0)


async def test_a_value_of_two_letters_is_refused(admin: httpx.AsyncClient) -> None:
    answer = await admin.post("/v1/erasure", json={"value": "a-b"})
    assert (answer.status_code, answer.json()["detail"][0]["type"]) == (422, "value-too-short")


async def test_report_names_targets_webhooks_and_backups(admin: httpx.AsyncClient, store: Store) -> None:
    document = await ingest(admin, "Nothing here.", name="letter to jane zaqari.epub")
    other = await ingest(admin, "Nothing here.", name="other.epub")
    job = (await admin.get(f"/v1/documents/{document}")).json()["job_id"]
    sent = "insert into target_documents (target_id, document_id, done) values (%(to)s, %(document)s, 1) returning 1"
    store.db.fetch_all(sent, {"to": "tgt_a", "document": document})
    store.db.fetch_all(sent, {"to": "tgt_b", "document": other})
    store.db.fetch_all(
        """insert into deliveries (id, webhook_id, tenant, org, event, event_id, state)
           select 'del_a', 'hook_a', tenant, org, kind, id, 'delivered' from events where job_id = %(job)s limit 1
           returning 1""",
        {"job": job},
    )
    store.db.fetch_all("insert into backups (path) values ('/srv/backup') returning 1")
    listed = await erase(admin, "Jane Zaqari")
    assert [(copy["kind"], copy["id"], copy["result"]) for copy in listed["copies"]] == [
        ("backup", "/srv/backup", "found"),
        ("target", "tgt_a", "found"),
        ("webhook", "hook_a", "found"),
    ]
    erased = await erase(admin, "Jane Zaqari", erase=True)
    assert {copy["kind"]: copy["result"] for copy in erased["copies"]} == {
        "backup": "kept until you delete it",
        "target": "deletion is sent",
        "webhook": "kept by the receiver",
    }
    bodies = [bytes(row["body"]).decode() for row in store.db.fetch_all("select body from events")]
    assert not any("zaqari" in body for body in bodies)
    assert any("other.epub" in body for body in bodies)
