"""Answers a question: vector, keyword or hybrid, from the caller's published documents only.

The engines know chunks and generations; SQL says which of them may be shown. So a search fetches more hits than asked
for, joins them with SQL, and fetches twice as many if too few remain. The first round's best chunks expand the query.
"""

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from quire.models.cdom.search import SearchHit, SearchMode, SearchRequest
from quire.storage.index.fusion import FEEDBACK_CHUNKS, expand_query, fuse, move_query
from quire.storage.index.keyword.analysis import Words, ask, field_of, words_of
from quire.storage.index.keyword.keywords import Keywords, KeywordView
from quire.storage.index.keyword.snippets import cut_snippet
from quire.storage.index.published import PublishedDocument, requested_documents, resolve
from quire.storage.index.table.chunk_table import ChunkTable
from quire.storage.index.table.entries import Vectors, split_key
from quire.storage.index.vectors.scope_vectors import Blocks
from quire.storage.index.vectors.table_vectors import TableVectors
from quire.storage.postgres.database import Database
from quire.storage.values.rows import Scope

LEAST_DEPTH = 50  # hits of each kind that are fused: below it the fusion loses recall
RERANKED = 300
"""Nearest chunks that are ranked again by the moved vector; more made no difference on Cranfield."""
MOST_DEPTH = 20_000  # hits examined for those that are still published; more is not searched
FEEDBACK_FROM_WORDS = 3
"""Least words of a query that is expanded; shorter queries name a thing, and added words would only blur them."""
Ranking = list[tuple[str, float]]


