"""The keyword engine as readers see it: a scope's chunks in tantivy indexes of bounded size, BM25 over stems.

Each part holds the chunks of consecutive batches and weighs words by its own statistics, as shards do.
The writer (`keyword_files.py`) updates them; readers open them read-only. For a scope without an index the caller falls
back to vectors.
"""

import hashlib
import json
import threading
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tantivy

from quire.storage.index.keyword.analysis import Words, analysers, index_schema, to_query
from quire.storage.index.table.entries import scope_name
from quire.storage.values.rows import Scope

VERSION = 5
"""Increased when analysis, stored fields or the state change: an index of another version is built again."""


@dataclass(frozen=True, slots=True)
class KeywordPart:
    """One tantivy index, in folder `b{build}`: the chunks of the batches after `after` up to `until`.

    `chunks` is the number ever added to it, deleted ones included; `revision` counts its commits.
    """

    build: int
    after: int
    until: int
    chunks: int
    revision: int = 0


@dataclass(frozen=True, slots=True)
class KeywordState:
    """The parts of a scope's index in order of their batches, and the last batch of the table that they contain."""

    parts: tuple[KeywordPart, ...]
    batch: int
    fields: tuple[str, ...] = ()
    version: int = VERSION


@dataclass(frozen=True, slots=True)
class KeywordView:
    """A scope's index as of one commit, a searcher for each part. `fields` are the languages in it."""

    fields: tuple[str, ...]
    searchers: tuple[tantivy.Searcher, ...]
    schema: tantivy.Schema

    def search(self, words: Words, limit: int, documents: Collection[str] | None = None) -> list[tuple[str, float]]:
        """Return (key, BM25) best first; ties by key so that answers repeat."""
        query = to_query(self.schema, words, documents)
        if query is None:
            return []
        hits = [
            (float(score), part, address)
            for part, searcher in enumerate(self.searchers)
            if searcher.num_docs
            for score, address in searcher.search(query, limit, count=False).hits
        ]
        hits.sort(key=lambda hit: -hit[0])
        ranking = [(str(self.searchers[part].doc(document)["key"][0]), score) for score, part, document in hits[:limit]]
        return sorted(ranking, key=lambda hit: (-hit[1], hit[0]))

    def rows(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Return chunk_id, text, facts, language by key; missing ones are absent."""
        rows: dict[str, dict[str, Any]] = {}
        missing = set(keys)
        for searcher in self.searchers:
            if not missing:
                break
            query = tantivy.Query.term_set_query(self.schema, "key", sorted(missing))
            for _, address in searcher.search(query, len(missing), count=False).hits:
                document = searcher.doc(address)
                rows[str(document["key"][0])] = json.loads(bytes(document["row"][0]))
            missing -= rows.keys()
        return rows

    def rarity(self, field: str, word: str) -> tuple[int, int]:
        """Return (chunks with this word, chunks in all)."""
        return sum(searcher.doc_freq(field, word) for searcher in self.searchers), sum(
            searcher.num_docs for searcher in self.searchers
        )

    def parts_with(self, field: str, words: Collection[str]) -> list[int]:
        """Return indexes of the parts that hold any of these words, also in deleted chunks still in the files."""
        return [
            index
            for index, searcher in enumerate(self.searchers)
            if any(searcher.doc_freq(field, word) for word in words)
        ]


class Keywords:
    """All scopes' keyword indexes below `root`, for any number of reading threads and processes of this machine."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._open: dict[str, tuple[KeywordState, tuple[tantivy.Index, ...]]] = {}
        self._lock = threading.Lock()

    def view(self, scope: Scope) -> KeywordView | None:
        """Return the index as of the newest commit; None if this scope has no keyword index here."""
        for _ in range(2):
            try:
                opened = self._reader(scope)
            except (OSError, ValueError):  # replaced by a rebuild in between
                with self._lock:
                    self._open.pop(scope_name(scope), None)
                continue
            if opened is None:
                return None
            state, indexes = opened
            return KeywordView(state.fields, tuple(index.searcher() for index in indexes), index_schema())
        return None

    def state(self, scope: Scope) -> KeywordState | None:
        """Return the state of the scope's index; None if missing or of another version."""
        return read_state(self.folder(scope))

    def folder(self, scope: Scope) -> Path:
        """Return the folder of the scope's index."""
        return self.root / hashlib.sha256(scope_name(scope).encode()).hexdigest()[:24]

    def part_folder(self, scope: Scope, build: int) -> Path:
        """Return the folder of one part of the scope's index."""
        return self.folder(scope) / f"b{build}"

    def _reader(self, scope: Scope) -> tuple[KeywordState, tuple[tantivy.Index, ...]] | None:
        state = self.state(scope)
        if state is None:
            return None
        name = scope_name(scope)
        with self._lock:
            known = self._open.get(name)
            if known is None or known[0] != state:
                known = self._open[name] = (state, self._indexes(scope, state, known))
            return known

    def _indexes(
        self, scope: Scope, state: KeywordState, known: tuple[KeywordState, tuple[tantivy.Index, ...]] | None
    ) -> tuple[tantivy.Index, ...]:
        """Return the parts as they are now; open ones are kept and reloaded if they have a new commit."""
        before = (
            {part.build: (part, index) for part, index in zip(known[0].parts, known[1], strict=True)} if known else {}
        )
        indexes = []
        for part in state.parts:
            earlier, index = before.get(part.build, (None, None))
            if index is None:
                index = open_index(self.part_folder(scope, part.build))
            elif earlier != part:
                index.reload()
            indexes.append(index)
        return tuple(indexes)


def read_state(folder: Path) -> KeywordState | None:
    """Return the state in `state.json` of a scope's folder; None if missing or of another version."""
    try:
        raw = json.loads((folder / "state.json").read_bytes())
        if raw["version"] != VERSION:
            return None
        parts = tuple(KeywordPart(**part) for part in raw["parts"])
        return KeywordState(parts, raw["batch"], tuple(raw["fields"]), raw["version"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def open_index(folder: Path, *, fresh: bool = False) -> tantivy.Index:
    """Open the index in `folder` and register every analyser."""
    index = tantivy.Index(index_schema(), path=str(folder), reuse=not fresh)
    for name, analyser in analysers().items():
        index.register_tokenizer(name, analyser)
    index.config_reader(reload_policy="manual")
    index.reload()
    return index
