"""Scans stored trees on demand: a redacted output is made only of a tree in which names were searched for.

Readers may search for patterns alone, which is fast. When a redacted output of such a tree is first asked for, the
tree is scanned again in a limited process and published under a new attempt. Callers that ask meanwhile wait for the
same scan, for some seconds; a longer scan goes on after they were told to come back.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from models.cdom.tree import Tree, dump_tree, load_tree
from models.pii.flag import unfinished
from models.pii.places import find_places
from models.pii.windows import MOST_CPU_S
from serve_apps.api.context.limited_work import LimitedWork, WorkLimits
from serve_apps.api.context.parsed_trees import ParsedTrees
from serve_apps.api.http.bulkhead import Bulkhead
from serve_apps.api.http.refusals import OverLimit, ScanRunning
from storage.review.republish import find_shown, publish_scanned
from storage.store import Store
from storage.values.rows import DocumentId

PATTERNS = "regex"
"""Name of the engine that searches for patterns alone."""
AT_ONCE, MOST_SCANS = 2, 32  # scans that run, and those of one tenant that wait
GRACE_CPU_S = 30  # CPU seconds for starting the process and for JSON, in addition to the scan's own limit
WAIT_S = 20.0
"""Seconds that a request waits for a scan before it answers 503; proxies wait for 30 to 60 seconds."""

Key = tuple[DocumentId, int]


@dataclass(frozen=True, slots=True)
class RedactionScan:
    """The scan that a redacted output needs. `flag_tree` must be picklable; `engine` is its name."""

    engine: str
    flag_tree: Callable[[Tree], Tree]

    def is_wanted(self, tree: Tree) -> bool:
        """Return whether the tree was not scanned, or for patterns alone."""
        return tree.pii is None or tree.pii.engine == PATTERNS != self.engine


class RedactionScans:
    """The scans of one app. Call from its event loop."""

    def __init__(self, store: Store, trees: ParsedTrees, scan: RedactionScan | None, wait_s: float = WAIT_S) -> None:
        self._store, self._trees, self._scan, self._wait_s = store, trees, scan, wait_s
        self._lane = Bulkhead("scan", AT_ONCE, most_waiting=MOST_SCANS)
        self._work = LimitedWork(WorkLimits(cpu_s=int(MOST_CPU_S) + GRACE_CPU_S, at_once=AT_ONCE))
        self._running: dict[Key, asyncio.Task[int]] = {}

    def close(self) -> None:
        """Wait for running scans and refuse further ones."""
        self._lane.close()

    async def scanned_attempt(self, document_id: DocumentId, attempt: int, tree: Tree) -> int:
        """Return the attempt whose tree may be shown redacted: `attempt`, or a new one after a scan.

        Raises:
            ScanRunning: The scan takes longer than a request waits.
            Overloaded: Too many scans wait.
            NotFound: The document was deleted meanwhile.
        """
        if self._scan is None or not self._scan.is_wanted(tree):
            return attempt
        key = (document_id, attempt)
        task = self._running.get(key)
        if task is None:
            task = self._running[key] = asyncio.create_task(self._lane.run(self._publish, key, tree, self._scan))
            task.add_done_callback(lambda ended: self._forget(key, ended))
        try:
            async with asyncio.timeout(self._wait_s):
                return await asyncio.shield(task)
        except TimeoutError:
            raise ScanRunning("names are being searched for in this document; ask again in some seconds") from None

    def _forget(self, key: Key, task: asyncio.Task[int]) -> None:
        """Note the end of a scan; its error, if any, is known to those that wait for it."""
        self._running.pop(key, None)
        if not task.cancelled():
            task.exception()

    def _publish(self, key: Key, tree: Tree, scan: RedactionScan) -> int:
        document_id, attempt = key
        shown = find_shown(self._store.db, document_id)
        if shown.attempt == attempt:
            try:
                flagged = load_tree(self._work.run_apart(partial(_flag, scan.flag_tree), dump_tree(tree)))
            except OverLimit:
                flagged = unfinished(tree, scan.engine, "0")
            publish_scanned(self._store, shown, dump_tree(flagged), find_places(flagged))
        return find_shown(self._store.db, document_id).attempt


def _flag(flag_tree: Callable[[Tree], Tree], tree_json: bytes) -> bytes:
    return dump_tree(flag_tree(load_tree(tree_json)))