class VectorEngine(Protocol):
    """Nearest chunks of a scope, by a block in memory or by the table if the scope is too large for one."""

    def nearest(self, query: Vectors, limit: int, documents: Collection[str] | None = None) -> Ranking:
        """Return (key, cosine) of the nearest chunks, best first, only of `documents` if given."""

    def vectors(self, keys: Collection[str]) -> Vectors:
        """Return unit vectors of these chunks, shape (n, width); unknown ones are left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    """A request with the engines that answer it; `mode` is the one it will be answered in."""

    scope: Scope
    mode: SearchMode
    words: Words
    vector: Vectors | None
    view: KeywordView | None
    engine: VectorEngine | None
    documents: frozenset[str] | None
    principals: tuple[str, ...]
    feedback: bool


class IndexSearch:
    """Searches one index. Thread-safe. Callers pass a function for query vectors."""

    def __init__(self, db: Database, table: ChunkTable, keywords: Keywords, blocks: Blocks) -> None:
        self._db, self._table, self.keywords, self._blocks = db, table, keywords, blocks

    def search(self, request: SearchRequest, vector: Callable[[], Vectors] | None) -> list[SearchHit]:
        """Return hits, best first. `vector` computes the query's vector if needed; None without a model.

        Raises NotFound (foreign `document_id` or `job_id`) and StoreUnavailable.
        """
        scope = Scope(tenant=request.tenant, org=request.org)
        documents = requested_documents(self._db, scope, request)
        question = self._question(request, scope, vector, documents)
        if question is None or documents == frozenset():
            return []
        depth = max(LEAST_DEPTH, 2 * request.limit)
        while True:
            ranking, cut_off = self._rank(question, depth)
            live = self._resolve(question, ranking)
            shown = [(key, score) for key, score in ranking if _counts(key, live)]
            if request.language is not None:
                shown = self._in_language(question, shown, request.language)
            if len(shown) >= request.limit or not cut_off or depth >= MOST_DEPTH:
                break
            depth *= 2
        if request.min_score is not None:
            shown = [(key, score) for key, score in shown if round(score, 6) >= request.min_score]
        return self._hits(question, shown[: request.limit], live)

    def prewarm(self) -> None:
        """Load what the first query needs. Raises StoreUnavailable."""
        self._table.prewarm()

    def check(self) -> None:
        """Raise StoreUnavailable if the table cannot be read."""
        self._table.version()

    def _question(
        self,
        request: SearchRequest,
        scope: Scope,
        vector: Callable[[], Vectors] | None,
        documents: frozenset[str] | None,
    ) -> _Question | None:
        view = self.keywords.view(scope)
        mode = _answerable(request.mode, keywords=view is not None, vectors=vector is not None)
        if mode is None:
            return None
        needs_vectors = vector is not None and mode is not SearchMode.FTS
        engine: VectorEngine | None = None
        if needs_vectors:
            engine = self._blocks.get(scope) or TableVectors(self._table, scope)
        return _Question(
            scope=scope,
            mode=mode,
            words=ask(request.q, view.fields) if view else {},
            vector=vector() if vector is not None and needs_vectors else None,
            view=view,
            engine=engine,
            documents=documents,
            principals=request.principals,
            feedback=len(set(words_of(request.q, view.fields[0] if view and view.fields else "text_en")))
            >= FEEDBACK_FROM_WORDS,
        )

    def _rank(self, asked: _Question, depth: int) -> tuple[Ranking, bool]:
        """Return the ranking `depth` deep, and whether more hits may exist below it."""
        near: Ranking = []
        matches: Ranking = []
        if asked.engine is not None and asked.vector is not None:
            near = asked.engine.nearest(asked.vector, max(RERANKED, depth), asked.documents)
        if asked.view is not None and asked.words:
            matches = asked.view.search(asked.words, depth, asked.documents)
        cut_off = len(matches) >= depth or len(near) >= max(RERANKED, depth)
        if asked.feedback:
            near, matches = self._refine(asked, near, matches, depth)
        match asked.mode:
            case SearchMode.VECTOR:
                return near[:depth], cut_off
            case SearchMode.FTS:
                return matches, cut_off
            case SearchMode.HYBRID:
                return fuse([near[:depth], matches], depth), cut_off

    def _refine(self, asked: _Question, near: Ranking, matches: Ranking, depth: int) -> tuple[Ranking, Ranking]:
        """Run the second round: the best published chunks of the first expand the words and move the vector."""
        first = fuse([ranking[:100] for ranking in (near, matches) if ranking], 4 * FEEDBACK_CHUNKS)
        live = self._resolve(asked, first)
        best = [key for key, _ in first if _counts(key, live)][:FEEDBACK_CHUNKS]
        if not best:
            return near, matches
        if asked.engine is not None and asked.vector is not None:
            near = _reranked(asked.engine, near, move_query(asked.vector, asked.engine.vectors(best)))
        if asked.view is not None and asked.words and asked.mode is not SearchMode.VECTOR:
            matches = asked.view.search(self._expanded(asked.view, asked.words, best), depth, asked.documents)
        return near, matches

    def _expanded(self, view: KeywordView, words: Words, best: Sequence[str]) -> Words:
        rows = view.rows(best)
        texts = [(field_of(row["language"]), words_of(row["text"], field_of(row["language"]))) for row in rows.values()]
        return expand_query(words, texts, view.rarity)

    def _resolve(self, asked: _Question, ranking: Ranking) -> dict[str, PublishedDocument]:
        return resolve(self._db, asked.scope, {split_key(key)[0] for key, _ in ranking}, asked.principals)

    def _hits(self, asked: _Question, shown: Ranking, live: dict[str, PublishedDocument]) -> list[SearchHit]:
        keys = [key for key, _ in shown]
        rows, near = self._rows(asked, keys), _similarities(asked, keys)
        stems: dict[str, set[str]] = {}
        for field, word in asked.words:
            stems.setdefault(field, set()).add(word)
        return [
            replace(_hit(key, score, rows[key], live[split_key(key)[0]], asked.mode, stems), similarity=near.get(key))
            for key, score in shown
            if key in rows
        ]

    def _rows(self, asked: _Question, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        rows = asked.view.rows(keys) if asked.view else {}
        return rows | self._table.chunks_by_key(key for key in keys if key not in rows)

    def _in_language(self, asked: _Question, ranking: Ranking, language: str) -> Ranking:
        rows = self._rows(asked, [key for key, _ in ranking])
        return [(key, score) for key, score in ranking if key in rows and rows[key]["language"] == language]


def _answerable(mode: SearchMode, *, keywords: bool, vectors: bool) -> SearchMode | None:
    """Return the mode asked for, or the documented fallback: fts and hybrid to vector; without a model to fts."""
    if mode is SearchMode.FTS and keywords:
        return mode
    if vectors:
        return mode if keywords and mode is SearchMode.HYBRID else SearchMode.VECTOR
    return SearchMode.FTS if keywords else None


def _counts(key: str, live: dict[str, PublishedDocument]) -> bool:
    document, generation, _ = split_key(key)
    return document in live and live[document].generation == generation


def _similarities(asked: _Question, keys: Sequence[str]) -> dict[str, float]:
    """Return cosines with the query itself; scores are of a vector that was moved towards the best hits."""
    if asked.engine is None or asked.vector is None:
        return {}
    known = {key: asked.engine.vectors([key]) for key in keys}  # a row may have gone while we looked
    return {key: round(float((vector @ asked.vector)[0]), 6) for key, vector in known.items() if len(vector)}


def _reranked(engine: VectorEngine, near: Ranking, query: Vectors) -> Ranking:
    keys = [key for key, _ in near]
    scores = engine.vectors(keys) @ query
    if len(scores) != len(keys):  # rows went while we looked
        return near
    return sorted(zip(keys, map(float, scores), strict=True), key=lambda pair: (-pair[1], pair[0]))


def _hit(
    key: str,
    score: float,
    row: dict[str, Any],
    document: PublishedDocument,
    mode: SearchMode,
    stems: dict[str, set[str]],
) -> SearchHit:
    facts = json.loads(row["facts"])
    field = field_of(row["language"])
    snippet, highlights = cut_snippet(row["text"], stems.get(field, set()), field)
    return SearchHit(
        job_id=document.job_id,
        document_id=split_key(key)[0],
        chunk_id=row["chunk_id"],
        score=round(score, 6),
        text=row["text"],
        section_path=tuple(facts.get("section_path", ())),
        pages=tuple(facts.get("pages", ())),
        block_ids=tuple(facts.get("block_ids", ())),
        bboxes=tuple(facts.get("bboxes", ())),
        source_file=document.source_file,
        mode=mode,
        snippet=snippet,
        highlights=highlights,
        has_page_pictures=document.has_page_pictures,
    )
