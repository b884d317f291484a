"""Chunks cut again: in the index before the document says so, repeatable, without deleted documents."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from quire.cluster.jobs.rechunk import Rechunker, RechunkParts, dump_documents, find_outdated, load_documents
from quire.models.cdom.chunk import Chunk
from quire.models.cdom.ports import EmbeddingFailed, no_progress
from quire.models.derive.chunks.chunking import chunker_name
from quire.models.neural.embed.tokenizer import load_tokenizer
from quire.storage.index.rechunk import ChunkedDocument
from quire.storage.jobs.lifecycle import delete_document
from quire.storage.store import Store
from tests.packages.bulk.corpora import make_corpus
from tests.packages.bulk.inline import publish_folder
from tests.storage.scenes import ACME, ACTOR

pytestmark = pytest.mark.long


class ReplacingIndex:
    """Records the given chunks, in order."""

    def __init__(self, error: Exception | None = None) -> None:
        self.replaced: list[tuple[str, int, list[str]]] = []
        self._error = error

    def index_document(
        self, owner: tuple[str, str], document_id: str, attempt: int, chunks: Sequence[Chunk], *,
        urgent: bool = False, replace: bool = False, earlier: Sequence[str] = (),
        progress: Callable[[int, int], None] = no_progress,
    ) -> None:  # fmt: skip
        assert replace
        if self._error is not None:
            raise self._error
        self.replaced.append((document_id, attempt, [chunk.text for chunk in chunks]))


@pytest.fixture
def outdated(store: Store, tmp_path: Path) -> list[ChunkedDocument]:
    """Three published documents that an older chunker cut into nine pieces each, as it says."""
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    make_corpus(corpus, reports=3)
    for other in ("scan.png", "broken.pdf"):
        (corpus / other).unlink()
    publish_folder(store, corpus)
    with store.db.autocommit() as conn:
        conn.execute("update documents set chunker = '0/100/0/0', chunks = 9")
    return list(find_outdated(store.db, chunker_name()))


def rechunker(store: Store, index: ReplacingIndex | None) -> Rechunker:
    return Rechunker(RechunkParts(store=store, tokenizer=load_tokenizer(), index=index))


def test_outdated_documents_are_chunked_again_once(store: Store, outdated: list[ChunkedDocument]) -> None:
    index = ReplacingIndex()
    work = rechunker(store, index)
    assert [work.rechunk(document) for document in load_documents(dump_documents(outdated))] == ["chunked"] * 3
    assert [(document.document_id, document.attempt) for document in outdated] == [one[:2] for one in index.replaced]
    assert all("rivers" in texts[0] for _, _, texts in index.replaced)
    rows = store.db.fetch_all("select chunker, chunks from documents")
    assert {(row["chunker"], row["chunks"]) for row in rows} == {(chunker_name(), 1)}
    assert list(find_outdated(store.db, chunker_name())) == []
    assert len(list(find_outdated(store.db, ""))) == 3


def test_a_document_stays_outdated_when_its_new_chunks_cannot_be_found(
    store: Store, outdated: list[ChunkedDocument]
) -> None:
    work = rechunker(store, ReplacingIndex(EmbeddingFailed("broken")))
    assert work.rechunk(outdated[0]) == "failed"
    assert len(list(find_outdated(store.db, chunker_name()))) == 3


def test_document_deleted_meanwhile_is_not_rechunked(store: Store, outdated: list[ChunkedDocument]) -> None:
    store.artifacts.delete(outdated[0].document_id)
    delete_document(store.db, ACME, ACTOR, outdated[1].document_id)
    index = ReplacingIndex()
    work = rechunker(store, index)
    assert [work.rechunk(document) for document in outdated] == ["gone", "gone", "chunked"]


def test_without_an_index_chunks_are_counted(store: Store, outdated: list[ChunkedDocument]) -> None:
    assert rechunker(store, None).rechunk(outdated[0]) == "chunked"
    assert len(list(find_outdated(store.db, chunker_name()))) == 2
