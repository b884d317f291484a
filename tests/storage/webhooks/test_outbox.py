"""Events reach their receivers at least once, under one id with one body, on schedule, despite crashes."""

import hashlib
import hmac
import random
import threading
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest

from quire.actors.background.webhook_dispatcher import Dispatcher
from quire.storage.queue.publish import finish
from quire.storage.store import Store, open_store
from quire.storage.values.ids import new_worker_id
from quire.storage.values.rows import Scope
from quire.storage.values.states import EventKind
from quire.storage.webhooks.egress import Egress, HttpAnswer
from quire.storage.webhooks.outbox import (
    SCHEDULE_S,
    Outcome,
    StoreOutbox,
    claim_deliveries,
    fan_out,
    pause_before,
    settle,
)
from quire.storage.webhooks.receivers import (
    TEST_EVENT,
    DeliveryRow,
    DeliveryState,
    delete_webhook,
    enable_webhook,
    erase_old_secrets,
    list_deliveries,
    list_webhooks,
    redeliver,
    register_webhook,
    rotate_secret,
    test_webhook,
)
from quire.storage.webhooks.signatures import new_secret, open_secret, seal_secret, sign_headers
from tests.conftest import SIGNING_KEY
from tests.storage.receivers import Received, receiving
from tests.storage.scenes import ACME, ACTOR, claim, submit, success, worker
from tests.waiting import PATIENCE_S, until

BOTH = [EventKind.JOB_FINISHED, EventKind.DOCUMENT_FINISHED]
LOOPBACK = Egress(["127.0.0.1"], timeout_s=PATIENCE_S)


def hook(store: Store, url: str = "http://127.0.0.1/", events: list[EventKind] = BOTH, scope: Scope = ACME) -> str:
    return register_webhook(store, scope, ACTOR, url, events, new_secret()).id


def finish_one(store: Store, documents: int = 1) -> None:
    submit(store, documents)
    queue = worker(store)
    finish(store, [success(claim(queue)) for _ in range(documents)])


def due_now(store: Store) -> None:
    with store.db.autocommit() as conn:
        conn.execute("update deliveries set next_attempt_at = now() where state = 'pending'")


def deliveries(store: Store) -> list[DeliveryRow]:
    return list(list_deliveries(store, ACME).items)


