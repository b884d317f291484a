"""The keyword engine as readers see it: a scope's chunks in tantivy indexes of bounded size, BM25 over stems.

Each part holds the chunks of consecutive batches and weighs words by its own statistics, as shards do.
The writer (`keyword_files.py`) keeps them in step; readers open them read-only. A scope without an index here is None,
and whoever asked falls back to vectors.
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

VERSION = 5
"""Raised when analysis, stored fields or the state change: an index of another version is built again."""


@dataclass(frozen=True, slots=True)
class KeywordPart:
    """One tantivy index, in folder `b{build}`: the chunks of the batches after `after` up to `until`.

    `chunks` were added to it, some of which may have gone since; `revision` counts its commits.
    """

    build: int
    after: int
    until: int
    chunks: int
    revision: int = 0


@dataclass(frozen=True, slots=True)
class KeywordState:
    """The parts of a scope's index in order of their batches, and up to which batch of the table they follow it."""

    parts: tuple[KeywordPart, ...]
    batch: int
    fields: tuple[str, ...] = ()
    version: int = VERSION


@dataclass(frozen=True, slots=True)
class KeywordView:
    """A scope's index as of one commit, a searcher for each part. `fields` = the languages in it."""

    fields: tuple[str, ...]
    searchers: tuple[tantivy.Searcher, ...]
    schema: tantivy.Schema

    def search(self, words: Words, limit: int, documents: Collection[str] | None = None) -> list[tuple[str, float]]:
        """(key, BM25) best first; ties by key so that answers repeat."""
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
        found = [(str(self.searchers[part].doc(at)["key"][0]), score) for score, part, at in hits[:limit]]
        return sorted(found, key=lambda hit: (-hit[1], hit[0]))

    def rows(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """chunk_id, text, facts, language by key; missing ones are absent."""
        found: dict[str, dict[str, Any]] = {}
        wanted = set(keys)
        for searcher in self.searchers:
            if not wanted:
                break
            query = tantivy.Query.term_set_query(self.schema, "key", sorted(wanted))
            for _, address in searcher.search(query, len(wanted), count=False).hits:
                document = searcher.doc(address)
                found[str(document["key"][0])] = json.loads(bytes(document["row"][0]))
            wanted -= found.keys()
        return found

    def rarity(self, field: str, word: str) -> tuple[int, int]:
        """(chunks with this word, chunks in all)."""
        return sum(one.doc_freq(field, word) for one in self.searchers), sum(one.num_docs for one in self.searchers)

    def parts_with(self, field: str, words: Collection[str]) -> list[int]:
        """Places of the parts that hold any of these words, also in chunks that were deleted and lie there still."""
        return [at for at, one in enumerate(self.searchers) if any(one.doc_freq(field, word) for word in words)]


class Keywords:
    """All scopes' keyword indexes below `root`, for any number of reading threads and processes of this machine."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._open: dict[str, tuple[KeywordState, tuple[tantivy.Index, ...]]] = {}
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
            state, indexes = opened
            return KeywordView(state.fields, tuple(index.searcher() for index in indexes), index_schema())
        return None

    def state(self, scope: Scope) -> KeywordState | None:
        """None when missing or of another version."""
        return read_state(self.folder(scope))

    def folder(self, scope: Scope) -> Path:
        return self.root / hashlib.sha256(scope_name(scope).encode()).hexdigest()[:24]

    def part_folder(self, scope: Scope, build: int) -> Path:
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
        """Parts as they are now: those that are open stay so, and are looked at again when they have a new commit."""
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
    """What `state.json` in a scope's folder says; None when missing or of another version."""
    try:
        raw = json.loads((folder / "state.json").read_bytes())
        if raw["version"] != VERSION:
            return None
        parts = tuple(KeywordPart(**part) for part in raw["parts"])
        return KeywordState(parts, raw["batch"], tuple(raw["fields"]), raw["version"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def open_index(folder: Path, *, fresh: bool = False) -> tantivy.Index:
    """The index in `folder`, with every analyser known to it."""
    index = tantivy.Index(index_schema(), path=str(folder), reuse=not fresh)
    for name, analyser in analysers().items():
        index.register_tokenizer(name, analyser)
    index.config_reader(reload_policy="manual")
    index.reload()
    return index
