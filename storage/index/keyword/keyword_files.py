"""The keyword engine as its one writer sees it: follow the chunk table, rebuild, erase.

tantivy keeps the words of deleted chunks until a merge it cannot be asked for, so erasing text means building a scope's
index again from the table, beside the one in use, and then dropping the old files.
"""

import json
import shutil
from collections import OrderedDict
from collections.abc import Collection
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import tantivy

from storage.index.keyword.analysis import FIELDS, field_of
from storage.index.keyword.keywords import Keywords, KeywordState, open_index
from storage.index.table.chunk_table import ChunkTable
from storage.index.table.entries import generation_name, parse_scope, scope_name, split_key
from storage.objects.durable_files import make_folder, partial_name, sync_folder, write_synced
from storage.values.rows import Scope

HEAP_BYTES = 15_000_000
"""Of one writer: the least tantivy takes per thread."""
OPEN_WRITERS = 4  # keyword indexes open for writing: each holds a buffer of HEAP_BYTES
HEADING_WEIGHT = 3
"""The words of the headings above a chunk count as if they stood in it so many times more."""


class KeywordFiles:
    """All scopes' keyword indexes, kept in step with the table. One process, one thread at a time."""

    def __init__(self, keywords: Keywords, table: ChunkTable) -> None:
        self._keywords, self._table = keywords, table
        self._writers: OrderedDict[str, tuple[int, tantivy.IndexWriter]] = OrderedDict()

    def has(self, scope: Scope) -> bool:
        return self._keywords.state(scope) is not None

    def follow(self, scope: Scope, emptied: Collection[tuple[str, int]] = ()) -> int:
        """Take in what the table got for this scope since; builds the index when it is missing. Number of chunks.

        A generation that comes again replaces itself whole. `emptied` ones have no chunk left in the table.
        """
        state = self._keywords.state(scope)
        if state is None:
            return self._replace(scope, self._build(scope))
        rows = self._table.texts_of(scope, after_batch=state.batch)
        if not rows.num_rows and not emptied:
            return 0
        writer = self._writer(scope, state.build)
        fresh = rows.to_pylist()
        for name in {_generation(row) for row in fresh} | {generation_name(*pair) for pair in emptied}:
            writer.delete_documents_by_term("generation", name)
        for row in fresh:
            writer.add_document(_document(row))
        writer.commit()
        last = max(state.batch, _last(rows))
        self._say(scope, KeywordState(state.build, last, _union(state.fields, rows), state.revision + 1))
        return len(fresh)

    def rebuild(self, scope: Scope, lock: AbstractContextManager[Any]) -> int:
        """Build the scope's index anew and put it in place; `lock` (the writer's) is taken for the swap only."""
        built = self._build(scope)
        with lock:
            self._replace(scope, built)
            self.follow(scope)
        return built.batch

    def drop_foreign(self, scopes: set[str]) -> None:
        """Remove indexes of scopes that have no chunk left."""
        known = {self._keywords.folder(parse_scope(name)).name for name in scopes}
        root = self._keywords.root
        for folder in root.iterdir() if root.is_dir() else ():
            if folder.name not in known:
                shutil.rmtree(folder, ignore_errors=True)

    def close(self) -> None:
        """Give all write locks back."""
        while self._writers:
            self._let_go(next(iter(self._writers)))

    def _build(self, scope: Scope) -> KeywordState:
        folder = self._keywords.folder(scope)
        build = max([_number(path) for path in folder.glob("b*")], default=0) + 1
        target = folder / f"b{build}"
        make_folder(target)
        rows = self._table.texts_of(scope)
        writer = open_index(target, fresh=True).writer(heap_size=HEAP_BYTES * 2, num_threads=1)
        for row in rows.to_pylist():
            writer.add_document(_document(row))
        writer.commit()
        writer.wait_merging_threads()
        return KeywordState(build, _last(rows), _union((), rows))

    def _replace(self, scope: Scope, built: KeywordState) -> int:
        self._let_go(scope_name(scope))
        self._say(scope, built)
        folder = self._keywords.folder(scope)
        for other in folder.glob("b*"):
            if _number(other) != built.build:
                shutil.rmtree(other, ignore_errors=True)
        return built.batch

    def _writer(self, scope: Scope, build: int) -> tantivy.IndexWriter:
        """Kept open, because opening one costs as much as ten commits; the least recently used one is closed."""
        name = scope_name(scope)
        known = self._writers.get(name)
        if known is not None and known[0] == build:
            self._writers.move_to_end(name)
            return known[1]
        self._let_go(name)
        while len(self._writers) >= OPEN_WRITERS:
            self._let_go(next(iter(self._writers)))
        writer = open_index(self._keywords.folder(scope) / f"b{build}").writer(heap_size=HEAP_BYTES, num_threads=1)
        self._writers[name] = (build, writer)
        return writer

    def _let_go(self, name: str) -> None:
        known = self._writers.pop(name, None)
        if known is not None:
            known[1].wait_merging_threads()

    def _say(self, scope: Scope, state: KeywordState) -> None:
        folder = self._keywords.folder(scope)
        partial = partial_name(folder)
        write_synced(partial, json.dumps(asdict(state)).encode())
        partial.replace(folder / "state.json")
        sync_folder(folder)


def _document(row: dict[str, Any]) -> tantivy.Document:
    document = tantivy.Document()
    document.add_text("key", row["key"])
    document.add_text("document", row["document_id"])
    document.add_text("generation", _generation(row))
    field = field_of(row["language"])
    document.add_text(field, row["text"])
    headings = " ".join(json.loads(row["facts"]).get("section_path", ()))
    for _ in range(HEADING_WEIGHT if headings else 0):
        document.add_text(field, headings)
    kept = {name: row[name] for name in ("chunk_id", "text", "facts", "language")}
    document.add_bytes("row", json.dumps(kept, ensure_ascii=False).encode())
    return document


def _generation(row: dict[str, Any]) -> str:
    return generation_name(*split_key(row["key"])[:2])


def _last(rows: pa.Table) -> int:
    return max(rows["batch"].to_pylist(), default=-1)


def _union(fields: tuple[str, ...], rows: pa.Table) -> tuple[str, ...]:
    seen = {*fields, *(field_of(language) for language in rows["language"].unique().to_pylist())}
    return tuple(field for field in FIELDS if field in seen)


def _number(folder: Path) -> int:
    return int(folder.name[1:]) if folder.name[1:].isdecimal() else 0
