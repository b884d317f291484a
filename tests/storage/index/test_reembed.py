"""A change of models: new vectors are built next to the old ones, which answer until the switch."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from quire.models.cdom.search import SearchHit, SearchMode, SearchRequest
from quire.storage.index.opened import IndexPlace, check_model, open_search, open_writer, place_index
from quire.storage.index.reembed import Reembedding
from quire.storage.index.table.entries import DocumentChunks, Vectors
from quire.storage.jobs.lifecycle import delete_document
from quire.storage.upkeep.erase import purge_some
from quire.storage.values.errors import OtherModel
from tests.storage.index.library import Library, count_versions, embed, entries, masked_rows
from tests.storage.scenes import ACTOR

NEW_WIDTH = 48


def new_model(texts: Sequence[str]) -> Vectors:
    return np.concatenate([embed(texts), np.zeros((len(texts), NEW_WIDTH - 32), dtype=np.float32)], axis=1)


@pytest.fixture
def job(library: Library, tmp_path: Path) -> Iterator[Reembedding]:
    opened = Reembedding(library.store.db, new_place(tmp_path))
    yield opened
    opened.close()


def new_place(tmp_path: Path) -> IndexPlace:
    return place_index(str(tmp_path / "rag"), tmp_path, width=NEW_WIDTH, model="larger_1")


def embed_all(job: Reembedding, most: int = 100) -> int:
    """One pass over at most so many generations."""
    documents = [
        replace(one, vectors=new_model([chunk.text for chunk in one.chunks])) for one in job.texts(job.todo()[:most])
    ]
    return job.put(documents)


def ask_new(library: Library, tmp_path: Path, q: str) -> list[SearchHit]:
    search = open_search(new_place(tmp_path), library.store.db, memory_bytes=1 << 26)
    request = SearchRequest(tenant="acme", org="default", q=q, mode=SearchMode.HYBRID)
    return search.search(request, lambda: new_model([q])[0])


def test_the_old_vectors_answer_until_every_document_has_new_ones(
    library: Library, job: Reembedding, tmp_path: Path
) -> None:
    claimed = [library.publish(f"apples {word}", "pears") for word in ("ripen", "fall", "rot")]
    unpublished = library.claim()
    library.index(unpublished, "apples hide")
    assert embed_all(job, most=2) == 4
    assert len(job.todo()) == 1
    assert len(library.ask("apples")) == len(library.ask("apples", SearchMode.VECTOR)) == 5
    embed_all(job)
    assert job.settle() == 0
    found = ask_new(library, tmp_path, "apples fall")
    assert found[0].text == "apples fall"
    assert {hit.document_id for hit in found} <= {one.document_id for one in claimed}
    assert {hit.mode for hit in found} == {SearchMode.HYBRID}


def test_nothing_is_done_twice_and_a_broken_document_is_done_again(library: Library, job: Reembedding) -> None:
    claimed = library.publish("apples ripen", "pears")
    embed_all(job)
    assert job.todo() == []
    whole: DocumentChunks = job.texts([(claimed.document_id, claimed.attempt)])[0]
    half = replace(whole, chunks=whole.chunks[:1], vectors=new_model(["apples ripen"]))
    job.put([half])
    assert job.todo() == [(claimed.document_id, claimed.attempt)]
    embed_all(job)
    assert job.todo() == []


def test_a_document_deleted_meanwhile_leaves_both_tables(library: Library, job: Reembedding, tmp_path: Path) -> None:
    gone, kept = library.publish("apples ripen"), library.publish("apples fall")
    embed_all(job)
    delete_document(library.store.db, gone.scope, ACTOR, gone.document_id)
    purge_some(library.store, 10, erase_index=library.writer.erase)
    writer = open_writer(new_place(tmp_path))
    assert list(writer.generations()) == [(kept.document_id, kept.attempt)]
    assert (masked_rows(writer.upkeep), count_versions(writer.upkeep)) == (0, 1)
    writer.close()


def test_row_written_after_its_document_was_erased_is_removed_by_settle(
    library: Library, job: Reembedding, tmp_path: Path
) -> None:
    claimed = library.publish("apples ripen")
    late = [replace(one, vectors=new_model(["apples ripen"])) for one in job.texts(job.todo())]
    delete_document(library.store.db, claimed.scope, ACTOR, claimed.document_id)
    purge_some(library.store, 10, erase_index=library.writer.erase)
    job.put(late)
    assert job.settle() == 0
    writer = open_writer(new_place(tmp_path))
    assert writer.generations() == {}
    writer.close()


def test_chunks_stored_without_a_model_get_vectors_in_their_own_table(library: Library) -> None:
    claimed = library.claim()
    bare = entries(claimed.scope, claimed.document_id, claimed.attempt, ["apples ripen", "pears"])
    library.writer.write([replace(bare, vectors=None)])
    library.finish(claimed, 2)
    assert library.ask("apples", SearchMode.VECTOR) == []
    job = Reembedding(library.store.db, library.place)
    assert job.todo() == [(claimed.document_id, claimed.attempt)]
    job.put([replace(one, vectors=embed([c.text for c in one.chunks])) for one in job.texts(job.todo())])
    assert job.settle() == 0
    assert library.ask("apples", SearchMode.VECTOR)[0].text == "apples ripen"
    job.close()


def test_a_start_on_a_model_nothing_was_embedded_with_is_refused(
    library: Library, job: Reembedding, tmp_path: Path
) -> None:
    place = new_place(tmp_path)
    check_model(place)
    library.publish("apples ripen")
    with pytest.raises(OtherModel, match="1 chunks of chunks and none of chunks_larger_1: run the job reembed"):
        check_model(place)
    embed_all(job)
    check_model(place)
    with pytest.raises(OtherModel, match="vectors of 7 numbers"):
        check_model(replace(place, width=7))


def test_other_tables_are_dropped_after_the_switch(library: Library, job: Reembedding, tmp_path: Path) -> None:
    library.publish("apples ripen")
    embed_all(job)
    assert job.settle() == 0
    library.close()
    assert job.drop_others() == ["chunks"]
    assert not (tmp_path / "rag" / "chunks.lance").exists()
    assert not (tmp_path / "rag" / "keywords").exists()
    assert len(ask_new(library, tmp_path, "apples")) == 1
