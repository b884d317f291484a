"""Webhooks, audit and usage over HTTP."""

from datetime import UTC, datetime, timedelta

from quire.serve_apps.access.license_holder import LicenseHolder
from quire.serve_apps.access.license_keys import raw_public
from quire.serve_apps.api.context.resources import ApiLimits
from quire.storage.access.audit import list_audit, verify
from quire.storage.store import Store
from quire.storage.values.ids import new_webhook_id
from quire.storage.values.rows import Scope
from quire.storage.webhooks.outbox import Outcome, claim_deliveries, settle
from quire.storage.webhooks.signatures import PREFIX
from tests.api.harness import PDF, SIGNING, a_license, client_of, files, make_resources, reading, serving

URL = "https://8.8.8.8/hook"


async def test_webhook_is_registered_listed_deleted_and_shows_its_secret_once(store: Store) -> None:
    async with serving(make_resources(store)) as app, client_of(app, "acme-admin") as admin:
        made = await admin.post("/v1/webhooks", json={"url": URL, "events": ["job.finished", "document.finished"]})
        assert made.status_code == 201
        assert made.json()["secret"].startswith(PREFIX)
        listed = (await admin.get("/v1/webhooks")).json()
        assert listed == [{name: value for name, value in made.json().items() if name != "secret"}]
        assert (await admin.delete(f"/v1/webhooks/{made.json()['id']}")).status_code == 204
        assert (await admin.get("/v1/webhooks")).json() == []
        default = (await admin.post("/v1/webhooks", json={"url": URL})).json()
        assert default["events"] == ["job.finished"]


async def test_a_private_address_is_refused_at_registration(store: Store) -> None:
    async with serving(make_resources(store)) as app, client_of(app, "acme-admin") as admin:
        for url in ("http://127.0.0.1/", "http://localhost:8080/", "http://[::1]/", "http://169.254.169.254/latest"):
            refused = await admin.post("/v1/webhooks", json={"url": url})
            assert (refused.status_code, refused.json()["detail"][0]["type"]) == (422, "url-refused"), url
        for body in ({}, {"url": URL, "events": []}, {"url": URL, "events": ["x"]}, {"url": URL, "secret": "short"}):
            assert (await admin.post("/v1/webhooks", json=body)).status_code == 422, body


async def test_deliveries_are_listed_by_pages_and_can_be_sent_again(store: Store) -> None:
    async with serving(make_resources(store)) as app, client_of(app, "acme-admin") as admin:
        hook = (await admin.post("/v1/webhooks", json={"url": URL})).json()
        sent = [(await admin.post(f"/v1/webhooks/{hook['id']}/test")).json()["id"] for _ in range(3)]
        first = await admin.get("/v1/webhooks/deliveries?limit=2")
        rest = await admin.get("/v1/webhooks/deliveries", params={"cursor": first.headers["x-next-cursor"]})
        assert [row["id"] for row in first.json() + rest.json()] == sent[::-1]
        assert "x-next-cursor" not in rest.headers
        again = await admin.post(f"/v1/webhooks/deliveries/{sent[0]}/redeliver")
        assert (again.status_code, again.json()["event_id"]) == (202, rest.json()[0]["event_id"])


async def test_a_secret_is_rotated_and_the_old_one_signs_until_the_overlap_ends(store: Store) -> None:
    limits = ApiLimits(webhook_overlap_s=3600)
    async with serving(make_resources(store, limits=limits)) as app, client_of(app, "acme-admin") as admin:
        hook = (await admin.post("/v1/webhooks", json={"url": URL})).json()
        place = f"/v1/webhooks/{hook['id']}/rotate"
        assert hook["old_secret_until"] is None
        rotated = await admin.post(place)
        assert rotated.status_code == 200
        assert rotated.json()["secret"] not in (hook["secret"], None)
        left = datetime.fromisoformat(rotated.json()["old_secret_until"]) - datetime.now(UTC)
        assert timedelta(minutes=55) < left < timedelta(minutes=65)
        given = (await admin.post(place, json={"secret": "x" * 24, "overlap_s": 0})).json()
        assert (given["secret"], given["old_secret_until"]) == ("x" * 24, None)
        for body in ({"secret": "short"}, {"overlap_s": -1}, {"overlap_s": 2_592_001}, {"other": 1}):
            assert (await admin.post(place, json=body)).status_code == 422, body
        assert (await admin.post(f"/v1/webhooks/{new_webhook_id()}/rotate")).status_code == 404
        assert "secret" not in (await admin.get("/v1/webhooks")).json()[0]


