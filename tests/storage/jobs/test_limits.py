"""Rate limits over replicas, retention, disk caps, and tenants that move."""

import random
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from quire.storage.access.audit import list_audit, seal, verify
from quire.storage.access.rate_limits import BURST, delete_idle_buckets, take
from quire.storage.access.tenants import move_tenant
from quire.storage.jobs.jobs import get_job
from quire.storage.queue.disk_cap import DiskFull, require_room
from quire.storage.queue.publish import finish
from quire.storage.store import Store, open_store
from quire.storage.upkeep.retention import delete_expired
from quire.storage.values.errors import Conflict, NotFound
from quire.storage.values.rows import Actor, Scope
from tests.conftest import SIGNING_KEY
from tests.storage.scenes import ACME, claim, submit, success, worker


def test_four_replicas_share_one_limit_in_every_minute(store: Store, dsn: str, tmp_path: Path) -> None:
    """Three minutes on a clock of the test's: all four ask at once, far above the limit, with pauses between."""
    replicas = [open_store(dsn, tmp_path / str(n), signing_key=SIGNING_KEY) for n in range(4)]
    chance, per_minute, start = random.Random(3), 60, datetime(2026, 1, 1, tzinfo=UTC)
    accepted: list[float] = []
    with ThreadPoolExecutor(len(replicas)) as threads:
        for step in range(360):
            at = step / 2
            if 70 < at < 100 or chance.random() < 0.2:  # nobody asks for a while: what was saved up is the burst alone
                continue
            now = start + timedelta(seconds=at)
            asked = [threads.submit(take, one.db, "acme", per_minute, now=now) for one in replicas]
            waits = [each.result() for each in asked]
            accepted += [at] * waits.count(0.0)
            assert all(0 <= wait <= 1 for wait in waits)
    for first in accepted:
        assert sum(first <= at < first + 60 for at in accepted) <= per_minute + BURST
    assert len(accepted) >= per_minute * (180 - 30) / 60 - BURST
    for replica in replicas:
        replica.close()


def test_the_wait_is_exact_at_any_time(store: Store) -> None:
    chance, now = random.Random(5), datetime(2026, 1, 1, tzinfo=UTC)
    for _ in range(60):
        while not (wait := take(store.db, "acme", 90, now=now)):
            now += timedelta(seconds=chance.random() / 5)
        almost = now + timedelta(seconds=wait - 0.001)
        assert 0 < take(store.db, "acme", 90, now=almost) <= 0.002
        now += timedelta(seconds=wait + 1e-6)
        assert take(store.db, "acme", 90, now=now) == 0


def test_a_wait_that_is_obeyed_is_accepted_and_buckets_are_apart(store: Store) -> None:
    while not (wait := take(store.db, "acme", 600, burst=2)):
        pass
    assert 0 < wait <= 0.1
    assert take(store.db, "zeta", 600, burst=2) == 0
    time.sleep(wait)
    assert take(store.db, "acme", 600, burst=2) == 0


def test_long_empty_buckets_are_deleted(store: Store) -> None:
    take(store.db, "acme", 60)
    with store.db.autocommit() as conn:
        conn.execute("update rate_limits set empty_at = now() - interval '2 hours'")
    take(store.db, "zeta", 60)
    assert delete_idle_buckets(store.db) == 1


def end_job(store: Store, scope: Scope = ACME) -> str:
    job = submit(store, scope=scope)
    finish(store, [success(claim(worker(store)))])
    return job.id


def test_jobs_past_their_retention_are_deleted_and_others_stay(store: Store) -> None:
    old, recent = end_job(store), end_job(store)
    waiting = submit(store).id
    with store.db.autocommit() as conn:
        conn.execute("update jobs set finished_at = finished_at - interval '8 days' where id = %s", (old,))
        conn.execute("update jobs set created_at = created_at - interval '8 days' where id = %s", (waiting,))
    assert delete_expired(store.db, 7) == 1
    assert delete_expired(store.db, 7) == 0
    with pytest.raises(NotFound):
        get_job(store.db, ACME, old)
    for kept in (recent, waiting):
        assert get_job(store.db, ACME, kept).id == kept
    assert [
        (entry.actor, entry.object) for entry in list_audit(store, ACME).items if entry.action == "job.deleted"
    ] == [("retention", old)]


def test_organisation_bytes_are_limited_without_deleted_documents(store: Store) -> None:
    job = end_job(store)
    with store.db.autocommit() as conn:
        require_room(conn, ACME, 16, 8)
        with pytest.raises(DiskFull):
            require_room(conn, ACME, 16, 9)
        require_room(conn, ACME, 0, 9)
        require_room(conn, Scope(tenant="acme", org="elsewhere"), 16, 9)
        conn.execute("update jobs set finished_at = finished_at - interval '8 days' where id = %s", (job,))
        delete_expired(store.db, 7)
        require_room(conn, ACME, 16, 16)


def test_documents_of_a_tenant_move_with_all_their_rows_while_readers_work(store: Store) -> None:
    default = Scope(tenant="default")
    done = end_job(store, default)
    queued = submit(store, scope=default).id
    held = claim(worker(store))
    moved = move_tenant(store.db, "default", "acme")
    assert (moved["jobs"], moved["documents"], moved["tasks"], moved["meter"]) == (2, 2, 1, 1)
    assert finish(store, [success(held)]) == [True]
    for job in (done, queued):
        assert get_job(store.db, ACME, job).status == "succeeded"
        with pytest.raises(NotFound):
            get_job(store.db, default, job)
    seal(store.db)
    assert verify(store.db, default) is None
    assert verify(store.db, ACME) is None


def test_move_to_used_or_from_unknown_tenant_is_refused(store: Store) -> None:
    end_job(store, Scope(tenant="default"))
    end_job(store)
    with pytest.raises(Conflict):
        move_tenant(store.db, "default", "acme")
    with pytest.raises(NotFound):
        move_tenant(store.db, "nobody", "fresh")
    assert Actor(key_name="operator").request_id is None
