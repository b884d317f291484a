"""Keeps this machine's keyword indexes up to date with a table that a writer on another machine fills.

On the writer's machine they are current within a moment, and a follower does nothing: it follows only scopes that stay
behind for `LAG_S`. Chunks that the table no longer has are noticed by counting, and those parts are built again.
"""

import json
import logging
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path

from quire.storage.index.keyword.folder_lock import FolderTaken
from quire.storage.index.keyword.keyword_files import KeywordFiles
from quire.storage.index.keyword.keywords import Keywords, KeywordState
from quire.storage.index.table.chunk_table import ChunkTable
from quire.storage.index.table.entries import parse_scope, scope_name
from quire.storage.index.table.freed_memory import release_memory
from quire.storage.values.rows import Scope

log = logging.getLogger(__name__)
LAG_S = 15.0
"""Seconds a scope may be behind before the follower updates it; a local writer needs only moments."""
WARN_AFTER_S = 120.0  # seconds behind from which every pass logs a warning


class KeywordFollower:
    """Updates the indexes of this machine. `run` now and then, from one thread of a process that searches."""

    def __init__(
        self,
        files: KeywordFiles,
        keywords: Keywords,
        table: ChunkTable,
        *,
        lag_s: float = LAG_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._files, self._keywords, self._table = files, keywords, table
        self._lag_s, self._clock = lag_s, clock
        self._behind_since: dict[str, float] = {}
        self._in_step_at: int | None = None

    def run(self) -> None:
        """Update scopes that changed. If another process of the machine does so, leave it to that one."""
        version = self._table.version()
        if version == self._in_step_at:
            return
        names = self._table.scopes()
        self._behind_since = {name: since for name, since in self._behind_since.items() if name in names}
        settled = all([self._look_after(parse_scope(name)) for name in sorted(names)])
        try:
            with self._files.lock.held(wait=False):
                self._files.drop_foreign(self._table.scopes())
        except FolderTaken:
            settled = False
        self._in_step_at = version if settled else None
        release_memory()
        if self.age_s() > WARN_AFTER_S:
            log.warning("keyword indexes of this machine are %d s behind the table", self.age_s())

    def age_s(self) -> float:
        """Return the seconds for which the oldest scope has been behind; 0 if all are current."""
        now = self._clock()
        return max((now - since for since in list(self._behind_since.values())), default=0.0)

    def _look_after(self, scope: Scope) -> bool:
        """Update the scope if it is behind for long; return whether it is current."""
        name = scope_name(scope)
        if self._in_step(scope):
            self._behind_since.pop(name, None)
            return True
        since = self._behind_since.setdefault(name, self._clock())
        if self._clock() - since < self._lag_s:
            return False
        try:
            with self._files.lock.held(wait=False):
                self._follow(scope)
        except FolderTaken:
            return False
        except ValueError as error:  # tantivy's own lock: a writer of this machine has the index open
            log.info("keyword index of %s is being written: %s", name, error)
            return False
        self._behind_since.pop(name, None)
        return True

    def _follow(self, scope: Scope) -> None:
        try:
            self._files.follow(scope)
            state = self._keywords.state(scope)
            differing = self._differing(scope, state, self._table.batches_of(scope)) if state is not None else []
            if state is not None and differing:
                self._files.rebuild_parts(scope, {*differing, *self._masked(scope, state)}, nullcontext())
        finally:
            self._files.close()

    def _in_step(self, scope: Scope) -> bool:
        state, batches = self._keywords.state(scope), self._table.batches_of(scope)
        if state is None or any(batch > state.batch for batch, _ in batches):
            return False
        return not self._differing(scope, state, batches)

    def _differing(self, scope: Scope, state: KeywordState, batches: Sequence[tuple[int, int]]) -> list[int]:
        """Return builds that hold another number of chunks than the table has in their batches."""
        view = self._keywords.view(scope)
        return [
            part.build
            for part, searcher in zip(state.parts, view.searchers if view else (), strict=False)
            if searcher.num_docs != sum(chunks for batch, chunks in batches if part.after < batch <= part.until)
        ]

    def _masked(self, scope: Scope, state: KeywordState) -> list[int]:
        """Return index builds that still contain terms of deleted chunks."""
        folders = {part.build: self._keywords.part_folder(scope, part.build) for part in state.parts}
        return [build for build, folder in folders.items() if _has_deletions(folder)]


def _has_deletions(folder: Path) -> bool:
    meta = json.loads((folder / "meta.json").read_bytes())
    return any(segment.get("deletes") for segment in meta["segments"])