async def test_a_disabled_webhook_is_enabled_again(store: Store) -> None:
    async with serving(make_resources(store)) as app, client_of(app, "acme-admin") as admin:
        hook = (await admin.post("/v1/webhooks", json={"url": URL})).json()
        (await admin.post(f"/v1/webhooks/{hook['id']}/test")).raise_for_status()
        (parcel,) = claim_deliveries(store, "w", limit=1)
        settle(store.db, parcel, Outcome(status=410, error="http-410"))
        assert (await admin.post(f"/v1/webhooks/{hook['id']}/test")).status_code == 409
        for _ in range(2):
            enabled = await admin.post(f"/v1/webhooks/{hook['id']}/enable")
            assert (enabled.status_code, enabled.json()["disabled_at"]) == (200, None)
        assert (await admin.post(f"/v1/webhooks/{hook['id']}/test")).status_code == 202
        entries = (await admin.get("/v1/audit")).json()
    assert [entry["action"] for entry in entries].count("webhook.enabled") == 1


async def test_the_audit_trail_needs_the_feature_and_shows_refusals(store: Store) -> None:
    async with serving(make_resources(store)) as app:
        async with client_of(app, "acme-read") as reader:
            for _ in range(3):
                assert (await reader.post("/v1/webhooks", json={"url": URL})).status_code == 403
        await app.state.running.denials.settle()
        async with client_of(app, "acme-admin") as admin:
            entries = (await admin.get("/v1/audit")).json()
    refused = [entry for entry in entries if entry["action"] == "access.refused"]
    assert [(entry["actor"], entry["object"], entry["result"]) for entry in refused] == [
        ("acme:read", "POST /v1/webhooks", "scope-missing")
    ]
    assert verify(store.db, Scope(tenant="acme")) is None
    bare = LicenseHolder(a_license(features=()), {"k1": raw_public(SIGNING)})
    async with serving(make_resources(store, license=bare)) as app, client_of(app, "acme-admin") as admin:
        answer = await admin.get("/v1/audit")
        await app.state.running.denials.settle()
    assert (answer.status_code, answer.json()["code"]) == (403, "feature-not-licensed")
    newest = list_audit(store, Scope(tenant="acme")).items[0]
    assert (newest.action, newest.object, newest.result) == ("access.refused", "GET /v1/audit", "feature-not-licensed")


async def test_usage_counts_documents_and_pages_by_key(store: Store, dsn: str) -> None:
    async with serving(make_resources(store, dsn=dsn)) as app, client_of(app, "acme-write") as writer:
        with reading(store):
            for _ in range(2):
                await writer.post("/v1/parse", files=files(PDF, part="file"))
        usage = (await writer.get("/v1/usage")).json()
        assert (usage["documents"], usage["pages"], usage["pages_used_this_month"]) == (2, 2, 2)
        assert usage["keys"] == [{"key": "acme:write", "documents": 2, "pages": 2, "bytes": 2 * len(PDF)}]
        assert usage["max_pages_per_month"] == 100_000
        assert (await writer.get("/v1/usage?month=2020-01")).json()["documents"] == 0
        assert (await writer.get("/v1/usage?month=2020-13")).status_code == 422
        async with client_of(app, "zeta-all") as stranger:
            assert (await stranger.get("/v1/usage")).json()["keys"] == []
