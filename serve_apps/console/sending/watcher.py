"""Follow sent documents to their end: ask the engine for each open job, in threads that many consoles may share.

A status check is leased from SQL for a short time, so a process may die at any moment. The watcher also deletes
documents past their plan's retention. It uses the engine's HTTP API and the console's tables.
"""

import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx

from quire.serve_apps.console.context.engine_facts import facts_of
from quire.serve_apps.console.store.ports import ConsoleTables
from quire.serve_apps.console.store.rows import StatusCheck
from quire.serve_apps.console.store.sent import list_outdated, mark_removed
from quire.serve_apps.console.store.settlement import known_jobs, lease_checks, schedule_check, settle, settle_missing
from quire.storage.values.errors import StorageError

log = logging.getLogger(__name__)
THREADS = 8  # concurrent requests to the engine
TIMEOUT_S = 10.0  # seconds for the engine to answer one
RETIRE_EVERY_S = 60.0  # seconds between searches for outdated jobs
STUCK_S = 120.0  # seconds without a turn after which it is unhealthy


class Watcher:
    """One loop and a few threads that check statuses."""

    def __init__(self, db: ConsoleTables, engine_url: str, engine_key: str, *, poll_s: float = 0.3) -> None:
        self._db, self._poll_s = db, poll_s
        self._client = httpx.Client(
            base_url=engine_url, headers={"X-API-Key": engine_key}, timeout=TIMEOUT_S, trust_env=False
        )
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="watch")
        self._stop, self._turned_at, self._retired_at = threading.Event(), time.monotonic(), 0.0
        self._thread = threading.Thread(target=self._run, name="watcher", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def healthy(self) -> bool:
        """Return whether the thread was stopped or makes progress."""
        return self._stop.is_set() or (self._thread.is_alive() and time.monotonic() - self._turned_at < STUCK_S)

    def drain(self, timeout_s: float) -> bool:
        """Stop the loop. A request in progress ends within its time limit. Return whether the thread has ended."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout_s)
        self._threads.shutdown(wait=True)
        self._client.close()
        return not self._thread.is_alive()

    def turn(self) -> int:
        """Run one pass over all due checks and return their number."""
        looks = lease_checks(self._db, THREADS * 4)
        list(self._threads.map(self._look, looks))
        return len(looks)

    def delete_outdated(self) -> int:
        """Delete jobs past their plan's retention in the engine, then here, and return their number."""
        done = 0
        for row in list_outdated(self._db):
            answer = self._client.delete(f"/v1/jobs/{row['job_id']}", headers={"X-DE-Org": row["org"]})
            if answer.status_code in (204, 404):
                mark_removed(self._db, row["id"])
                done += 1
        return done

    def _run(self) -> None:
        while not self._stop.is_set():
            self._turned_at = time.monotonic()
            done = 0
            try:
                done = self.turn()
                if time.monotonic() - self._retired_at > RETIRE_EVERY_S:
                    self._retired_at = time.monotonic()
                    self.delete_outdated()
            except (StorageError, httpx.HTTPError) as error:
                log.warning("watcher: %s", type(error).__name__)
            if not done:
                self._stop.wait(self._poll_s)

    def _look(self, look: StatusCheck) -> None:
        try:
            job = self._job(look)
            if job is None:
                settle_missing(self._db, look)
                return
            settle(self._db, look.submission_id, job["id"], facts_of(job))
            if job["pending"]:
                schedule_check(self._db, look.submission_id, pause_after(look.age_s))
        except (StorageError, httpx.HTTPError, _EngineErred) as error:
            log.warning("status check failed: %s", type(error).__name__)

    def _job(self, look: StatusCheck) -> dict[str, Any] | None:
        """Return the job from the engine, or None if it does not exist."""
        job_id = look.job_id or self._find_lost(look)
        if job_id is None:
            return None
        answer = self._get(f"/v1/jobs/{job_id}", look.org)
        if answer.status_code == 404:
            return None
        job: dict[str, Any] = answer.json()
        return job

    def _find_lost(self, look: StatusCheck) -> str | None:
        """Return an unrecorded job of this organisation: a process died between sending and recording the answer."""
        listed = self._get("/v1/jobs?limit=100", look.org).json()
        recorded = known_jobs(self._db, [job["id"] for job in listed])
        unknown = [job for job in listed if job["id"] not in recorded and sum(job["counts"].values()) == look.n_total]
        return str(unknown[-1]["id"]) if unknown else None

    def _get(self, path: str, org: str) -> httpx.Response:
        answer = self._client.get(path, headers={"X-DE-Org": org})
        if answer.status_code not in (200, 404):
            raise _EngineErred(str(answer.status_code))
        return answer


class _EngineErred(Exception):
    """The engine's answer is unusable; the check is repeated when its lease expires."""


def pause_after(age_s: float) -> float:
    """Return the seconds until a job's next check: short for a new job, at most ten."""
    return min(10.0, 0.3 + age_s / 10)
