"""Audit rows of refusals: a known key requested an operation that it may not use.

At most one row a minute per key, operation and reason; the caller never waits for it.
"""

import asyncio
from contextlib import suppress
from time import monotonic

from quire.serve_apps.access.caller import Caller
from quire.serve_apps.api.lanes.bulkhead import Bulkhead
from quire.serve_apps.api.lanes.fair_places import Overloaded
from quire.storage.access.audit import record
from quire.storage.postgres.database import Database
from quire.storage.values.errors import StorageError

QUIET_S = 60.0  # seconds in which one key's equal refusals make one audit row
_REMEMBERED = 4096  # refusals; the oldest is dropped first


class DenialAudit:
    """Writes audit rows of refusals; one per app."""

    def __init__(self, db: Database, lane: Bulkhead) -> None:
        self._db, self._lane = db, lane
        self._noted: dict[tuple[str, str, str], float] = {}
        self._writing: set[asyncio.Task[None]] = set()

    def note(self, caller: Caller, request_id: str, operation: str, code: str) -> None:
        """Write `access.refused` in the background, at most once per quiet period.

        Args:
            caller: The refused caller.
            request_id: Id of the refused request.
            operation: HTTP method and path template of the route.
            code: Error code of the refusal.
        """
        key, now = (caller.key_name, operation, code), monotonic()
        if now - self._noted.get(key, float("-inf")) < QUIET_S:
            return
        if len(self._noted) >= _REMEMBERED:
            self._noted.clear()
        self._noted[key] = now
        task = asyncio.create_task(self._write(caller, request_id, operation, code))
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)

    async def settle(self) -> None:
        """Wait until all pending audit rows are written."""
        await asyncio.gather(*self._writing)

    async def _write(self, caller: Caller, request_id: str, operation: str, code: str) -> None:
        with suppress(StorageError, Overloaded):
            await self._lane.run(_record, self._db, caller, request_id, operation, code)


def _record(db: Database, caller: Caller, request_id: str, operation: str, code: str) -> None:
    with db.transaction() as conn:
        record(conn, caller.data, caller.actor(request_id), "access.refused", operation, code)
