"""The keyword engine as readers see it: one tantivy index per scope, derived from the chunk table, BM25 over stems.

The writer (`keyword_files.py`) keeps it in step; readers open it read-only. A scope without an index here is None, and
whoever asked falls back to vectors.
"""

import hashlib
import json
import threading
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tantivy

from storage.index.keyword.analysis import Words, analysers, index_schema, to_query
from storage.index.table.entries import scope_name
from storage.values.rows import Scope

VERSION = 4
"""Raised when analysis or stored fields change: an index of another version is built again."""


@dataclass(frozen=True, slots=True)
class KeywordState:
    """Which build of a scope's index is in use, up to which batch of the table; `revision` counts its commits."""

    build: int
    batch: int
    fields: tuple[str, ...] = ()
    revision: int = 0
    version: int = VERSION


@dataclass(frozen=True, slots=True)
class KeywordView:
    """A scope's index as of one commit. `fields` = the languages in it."""

    fields: tuple[str, ...]
    searcher: tantivy.Searcher
    schema: tantivy.Schema

    def search(self, words: Words, limit: int, documents: Collection[str] | None = None) -> list[tuple[str, float]]:
        """(key, BM25) best first; ties by key so that answers repeat."""
        query = to_query(self.schema, words, documents)
        if query is None or not self.searcher.num_docs:
            return []
        hits = self.searcher.search(query, limit, count=False).hits
        found = [(str(self.searcher.doc(address)["key"][0]), float(score)) for score, address in hits]
        return sorted(found, key=lambda hit: (-hit[1], hit[0]))

    def rows(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """chunk_id, text, facts, language by key; missing ones are absent."""
        found = {}
        for key in keys:
            query = tantivy.Query.term_query(self.schema, "key", key, "basic")
            for _, address in self.searcher.search(query, 1, count=False).hits:
                found[key] = json.loads(bytes(self.searcher.doc(address)["row"][0]))
        return found

    def rarity(self, field: str, word: str) -> tuple[int, int]:
        """(chunks with this word, chunks in all)."""
        return self.searcher.doc_freq(field, word), self.searcher.num_docs


class Keywords:
    """All scopes' keyword indexes below `root`, for any number of reading threads and processes of this machine."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._open: dict[str, tuple[KeywordState, tantivy.Index]] = {}
        self._lock = threading.Lock()

    def view(self, scope: Scope) -> KeywordView | None:
        """As of the newest commit; None when this scope has no keyword index here."""
        for _ in range(2):
            try:
                opened = self._reader(scope)
            except (OSError, ValueError):  # replaced by a rebuild between two looks
                with self._lock:
                    self._open.pop(scope_name(scope), None)
                continue
            if opened is None:
                return None
            state, index = opened
            return KeywordView(state.fields, index.searcher(), index.schema)
        return None

    def state(self, scope: Scope) -> KeywordState | None:
        """None when missing or of another version."""
        return read_state(self.folder(scope))

    def folder(self, scope: Scope) -> Path:
        return self.root / hashlib.sha256(scope_name(scope).encode()).hexdigest()[:24]

    def _reader(self, scope: Scope) -> tuple[KeywordState, tantivy.Index] | None:
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
                index = open_index(self.folder(scope) / f"b{state.build}")
            self._open[name] = (state, index)
            return state, index


def read_state(folder: Path) -> KeywordState | None:
    """What `state.json` in a scope's folder says; None when missing or of another version."""
    try:
        raw = json.loads((folder / "state.json").read_bytes())
        state = KeywordState(raw["build"], raw["batch"], tuple(raw["fields"]), raw["revision"], raw["version"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return state if state.version == VERSION else None


def open_index(folder: Path, *, fresh: bool = False) -> tantivy.Index:
    """The index in `folder`, with every analyser known to it."""
    index = tantivy.Index(index_schema(), path=str(folder), reuse=not fresh)
    for name, analyser in analysers().items():
        index.register_tokenizer(name, analyser)
    index.config_reader(reload_policy="manual")
    index.reload()
    return index
