"""Operations of the keyword engine's one writer: follow the chunk table, rebuild, erase.

tantivy keeps the words of deleted chunks until a merge that cannot be requested, so erasing text means building an
index again from the table and then dropping the old files. A scope's index is cut into parts of `PART_CHUNKS`, so that
only the parts that held the text are built again.
"""

import json
import os
import shutil
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import asdict, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from quire.storage.index.keyword.analysis import FIELDS, field_of
from quire.storage.index.keyword.folder_lock import FolderLock
from quire.storage.index.keyword.keyword_writers import KeywordWriters, build_index, generation_of
from quire.storage.index.keyword.keywords import KeywordPart, Keywords, KeywordState
from quire.storage.index.table.chunk_table import ChunkTable
from quire.storage.index.table.entries import first_key, generation_name, parse_scope
from quire.storage.objects.durable_files import partial_name, sync_folder, write_synced
from quire.storage.values.rows import Scope

PART_CHUNKS = 50_000
"""Chunks at which a part is full: it is built again in about 4 CPU seconds, and a million chunks are 20 parts."""
SIDE_BY_SIDE = max(1, min(4, os.cpu_count() or 1))
"""Parts built in parallel: each takes a core and holds its chunks in memory (100 MB)."""
Rows = list[dict[str, Any]]
Batches = tuple[int, int]
"""Batches after the first number, up to and including the second."""


