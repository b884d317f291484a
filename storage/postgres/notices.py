"""Hints over LISTEN/NOTIFY, sent after the commit: losing one costs a poll interval, nothing else.

Inside the transaction a NOTIFY would take a database-wide lock until the commit is on disk, and commits could not be
grouped any more.
"""

from collections.abc import Sequence

from quire.storage.postgres.database import Database
from quire.storage.values.errors import StoreUnavailable

TASKS = "quire_tasks"
DONE = "quire_done"
KEYS = "quire_keys"


def notify_tasks(db: Database) -> None:
    """Notify readers that a task can be claimed."""
    _notify(db, TASKS, [""])


def notify_done(db: Database, job_ids: Sequence[str]) -> None:
    """Notify waiters that these jobs ended, with one notice each."""
    if job_ids:
        _notify(db, DONE, job_ids)


def notify_keys(db: Database) -> None:
    """Notify API replicas that keys were added or revoked."""
    _notify(db, KEYS, [""])


def _notify(db: Database, channel: str, payloads: Sequence[str]) -> None:
    try:
        with db.autocommit() as conn:
            conn.execute("select pg_notify(%s, payload) from unnest(%s::text[]) as payload", (channel, list(payloads)))
    except StoreUnavailable:
        return
