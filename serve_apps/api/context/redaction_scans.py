"""Scans stored trees on demand: a redacted output is made only of a tree in which names were searched for.

Readers may search for patterns alone, which is fast. When a redacted output of such a tree is first asked for, the
tree is scanned again in a limited process and published under a new attempt. Callers that ask meanwhile wait for the
same scan, for some seconds; a longer scan goes on after they were told to come back.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from quire.models.cdom.tree import Tree, dump_tree, load_tree
from quire.models.pii.flagging.flag import unfinished
from quire.models.pii.flagging.windows import MOST_CPU_S
from quire.models.pii.places import find_places
from quire.serve_apps.api.context.limited_work import LimitedWork, WorkLimits
from quire.serve_apps.api.context.parsed_trees import ParsedTrees
from quire.serve_apps.api.http.refusals import OverLimit, ScanRunning
from quire.serve_apps.api.lanes.bulkhead import Bulkhead
from quire.serve_apps.api.lanes.fair_places import Overloaded
from quire.storage.objects.artifacts import SCANNED_TREE
from quire.storage.review.republish import find_shown, publish_scanned
from quire.storage.store import Store
from quire.storage.values.errors import NotFound
from quire.storage.values.rows import DocumentId

PATTERNS = "regex"
"""Name of the engine that searches for patterns alone."""
AT_ONCE, MOST_SCANS = 2, 32  # scans that run, and those of one tenant that wait
GRACE_CPU_S = 30  # CPU seconds for starting the process and for JSON, in addition to the scan's own limit

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

    def __init__(self, store: Store, trees: ParsedTrees, scan: RedactionScan | None) -> None:
        self._store, self._trees, self._scan = store, trees, scan
        self._lane = Bulkhead("scan", AT_ONCE, most_waiting=MOST_SCANS)
        self._work = LimitedWork(WorkLimits(cpu_s=int(MOST_CPU_S) + GRACE_CPU_S, at_once=AT_ONCE))
        self._running: dict[Key, asyncio.Task[int]] = {}

    def close(self) -> None:
        """Wait for running scans and refuse further ones."""
        self._lane.close()

    async def scanned_attempt(self, document_id: DocumentId, attempt: int, tree: Tree, wait_s: float) -> int:
        """Return the attempt whose tree may be shown redacted: `attempt`, or a new one after a scan.

        Raises:
            ScanRunning: The scan takes longer than `wait_s` seconds, or too many scans wait.
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
            async with asyncio.timeout(wait_s):
                return await asyncio.shield(task)
        except (TimeoutError, Overloaded):
            raise ScanRunning("names are being searched for in this document; ask again at Location") from None

    def _forget(self, key: Key, task: asyncio.Task[int]) -> None:
        """Note the end of a scan; its error, if any, is known to those that wait for it."""
        self._running.pop(key, None)
        if not task.cancelled():
            task.exception()

    def _publish(self, key: Key, tree: Tree, scan: RedactionScan) -> int:
        document_id, attempt = key
        shown = find_shown(self._store.db, document_id)
        if shown.attempt == attempt:
            flagged = self._read_ahead(key, scan) or self._flag(tree, scan)
            publish_scanned(self._store, shown, dump_tree(flagged), find_places(flagged))
        return find_shown(self._store.db, document_id).attempt

    def _read_ahead(self, key: Key, scan: RedactionScan) -> Tree | None:
        """Return the tree that a reader scanned ahead, or None if there is none of this engine."""
        try:
            tree = load_tree(self._store.artifacts.read(*key, SCANNED_TREE))
        except NotFound:
            return None
        return tree if tree.pii is not None and tree.pii.engine == scan.engine else None

    def _flag(self, tree: Tree, scan: RedactionScan) -> Tree:
        try:
            return load_tree(self._work.run_apart(partial(_flag, scan.flag_tree), dump_tree(tree)))
        except OverLimit:
            return unfinished(tree, scan.engine, "0")


def _flag(flag_tree: Callable[[Tree], Tree], tree_json: bytes) -> bytes:
    return dump_tree(flag_tree(load_tree(tree_json)))