class KeywordFiles:
    """All scopes' keyword indexes, kept up to date with the table. One process, one thread at a time."""

    def __init__(self, keywords: Keywords, table: ChunkTable, *, part_chunks: int = PART_CHUNKS) -> None:
        self._keywords, self._table, self._part_chunks = keywords, table, part_chunks
        self._writers = KeywordWriters()
        self.lock = FolderLock(keywords.root)

    def has(self, scope: Scope) -> bool:
        """Return whether the scope has an index of this version."""
        return self._keywords.state(scope) is not None

    def follow(self, scope: Scope, emptied: Collection[tuple[str, int]] = ()) -> int:
        """Add the table's new chunks of this scope, or build a missing index; return the number of chunks.

        A generation written again, from its first chunk on, replaces itself. `emptied` ones have no chunk left.
        """
        with self.lock.held():
            return self._follow(scope, emptied)

    def _follow(self, scope: Scope, emptied: Collection[tuple[str, int]]) -> int:
        state = self._keywords.state(scope)
        if state is None:
            built = self._build(scope)
            self._put(scope, built)
            return sum(part.chunks for part in built.parts)
        fresh: Rows = self._table.texts_of(scope, after_batch=state.batch).to_pylist()
        if not fresh and not emptied:
            return 0
        begun = {generation_of(row) for row in fresh if first_key(row["key"]) == row["key"]}
        gone = {
            "generation": begun | {generation_name(*pair) for pair in emptied},
            "key": {row["key"] for row in fresh if generation_of(row) not in begun},
        }
        parts = list(state.parts)
        portions = list(self._portions(fresh, self._part_chunks - parts[-1].chunks if parts else 0))
        first = portions.pop(0) if portions and parts and parts[-1].chunks < self._part_chunks else (state.batch, [])
        self._change(scope, parts, gone, *first)
        for until, rows in portions:
            after = parts[-1].until if parts else -1
            parts.append(self._build_part(scope, self._next_build(scope), rows, (after, until)))
        last = parts[-1].until if fresh else state.batch
        self._write_state(
            scope, KeywordState(tuple(parts), max(state.batch, last), _ordered({*state.fields, *_fields(fresh)}))
        )
        return len(fresh)

    def rebuild(self, scope: Scope, lock: AbstractContextManager[Any]) -> None:
        """Build the scope's index from the table and swap it in; the writer's `lock` is held for the swap only."""
        with self.lock.held():
            built = self._build(scope)
            with lock:
                self._put(scope, built)
                self.follow(scope)

    def erase_words(self, scope: Scope, field: str, words: Collection[str], lock: AbstractContextManager[Any]) -> None:
        """Erase documents or generations that the table no longer has, by rebuilding their parts, a few at a time.

        Args:
            scope: Owner of the index.
            field: `document` or `generation`, which `words` name.
            words: Documents or generations to erase.
            lock: The writer's lock, released between the parts.
        """
        if not self.has(scope):
            self.rebuild(scope, lock)
            return
        with lock:
            builds = self._holding(scope, field, words)
        self.rebuild_parts(scope, builds, lock)

    def rebuild_parts(self, scope: Scope, builds: Iterable[int], lock: AbstractContextManager[Any]) -> None:
        """Build these parts from the table; parts that are gone are left out. `lock` is held for a few at a time."""
        left = list(builds)
        while left:
            some, left = left[:SIDE_BY_SIDE], left[SIDE_BY_SIDE:]
            with lock, self.lock.held():
                self._rebuild_parts(scope, some)

    def drop_foreign(self, scopes: set[str]) -> None:
        """Remove indexes of scopes that have no chunk left."""
        known = {self._keywords.folder(parse_scope(name)).name for name in scopes}
        root = self._keywords.root
        for folder in root.iterdir() if root.is_dir() else ():
            if folder.is_dir() and folder.name not in known:
                shutil.rmtree(folder, ignore_errors=True)

    def close(self) -> None:
        """Release all write locks."""
        self._writers.close()

    # parts

    def _change(
        self, scope: Scope, parts: list[KeywordPart], gone: Mapping[str, Collection[str]], until: int, fresh: Rows
    ) -> None:
        """Delete chunks by field from the parts that hold them and add rows to the last, with a commit for each part.

        The last part is always asked to delete: after a crash it may hold rows that its state does not name.
        """
        view = self._keywords.view(scope)
        holding = {part for field, words in gone.items() for part in view.parts_with(field, words)} if view else set()
        for index in sorted(holding | ({len(parts) - 1} if parts else set())):
            part, rows = parts[index], fresh if index + 1 == len(parts) else []
            self._writers.change(self._keywords.part_folder(scope, part.build), gone=gone, fresh=rows)
            parts[index] = replace(
                part,
                until=until if rows else part.until,
                chunks=part.chunks + len(rows),
                revision=part.revision + 1,
            )

    def _portions(self, rows: Rows, room: int) -> Iterator[tuple[int, Rows]]:
        """Yield rows cut as parts are, as (last batch, rows); the first portion fills the `room` that is left."""
        after = -1
        for until in self._cuts(sorted(Counter(row["batch"] for row in rows).items()), room):
            yield until, [row for row in rows if after < row["batch"] <= until]
            after = until

    def _cuts(self, batches: Iterable[tuple[int, int]], room: int = 0) -> list[int]:
        """Return the batches, of (batch, chunks) in order, after which a part is full, and the last one."""
        cuts: list[int] = []
        size, last, most = 0, None, room if room > 0 else self._part_chunks
        for last, chunks in batches:
            size += chunks
            if size >= most:
                cuts.append(last)
                size, most = 0, self._part_chunks
        return [*cuts, last] if size and last is not None else cuts

    def _build(self, scope: Scope) -> KeywordState:
        """Build all parts while the old ones stay in use; a few portions of the table are in memory at a time."""
        cuts = self._cuts(self._table.batches_of(scope))
        built = self._build_parts(scope, list(pairwise((-1, *cuts))))
        fields = {field for _, part_fields in built for field in part_fields}
        return KeywordState(tuple(part for part, _ in built), cuts[-1] if cuts else -1, _ordered(fields))

    def _build_parts(self, scope: Scope, ranges: Sequence[Batches]) -> list[tuple[KeywordPart, set[str]]]:
        """Return a part for each of these ranges of batches, and the fields of the languages in it."""
        first = self._next_build(scope)

        def build(index: int) -> tuple[KeywordPart, set[str]]:
            after, until = ranges[index]
            rows: Rows = self._table.texts_of(scope, after_batch=after, until_batch=until).to_pylist()
            return self._build_part(scope, first + index, rows, ranges[index]), _fields(rows)

        with ThreadPoolExecutor(SIDE_BY_SIDE) as side_by_side:
            return list(side_by_side.map(build, range(len(ranges))))

    def _build_part(self, scope: Scope, build: int, rows: Rows, batches: Batches) -> KeywordPart:
        build_index(self._keywords.part_folder(scope, build), rows)
        return KeywordPart(build, *batches, len(rows))

    def _next_build(self, scope: Scope) -> int:
        return max([_number(path) for path in self._keywords.folder(scope).glob("b*")], default=0) + 1

    def _holding(self, scope: Scope, field: str, words: Collection[str]) -> list[int]:
        """Return builds in which chunks of these may still be."""
        state, view = self._keywords.state(scope), self._keywords.view(scope)
        if state is None or view is None:
            return []
        return [state.parts[index].build for index in view.parts_with(field, words)]

    def _rebuild_parts(self, scope: Scope, builds: Collection[int]) -> None:
        """Build parts from the table; a part that is left nearly empty joins the one before it."""
        state = self._keywords.state(scope)
        if state is None or not {part.build for part in state.parts} & set(builds):
            return
        plan = self._plan(state.parts, builds, self._table.batches_of(scope))
        rebuilt = iter(self._build_parts(scope, [entry for entry in plan if not isinstance(entry, KeywordPart)]))
        parts = tuple(entry if isinstance(entry, KeywordPart) else next(rebuilt)[0] for entry in plan)
        self._put(scope, replace(state, parts=parts))

    def _plan(
        self, parts: Iterable[KeywordPart], builds: Collection[int], batches: Sequence[tuple[int, int]]
    ) -> list[KeywordPart | Batches]:
        """Return, in order, parts that stay and the ranges of those to build; `batches` are (batch, chunks)."""
        plan: list[KeywordPart | Batches] = []
        for part in parts:
            if part.build not in builds:
                plan.append(part)
                continue
            after = part.after
            if not _chunks(batches, after, part.until):
                continue
            if plan and _chunks(batches, _after(plan[-1]), part.until) <= self._part_chunks // 2:
                after = _after(plan.pop())
            plan.append((after, part.until))
        return plan

    def _put(self, scope: Scope, state: KeywordState) -> None:
        """Make `state` the current one and delete folders it does not name."""
        named = {part.build for part in state.parts}
        folder = self._keywords.folder(scope)
        others = [path for path in folder.glob("b*") if _number(path) not in named]
        for other in others:
            self._writers.close_folder(other)
        self._write_state(scope, state)
        for other in others:
            shutil.rmtree(other, ignore_errors=True)

    def _write_state(self, scope: Scope, state: KeywordState) -> None:
        folder = self._keywords.folder(scope)
        partial = partial_name(folder)
        write_synced(partial, json.dumps(asdict(state)).encode())
        partial.replace(folder / "state.json")
        sync_folder(folder)


def _chunks(batches: Iterable[tuple[int, int]], after: int, until: int) -> int:
    return sum(chunks for batch, chunks in batches if after < batch <= until)


def _after(entry: KeywordPart | Batches) -> int:
    return entry.after if isinstance(entry, KeywordPart) else entry[0]


def _fields(rows: Rows) -> set[str]:
    return {field_of(language) for language in {row["language"] for row in rows}}


def _ordered(fields: Collection[str]) -> tuple[str, ...]:
    return tuple(field for field in FIELDS if field in fields)


def _number(folder: Path) -> int:
    return int(folder.name[1:]) if folder.name[1:].isdecimal() else 0
