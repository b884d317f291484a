"""The keyword engine: one tantivy index per scope, derived from the chunk table, BM25 over stemmed words.

The writer keeps it in step; readers open it read-only. Erasing text means building a scope's index again from the
table, because tantivy keeps deleted terms until a merge it cannot be asked for. Missing or behind, it is rebuilt.
"""

import hashlib
import json
import shutil
import threading
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import tantivy

from storage.files import make_folder, partial_name, sync_folder, write_synced
from storage.index.analysis import FIELDS, analysers, field_of, index_schema, match_query
from storage.index.chunk_rows import scope_name
from storage.index.chunk_table import ChunkTable
from storage.rows import Scope

HEAP_BYTES = 30_000_000
VERSION = 1
"""Raised when analysis changes: an index of another version is built again."""


@dataclass(frozen=True, slots=True)
class State:
    """Which build of a scope's index is in use, up to which batch of the table; `revision` counts its commits."""

    build: int
    batch: int
    fields: tuple[str, ...] = ()
    revision: int = 0
    version: int = VERSION


class Keywords:
    """All scopes' keyword indexes below `root`. One process writes; any number on this machine reads."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._open: dict[str, tuple[State, tantivy.Index]] = {}
        self._lock = threading.Lock()

    # reading

    def search(
        self,
        scope: Scope,
        query: str,
        limit: int,
        document_id: str | None = None,
        weights: dict[str, float] | None = None,
    ) -> list[tuple[str, float]] | None:
        """(key, BM25) best first; None when this scope has no keyword index here. `weights` adds words to the query."""
        opened = self._reader(scope)
        if opened is None:
            return None
        state, index = opened
        built = match_query(index.schema, state.fields, query, weights or {}, document_id)
        if built is None:
            return []
        searcher = index.searcher()
        hits = searcher.search(built, limit).hits
        found = [(str(searcher.doc(address)["key"][0]), float(score)) for score, address in hits]
        return sorted(found, key=lambda hit: (-hit[1], hit[0]))

    def state(self, scope: Scope) -> State | None:
        """None when missing or of another version."""
        try:
            raw = json.loads((self._folder(scope) / "state.json").read_bytes())
        except (FileNotFoundError, ValueError):
            return None
        state = State(raw["build"], raw["batch"], tuple(raw["fields"]), raw["revision"], raw["version"])
        return state if state.version == VERSION else None

    def _reader(self, scope: Scope) -> tuple[State, tantivy.Index] | None:
        state = self.state(scope)
        if state is None:
            return None
        name = scope_name(scope)
        with self._lock:
            known = self._open.get(name)
            if known is not None and known[0] == state:
                return known
            if known is not None and known[0].build == state.build:
                index = known[1]
                index.reload()
            else:
                index = _opened(self._folder(scope) / f"b{state.build}")
            self._open[name] = (state, index)
            return state, index

    # writing: the one writer only

    def follow(self, table: ChunkTable, scope: Scope) -> int:
        """Take in what the table got for this scope since; builds the index when it is missing. Number of chunks."""
        state = self.state(scope)
        if state is None:
            return self.rebuild(table, scope)
        rows = table.texts_of(scope, after_batch=state.batch)
        if not rows.num_rows:
            return 0
        folder = self._folder(scope) / f"b{state.build}"
        _write(_opened(folder), rows, again=True)
        self._say(scope, State(state.build, _last(rows), _union(state.fields, rows), state.revision + 1))
        return int(rows.num_rows)

    def remove_documents(self, scope: Scope, documents: Iterable[str]) -> None:
        """Documents are found no more; their words stay on disk until `rebuild`."""
        state = self.state(scope)
        if state is None:
            return
        writer = _opened(self._folder(scope) / f"b{state.build}").writer(heap_size=HEAP_BYTES, num_threads=1)
        for document in documents:
            writer.delete_documents_by_term("document", document)
        writer.commit()
        writer.wait_merging_threads()
        self._say(scope, replace(state, revision=state.revision + 1))

    def rebuild(self, table: ChunkTable, scope: Scope) -> int:
        """Build the scope's index from the table, put it in place, erase the old files. Number of chunks."""
        old = self.state(scope)
        build = (old.build if old else 0) + 1
        folder = self._folder(scope) / f"b{build}"
        shutil.rmtree(folder, ignore_errors=True)
        make_folder(folder)
        rows = table.texts_of(scope)
        _write(_opened(folder, fresh=True), rows, again=False)
        self._say(scope, State(build, _last(rows), _union((), rows)))
        for other in self._folder(scope).glob("b*"):
            if other != folder:
                shutil.rmtree(other, ignore_errors=True)
        return int(rows.num_rows)

    def drop(self, scope: Scope) -> None:
        shutil.rmtree(self._folder(scope), ignore_errors=True)

    def _say(self, scope: Scope, state: State) -> None:
        folder = self._folder(scope)
        partial = partial_name(folder)
        write_synced(partial, json.dumps(asdict(state)).encode())
        partial.replace(folder / "state.json")
        sync_folder(folder)

    def _folder(self, scope: Scope) -> Path:
        return self._root / hashlib.sha256(scope_name(scope).encode()).hexdigest()[:24]


def _opened(folder: Path, *, fresh: bool = False) -> tantivy.Index:
    index = tantivy.Index(index_schema(), path=str(folder), reuse=not fresh)
    for name, analyser in analysers().items():
        index.register_tokenizer(name, analyser)
    index.config_reader(reload_policy="manual")
    index.reload()
    return index


def _write(index: tantivy.Index, rows: pa.Table, *, again: bool) -> None:
    writer = index.writer(heap_size=HEAP_BYTES, num_threads=1)
    for row in rows.to_pylist():
        if again:
            writer.delete_documents_by_term("key", row["key"])
        writer.add_document(_document(row))
    writer.commit()
    writer.wait_merging_threads()


def _document(row: dict[str, Any]) -> tantivy.Document:
    document = tantivy.Document()
    document.add_text("key", row["key"])
    document.add_text("document", row["document_id"])
    document.add_text(field_of(row["language"]), row["text"])
    return document


def _last(rows: pa.Table) -> int:
    return max(rows["batch"].to_pylist(), default=-1)


def _union(fields: tuple[str, ...], rows: pa.Table) -> tuple[str, ...]:
    seen = {*fields, *(field_of(language) for language in rows["language"].unique().to_pylist())}
    return tuple(field for field in FIELDS if field in seen)
