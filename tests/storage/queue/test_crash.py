"""Killed at every named point, an act has happened wholly or not at all, and the next one heals what is left."""

import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from quire.storage.jobs.lifecycle import delete_document
from quire.storage.queue.publish import finish
from quire.storage.queue.usage import MonthUsage, month_usage
from quire.storage.store import Store
from quire.storage.upkeep.erase import purge_some
from quire.storage.upkeep.reconcile import Differences, reconcile
from quire.storage.values import crash_points as crash
from quire.storage.values.crash_points import CrashPoint, crash_point
from quire.storage.values.rows import Succeeded
from tests.storage.scenes import ACME, ACTOR, claim, expire, submit, worker
from tests.waiting import until


def die(dsn: str, store: Store, act: str, point: CrashPoint) -> None:
    """Returns when the database knows of the death too: until then the dead process holds its locks."""
    command = [sys.executable, "-m", "tests.storage.queue.dying", dsn, str(store.workdir), act, point]
    with psycopg.connect(dsn, autocommit=True) as looking:
        before = connected(looking)
        done = subprocess.run(command, capture_output=True, check=False, cwd=Path(__file__).parents[3])
        assert done.returncode == -signal.SIGKILL, done.stderr
        assert until(lambda: connected(looking) <= before)


def connected(looking: psycopg.Connection[tuple[int]]) -> set[int]:
    """The clients of this database; the server's own cleaners come and go."""
    listed = "select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend'"
    return {pid for (pid,) in looking.execute(listed)}


def count(store: Store, table: str) -> int:
    return int(store.db.fetch_all(f"select count(*) as n from {table}")[0]["n"])


@pytest.mark.parametrize(
    ("point", "accepted"),
    [
        (CrashPoint.AFTER_BLOB, 0),
        (CrashPoint.BEFORE_INTAKE_COMMIT, 0),
        (CrashPoint.AFTER_INTAKE_COMMIT, 1),
    ],
)
def test_a_killed_submission_is_all_or_nothing(dsn: str, store: Store, point: CrashPoint, accepted: int) -> None:
    die(dsn, store, "submit", point)
    assert [count(store, table) for table in ("jobs", "documents", "tasks", "audit")] == [accepted] * 4
    assert month_usage(store.db) == MonthUsage(used=0, reserved=accepted)
    assert len(reconcile(store, grace_s=-60).orphan_blobs) == 1 - accepted
    assert reconcile(store, grace_s=-60) == Differences()


@pytest.mark.parametrize(
    "point",
    [
        CrashPoint.AFTER_CLAIM,
        CrashPoint.BETWEEN_ARTIFACTS,
        CrashPoint.AFTER_ARTIFACTS,
        CrashPoint.AFTER_FENCE,
        CrashPoint.BEFORE_COMMIT,
        CrashPoint.AFTER_COMMIT,
    ],
)
def test_a_killed_reader_loses_and_doubles_nothing(dsn: str, store: Store, point: CrashPoint) -> None:
    job = submit(store)
    die(dsn, store, "read", point)
    assert count(store, "meter") == (point is CrashPoint.AFTER_COMMIT)
    if point is not CrashPoint.AFTER_COMMIT:
        expire(store, job.documents[0].id)
        again = claim(worker(store))
        manifest = store.artifacts.put(again.document_id, again.attempt, {"tree.json": b"{}"})
        assert finish(store, [Succeeded(claim=again, manifest=manifest, format="pdf", pages=2)]) == [True]
    assert [count(store, table) for table in ("meter", "tasks")] == [1, 0]
    assert count(store, "events") == 2
    assert month_usage(store.db) == MonthUsage(used=2, reserved=0)
    reconcile(store, grace_s=-60)
    assert reconcile(store, grace_s=-60) == Differences()


@pytest.mark.parametrize(
    "point", [CrashPoint.AFTER_PURGE_ARTIFACTS, CrashPoint.AFTER_PURGE_BLOB, CrashPoint.BEFORE_PURGE_COMMIT]
)
def test_a_killed_purge_is_done_again(dsn: str, store: Store, point: CrashPoint) -> None:
    submit(store)
    taken = claim(worker(store))
    manifest = store.artifacts.put(taken.document_id, taken.attempt, {"tree.json": b"{}"})
    finish(store, [Succeeded(claim=taken, manifest=manifest, format="pdf", pages=2)])
    delete_document(store.db, ACME, ACTOR, taken.document_id)
    die(dsn, store, "purge", point)
    assert count(store, "purges") == 1
    assert purge_some(store) == 1
    assert count(store, "purges") == 0
    assert [path for path in store.workdir.rglob("*") if path.is_file()] == []
    assert reconcile(store, grace_s=-60) == Differences()


def test_an_unknown_point_is_refused_and_an_unarmed_one_does_nothing() -> None:
    with pytest.raises(ValueError, match="nowhere"):
        crash.arm("nowhere")
    crash.arm(None)
    crash_point(CrashPoint.BEFORE_COMMIT)
    crash.arm("before-commit:3")
    crash_point(CrashPoint.BEFORE_COMMIT)
    crash_point(CrashPoint.AFTER_COMMIT)
    crash.arm(None)
