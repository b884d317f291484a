"""Targets over HTTP: registered with a check, listed with their lag, paused, filled, retried and deleted."""

import asyncio
import threading
from typing import Any

import pytest

from quire.serve_apps.api.context import app_state
from quire.serve_apps.api.context.resources import ApiLimits
from quire.storage.access.audit import list_audit
from quire.storage.store import Store
from quire.storage.targets.contract import TargetRecord, TargetSettings, TargetUnavailable
from quire.storage.targets.opening import TargetKinds
from quire.storage.targets.registry import list_targets
from tests.api.harness import PDF, Sink, client_of, files, make_resources, reading, serving
from tests.storage.scenes import ACME
from tests.storage.targets.scene import Memory, send
from tests.storage.targets.sinks import make_record
from tests.waiting import PATIENCE_S

ACTS = [
    *("target.registered", "target.changed", "target.paused", "target.resumed", "target.backfilled"),
    *("target.retried", "target.deleted"),
]


class Down(Sink):
    """A target that answers only to the secret `open`."""

    def __init__(self, settings: TargetSettings) -> None:
        super().__init__(settings)
        self._secret = settings.secret

    def check(self) -> None:
        if self._secret != "open":
            raise TargetUnavailable("locked")


async def test_target_is_registered_changed_filled_and_deleted(store: Store) -> None:
    async with serving(make_resources(store)) as app, client_of(app, "acme-admin") as admin:
        with reading(store):
            await admin.post("/v1/parse", files=files(PDF, part="file"))
        body = {"kind": "sink", "name": "Vectors", "settings": {"table": "a"}, "secret": "pass"}
        made = (await admin.post("/v1/targets", json=body)).json()
        assert (made["name"], made["settings"], made["has_secret"]) == ("Vectors", {"table": "a"}, True)
        assert "pass" not in str(made)
        assert (await admin.get("/v1/targets")).json() == [made]
        place = f"/v1/targets/{made['id']}"
        changed = (await admin.patch(place, json={"settings": {"table": "b"}})).json()
        assert changed["settings"] == {"table": "b"}
        assert (await admin.patch(place, json={"paused": True})).json()["state"] == "paused"
        assert (await admin.patch(place, json={"paused": False})).json()["state"] == "active"
        filled = await admin.post(f"{place}/backfill")
        assert (filled.status_code, filled.json()) == (202, {"documents": 1})
        assert (await admin.get(place)).json()["lag"]["documents"] == 1
        assert (await admin.get(f"{place}/dead-letters")).json() == []
        assert (await admin.post(f"{place}/retry")).json() == {"documents": 0}
        assert (await admin.delete(place)).status_code == 204
        assert (await admin.get("/v1/targets")).json() == []
    acts = {row.action for row in list_audit(store, ACME, limit=100).items}
    assert set(ACTS) <= acts


async def test_dead_letters_are_listed_by_pages_and_sent_again(store: Store) -> None:
    async with serving(make_resources(store)) as app, client_of(app, "acme-admin") as admin:
        target = (await admin.post("/v1/targets", json={"kind": "sink"})).json()["id"]
        with reading(store):
            for _ in range(3):
                await admin.post("/v1/parse", files=files(PDF, part="file"))
        await admin.post(f"/v1/targets/{target}/backfill")

        with store.db.autocommit() as conn:
            conn.execute("update target_documents set refused_at = now(), error = 'too-wide', tries = 1")
        place = f"/v1/targets/{target}/dead-letters"
        first = await admin.get(f"{place}?limit=2")
        rest = await admin.get(place, params={"cursor": first.headers["x-next-cursor"]})
        letters = first.json() + rest.json()
        assert len({letter["document_id"] for letter in letters}) == 3
        assert {letter["error"] for letter in letters} == {"too-wide"}
        one = {"document_ids": [letters[0]["document_id"]]}
        assert (await admin.post(f"/v1/targets/{target}/retry", json=one)).json() == {"documents": 1}
        assert (await admin.get(f"/v1/targets/{target}")).json()["dead_letters"] == 2
    send(store, Memory())
    (row,) = list_targets(store.db, ACME)
    assert (row.sent, row.dead_letters) == (1, 2)