def test_the_vector_of_standard_webhooks_is_met() -> None:
    secret, body = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", b'{"test": 2432232314}'
    headers = sign_headers([secret], "e", "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body)
    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    assert headers["X-Svc-Signature"] == "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def test_a_secret_is_stored_sealed_and_bound_to_its_webhook(store: Store) -> None:
    sealed = seal_secret(store.signer, "whk_a", "whsec_secret")
    assert b"secret" not in sealed
    assert open_secret(store.signer, "whk_a", sealed) == "whsec_secret"
    with pytest.raises(Exception, match="signing key"):
        open_secret(store.signer, "whk_b", sealed)


def test_each_event_becomes_a_delivery_per_subscribed_webhook(store: Store) -> None:
    finish_one(store)  # before anybody asked
    only_jobs, both = hook(store, events=[EventKind.JOB_FINISHED]), hook(store)
    hook(store, scope=Scope(tenant="zeta"))
    hook(store, scope=Scope(tenant="acme", org="elsewhere"))
    finish_one(store, 2)
    while fan_out(store.db, limit=1):
        pass
    found = sorted((row.webhook_id, row.event) for row in deliveries(store))
    assert found == sorted(
        [(only_jobs, "job.finished"), (both, "job.finished"), (both, "document.finished"), (both, "document.finished")]
    )


def test_racing_fan_outs_and_dispatchers_neither_lose_nor_double(store: Store, dsn: str, tmp_path: Path) -> None:
    hook(store)
    for _ in range(10):
        finish_one(store, 3)
    stores = [open_store(dsn, tmp_path / str(n), signing_key=SIGNING_KEY) for n in range(3)]
    taken: list[int] = []

    def work(own: Store) -> None:
        while fan_out(own.db, limit=3):
            pass
        while parcels := claim_deliveries(own, new_worker_id(), limit=5, per_webhook=5):
            taken.extend(parcel.seq for parcel in parcels)

    threads = [threading.Thread(target=work, args=(own,)) for own in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    taken.extend(parcel.seq for parcel in claim_deliveries(store, "w", limit=99, per_webhook=99))
    assert len(taken) == len(set(taken)) == 40
    for own in stores:
        own.close()


def test_an_older_claim_cannot_settle(store: Store) -> None:
    hook(store)
    finish_one(store)
    fan_out(store.db)
    (stale, _) = claim_deliveries(store, "one", limit=9, lease_s=0)
    (fresh, _) = claim_deliveries(store, "two", limit=9)
    assert (stale.seq, stale.event_id, stale.body) == (fresh.seq, fresh.event_id, fresh.body)
    assert not settle(store.db, stale, Outcome(status=200))
    assert settle(store.db, fresh, Outcome(status=200))
    assert not settle(store.db, fresh, Outcome(status=500))


def test_delivery_fails_after_ten_attempts_of_the_published_schedule(store: Store) -> None:
    hook(store, events=[EventKind.JOB_FINISHED])
    finish_one(store)
    fan_out(store.db)
    planned = [0, 5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400]
    assert list(SCHEDULE_S) == planned
    for tries in range(1, 11):
        (parcel,) = claim_deliveries(store, "w", limit=9)
        assert settle(store.db, parcel, Outcome(status=500, error="http-500"))
        (row,) = deliveries(store)
        assert (row.attempt, row.response_status, row.error) == (tries, 500, "http-500")
        if tries < 10:
            assert row.next_attempt_at is not None
            with store.db.autocommit() as conn:
                wait = conn.execute(
                    "select extract(epoch from next_attempt_at - now()) as s from deliveries"
                ).fetchone()
            assert wait is not None
            assert 0.8 * planned[tries] - 2 <= wait["s"] <= 1.2 * planned[tries] + 2
        due_now(store)
    (ended,) = deliveries(store)
    assert ended.state is DeliveryState.FAILED
    assert [(tried["response_status"], tried["error"]) for tried in ended.attempts] == [(500, "http-500")] * 10
    assert claim_deliveries(store, "w", limit=9) == []
    again = redeliver(store.db, ACME, ACTOR, ended.id)
    assert (again.attempt, again.attempts) == (0, ended.attempts)


def test_a_longer_retry_after_is_honoured_up_to_a_day() -> None:
    assert pause_before(1, 3600) == 3600
    assert pause_before(1, 1e9) == 86_400
    assert pause_before(2, 1) >= 240


def test_gone_disables_the_webhook_and_ends_its_deliveries(store: Store) -> None:
    webhook_id = hook(store)
    finish_one(store)
    fan_out(store.db)
    first, _ = claim_deliveries(store, "w", limit=9)
    settle(store.db, first, Outcome(status=410, error="http-410"))
    assert {row.state for row in deliveries(store)} == {DeliveryState.FAILED}
    assert list_webhooks(store.db, ACME)[0].disabled_at is not None
    finish_one(store)
    fan_out(store.db)
    assert claim_deliveries(store, "w", limit=9) == []
    with pytest.raises(Exception, match="410"):
        test_webhook(store.db, ACME, ACTOR, webhook_id)


class Sending:
    """A dispatcher at work on the store while the block runs."""

    def __init__(self, store: Store, post: object = None, **settings: float) -> None:
        outbox = StoreOutbox(store, new_worker_id(), lease_s=settings.pop("lease_s", 60))
        self.dispatcher = Dispatcher(outbox, post or LOOPBACK.post, threads=8, poll_s=0.02)  # type: ignore[arg-type]

    def __enter__(self) -> Dispatcher:
        self.dispatcher.start()
        return self.dispatcher

    def __exit__(self, *_: object) -> None:
        assert self.dispatcher.drain(PATIENCE_S)


SETTLED_DUE = """
update deliveries set next_attempt_at = now()
where state = 'pending' and attempt > 0 and error is not null and attempt < 9 and fence = attempt
"""
"""Those that failed are due at once; none that is being sent, of which fence is ahead."""
ALL_DUE = """
update deliveries set next_attempt_at = now()
where state = 'pending' and attempt > 0 and error is not null and attempt < 9
"""
"""The same where senders die, so that fences stay ahead: some are sent twice."""


def wait_until(store: Store, state: DeliveryState, count: int, hurry: LiteralString = "") -> None:
    def there() -> bool:
        if hurry:
            with store.db.autocommit() as conn:
                conn.execute(hurry)
        return sum(row.state is state for row in list_deliveries(store, ACME, limit=1000).items) == count

    assert until(there), [(row.state, row.error) for row in deliveries(store)]


def test_a_delivery_arrives_signed_with_the_events_frozen_bytes(store: Store) -> None:
    with receiving() as receiver, Sending(store):
        secret = new_secret()
        register_webhook(store, ACME, ACTOR, receiver.url, [EventKind.DOCUMENT_FINISHED], secret)
        finish_one(store)
        wait_until(store, DeliveryState.DELIVERED, 1)
    (got,) = receiver.got
    event = store.db.fetch_one("select id, body from events where kind = 'document.finished'")
    assert event is not None
    assert (got.body, got.headers["webhook-id"]) == (bytes(event["body"]), event["id"])
    again = sign_headers([secret], "document.finished", event["id"], int(got.headers["webhook-timestamp"]), got.body)
    assert {name: got.headers[name.lower()] for name in again} == again


def test_both_secrets_sign_during_a_rotation_and_then_the_new_secret(store: Store) -> None:
    old, new = new_secret(), new_secret()
    with receiving() as receiver, Sending(store):
        hook_id = register_webhook(store, ACME, ACTOR, receiver.url, BOTH, old).id
        rotate_secret(store, ACME, ACTOR, hook_id, new, overlap_s=600)
        test_webhook(store.db, ACME, ACTOR, hook_id)
        wait_until(store, DeliveryState.DELIVERED, 1)
        with store.db.autocommit() as conn:
            conn.execute("update webhooks set old_secret_until = now()")
        assert erase_old_secrets(store.db) == 1
        test_webhook(store.db, ACME, ACTOR, hook_id)
        wait_until(store, DeliveryState.DELIVERED, 2)
    for got, secrets in zip(receiver.got, ([new, old], [new]), strict=True):
        facts = (TEST_EVENT, got.headers["webhook-id"], int(got.headers["webhook-timestamp"]), got.body)
        alone = [sign_headers([secret], *facts) for secret in secrets]
        assert got.headers["webhook-signature"].split(" ") == [each["webhook-signature"] for each in alone]
        assert got.headers["x-svc-signature"] == alone[0]["X-Svc-Signature"]
    row = store.db.fetch_one("select old_secret from webhooks")
    assert row == {"old_secret": None}


def test_an_enabled_webhook_gets_the_events_from_then_on(store: Store) -> None:
    webhook_id = hook(store, events=[EventKind.JOB_FINISHED])
    test_webhook(store.db, ACME, ACTOR, webhook_id)
    settle(store.db, claim_deliveries(store, "w", limit=9)[0], Outcome(status=410, error="http-410"))
    finish_one(store)
    fan_out(store.db)
    assert enable_webhook(store.db, ACME, ACTOR, webhook_id).disabled_at is None
    assert claim_deliveries(store, "w", limit=9) == []
    finish_one(store)
    fan_out(store.db)
    assert [parcel.event for parcel in claim_deliveries(store, "w", limit=9)] == ["job.finished"]


def test_redirects_and_silence_fail_and_are_tried_again_under_the_same_id(store: Store) -> None:
    answers = iter([(302, {"Location": "/x"}), (0, {}), (503, {"Retry-After": "7200"}), (200, {})])

    def answer(_: Received) -> tuple[int, dict[str, str]]:
        return next(answers)

    with receiving(answer) as receiver, Sending(store):
        webhook_id = hook(store, receiver.url)
        test_webhook(store.db, ACME, ACTOR, webhook_id)
        wait_until(store, DeliveryState.DELIVERED, 1, SETTLED_DUE)
    assert len({(got.headers["webhook-id"], got.body) for got in receiver.got}) == 1
    assert len(receiver.got) == 4


def test_hanging_receiver_does_not_delay_others(store: Store) -> None:
    release = threading.Event()

    def hang(_: Received) -> tuple[int, dict[str, str]]:
        release.wait(PATIENCE_S)
        return 200, {}

    with receiving(hang) as slow, receiving() as quick, Sending(store):
        stuck, others = hook(store, slow.url), [hook(store, quick.url) for _ in range(5)]
        for _ in range(20):
            test_webhook(store.db, ACME, ACTOR, stuck)
        for other in others:
            test_webhook(store.db, ACME, ACTOR, other)
        assert until(lambda: len(quick.got) == 5)
        assert len(slow.got) <= 4
        release.set()


MOST_REFUSALS = 6
"""Of one event: tries are counted, and one in two hundred runs refused an event until none was left."""


def test_every_event_arrives_despite_failures_and_crashes(store: Store) -> None:
    """Dispatchers are abandoned in the middle of a send: their claims expire and another dispatcher sends again."""
    chance, refused = random.Random(7), Counter[str]()
    died: list[str] = []

    def answer(got: Received) -> tuple[int, dict[str, str]]:
        fails = refused[got.headers["webhook-id"]] < MOST_REFUSALS and chance.random() < 1 / 3
        refused[got.headers["webhook-id"]] += fails
        return (500, {}) if fails else (200, {})

    def deadly(url: str, body: bytes, headers: Mapping[str, str]) -> HttpAnswer:
        sent = LOOPBACK.post(url, body, headers)
        if chance.random() < 0.1 and len(died) < 20:
            died.append(headers["webhook-id"])
            raise SystemExit  # after the send, before the settling: what a kill -9 leaves
        return sent

    with receiving(answer) as receiver:
        hook(store, receiver.url, [EventKind.DOCUMENT_FINISHED])
        for _ in range(10):
            finish_one(store, 10)
        with Sending(store, deadly, lease_s=1):
            wait_until(store, DeliveryState.DELIVERED, 100, ALL_DUE)
    bodies = {got.headers["webhook-id"]: got.body for got in receiver.got}
    assert len(bodies) == 100
    assert all(bodies[got.headers["webhook-id"]] == got.body for got in receiver.got)


def test_foreign_webhooks_and_deliveries_are_unknown(store: Store) -> None:
    webhook_id = hook(store)
    delivery = test_webhook(store.db, ACME, ACTOR, webhook_id)
    for scope in (Scope(tenant="zeta"), Scope(tenant="acme", org="elsewhere")):
        for act, target in ((delete_webhook, webhook_id), (test_webhook, webhook_id), (redeliver, delivery.id)):
            with pytest.raises(Exception, match="no such"):
                act(store.db, scope, ACTOR, target)
        assert list_webhooks(store.db, scope) == []
        assert list_deliveries(store, scope).items == ()


def test_a_signing_key_that_changed_stalls_only_its_own_webhooks(store: Store, dsn: str, tmp_path: Path) -> None:
    other = open_store(dsn, tmp_path / "o", signing_key=b"another signing key of the tests")
    for owner in (store, other):
        test_webhook(store.db, ACME, ACTOR, hook(owner))
    assert len(claim_deliveries(store, "w", limit=9)) == 1
    other.close()
    with psycopg.connect(dsn) as connection:
        assert connection.execute("select count(*) from deliveries where state = 'pending'").fetchone() == (2,)