@pytest.mark.parametrize(
    ("body", "code", "text"),
    [
        ({"kind": "nothing"}, "target-refused", "expected one of"),
        ({"kind": "sink", "settings": {"colour": "red"}}, "target-refused", "no setting colour"),
        ({"kind": "postgres", "settings": {"url": "postgresql://10.0.0.1/a"}}, "target-refused", "SVC_TARGET_ALLOW"),
        ({"kind": "http", "settings": {"url": "http://127.0.0.1/"}}, "target-refused", "not public"),
        ({"kind": "down"}, "target-refused", "does not answer: locked"),
        ({}, "missing", "required"),
        ({"kind": "sink", "settings": {"Table": "a"}}, "string_pattern_mismatch", "pattern"),
        ({"kind": "sink", "settings": {"table": ["a"]}}, "string_type", "string"),
        ({"kind": "sink", "more": 1}, "extra_forbidden", "not permitted"),
    ],
)
async def test_unusable_targets_are_refused(store: Store, body: dict[str, Any], code: str, text: str) -> None:
    resources = make_resources(store, targets=TargetKinds(plugged={"sink": Sink, "down": Down}))
    async with serving(resources) as app, client_of(app, "acme-admin") as admin:
        refused = await admin.post("/v1/targets", json=body)
        assert refused.status_code == 422
        entry = refused.json()["detail"][0]
        assert entry["type"] == code
        assert text in entry["msg"]


async def test_changed_secret_or_settings_are_checked_first(store: Store) -> None:
    resources = make_resources(store, targets=TargetKinds(plugged={"down": Down}))
    async with serving(resources) as app, client_of(app, "acme-admin") as admin:
        target = (await admin.post("/v1/targets", json={"kind": "down", "secret": "open"})).json()["id"]
        place = f"/v1/targets/{target}"
        assert (await admin.patch(place, json={"secret": "wrong"})).status_code == 422
        assert (await admin.patch(place, json={"settings": {"table": "b"}})).status_code == 200
        assert (await admin.patch(place, json={"name": "Other"})).json()["name"] == "Other"


async def test_lag_is_in_the_metrics(store: Store) -> None:
    resources = make_resources(store, limits=ApiLimits(metrics=True))
    async with serving(resources) as app, client_of(app, "acme-admin") as admin:
        target = (await admin.post("/v1/targets", json={"kind": "sink"})).json()["id"]
        with reading(store):
            await admin.post("/v1/parse", files=files(PDF, part="file"))
        await admin.post(f"/v1/targets/{target}/backfill")
        text = (await admin.get("/metrics")).text
    assert 'quire_target_documents{state="pending"} 1.0' in text
    assert 'quire_targets{state="active"} 1.0' in text
    assert "quire_target_lag_seconds" in text


def test_record_payload_is_json_without_the_vector() -> None:
    payload = make_record().payload()
    assert "vector" not in payload
    assert payload["pages"] == [1, 2]
    assert TargetRecord(**{**payload, "pages": (1, 2)}).id == payload["id"]


class Silent(Sink):
    """A target whose check never returns, until the test ends."""

    ended = threading.Event()

    def check(self) -> None:
        self.ended.wait(PATIENCE_S)


async def test_check_that_hangs_ends_for_its_caller_and_delays_no_other_tenant(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app_state, "CHECK_TIMEOUT_S", 0.05)
    kinds = TargetKinds(plugged={"sink": Sink, "silent": Silent})
    async with serving(make_resources(store, targets=kinds)) as app, client_of(app, "acme-admin") as acme:
        silent = await acme.post("/v1/targets", json={"kind": "silent"})
        second = asyncio.create_task(acme.post("/v1/targets", json={"kind": "sink"}))
        async with client_of(app, "zeta-all") as zeta:
            other = await zeta.post("/v1/targets", json={"kind": "sink"})
        is_waiting = not second.done()
        Silent.ended.set()
        made = await second
    assert (silent.status_code, silent.json()["detail"][0]["msg"]) == (422, "the target does not answer: timeout")
    assert (other.status_code, is_waiting, made.status_code) == (201, True, 201)
