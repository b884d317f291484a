"""Search composed from settings: a real reader, the real model and the real index, only Ray left out."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pymupdf
import pytest

from quire.actors.reader.indexing import DocumentIndexer
from quire.actors.search.embedder import Embedder
from quire.actors.search.index_writer import IndexWriting
from quire.cluster.bootstrap.enabled import enabled_pools
from quire.cluster.compose.indexing import make_embedder
from quire.cluster.compose.reading import make_reader
from quire.cluster.compose.search import check_search, index_place, make_index_writer, make_searcher
from quire.cluster.errors import StartRefused
from quire.cluster.runtime import Runtime
from quire.configs.parsing import SettingsError, parse_settings
from quire.configs.settings import Settings
from quire.models.cdom.search import SearchHit, SearchMode, SearchRequest
from quire.models.neural.fakes import ScriptedRecogniser
from quire.storage.index.opened import open_writer
from quire.storage.index.table.entries import DocumentChunks, IndexedChunk
from quire.storage.jobs.jobs import get_job
from quire.storage.jobs.lifecycle import delete_job
from quire.storage.store import Store
from quire.storage.values.rows import DocumentId, JobId
from quire.storage.values.states import JobStatus
from tests.cluster.compose.test_compose import runtime as runtime
from tests.cluster.compose.test_compose import wait_for
from tests.models.neural.embed.directories import write_directory
from tests.storage.scenes import ACME, ACTOR, submit
from tests.waiting import PATIENCE_S, until


def report() -> bytes:
    """A page with a title and a paragraph: enough that none of it is taken for a page header."""
    lines = ["The north quay was swept in spring and every crane was inspected.", "Brakes were replaced before winter."]
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 90), "Harbour report", fontsize=20)
    page.insert_text((72, 300), [line for line in lines for _ in range(6)])
    return bytes(document.tobytes())


@contextmanager
def indexing(settings: Settings, store: Store) -> Iterator[tuple[Embedder, IndexWriting]]:
    """Embedder and index writer at work."""
    embedder = make_embedder(settings)
    embedder.start()
    writing = make_index_writer(settings, store, embedder)
    writing.start()
    try:
        yield embedder, writing
    finally:
        writing.drain(PATIENCE_S)
        embedder.drain(PATIENCE_S)


def searching(runtime: Runtime, tmp_path: Path, **more: str) -> Runtime:
    values = {"SVC_BEAT_S": "0.5", "SVC_LEASE_S": "2", "SVC_RAG_DB": str(tmp_path / "index"), **more}
    return replace(runtime, settings=parse_settings(values, workdir=runtime.settings.workdir))


def read_one(runtime: Runtime, store: Store, indexer: DocumentIndexer | None) -> JobId:
    """A paper through a reader."""
    job = submit(store, content=report())
    reader = make_reader(runtime, ScriptedRecogniser(), indexer)
    reader.start()
    try:
        assert wait_for(store, job.id) is JobStatus.SUCCEEDED
    finally:
        reader.drain(PATIENCE_S)
    return job.id


def ask(runtime: Runtime, store: Store, mode: SearchMode = SearchMode.VECTOR) -> list[SearchHit]:
    searcher = make_searcher(runtime.settings, store)
    found = searcher.search(SearchRequest(tenant="acme", org="default", q="report about a port", mode=mode))
    searcher.close()
    assert found is not None
    return found


def test_document_is_found_by_meaning_until_deleted(runtime: Runtime, store: Store, tmp_path: Path) -> None:
    runtime = searching(runtime, tmp_path, SVC_PURGE_DEADLINE="5")
    with indexing(runtime.settings, store) as (embedder, writing):
        job_id = read_one(runtime, store, DocumentIndexer(embedder, writing))
        assert [(hit.job_id, hit.mode) for hit in ask(runtime, store)] == [(job_id, "vector")]
        assert get_job(store.db, ACME, job_id).documents[0].chunks == 1
        delete_job(store.db, ACME, ACTOR, job_id)
        assert ask(runtime, store) == []
        assert until(lambda: store.db.fetch_one("select 1 from purges") is None)
    assert ask(runtime, store, SearchMode.FTS) == []


def test_a_document_from_before_the_index_is_taken_in_by_itself(runtime: Runtime, store: Store, tmp_path: Path) -> None:
    job_id = read_one(runtime, store, None)
    assert get_job(store.db, ACME, job_id).documents[0].chunks == 1
    runtime = searching(runtime, tmp_path)
    with indexing(runtime.settings, store):
        assert until(lambda: len(ask(runtime, store)) == 1)


def test_without_a_model_words_answer(runtime: Runtime, store: Store, tmp_path: Path) -> None:
    runtime = searching(runtime, tmp_path, SVC_EMBEDDER="none")
    writing = make_index_writer(runtime.settings, store, None)
    writing.start()
    try:
        read_one(runtime, store, DocumentIndexer(None, writing))
        assert [hit.mode for hit in ask(runtime, store)] == [SearchMode.FTS]
    finally:
        writing.drain(PATIENCE_S)


def test_search_pools_exist_only_when_search_is_configured(runtime: Runtime, tmp_path: Path) -> None:
    assert not {"searcher", "embedder"} & enabled_pools(runtime.settings).keys()
    assert {"searcher", "embedder"} <= enabled_pools(searching(runtime, tmp_path).settings).keys()
    assert "embedder" not in enabled_pools(searching(runtime, tmp_path, SVC_EMBEDDER="none").settings)


@pytest.mark.parametrize(
    ("name", "value"), [("SVC_RAG_DB", "relative/path"), ("SVC_EMBEDDER", "a/model"), ("SVC_PURGE_DEADLINE", "1")]
)
def test_settings_of_search_that_cannot_be_are_refused(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=name):
        parse_settings({name: value})


def test_a_start_with_a_model_directory_that_cannot_embed_is_refused(runtime: Runtime, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for folder, words in (("nowhere", "is not a directory"), ("empty", "modules.json is missing")):
        settings = searching(runtime, tmp_path, SVC_EMBEDDER=str(tmp_path / folder)).settings
        with pytest.raises(StartRefused, match=f"SVC_EMBEDDER: .*{words}"):
            check_search(settings)


def test_a_start_with_another_model_than_the_indexs_names_the_job(
    runtime: Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = searching(runtime, tmp_path, SVC_EMBEDDER=str(write_directory(tmp_path / "model"))).settings
    monkeypatch.setattr("quire.models.neural.embed.sentence_model.find_spec", lambda name: object())
    check_search(settings)
    writer = open_writer(index_place(settings.model_copy(update={"embedder": "minilm"})))
    vectors = np.zeros((1, 384), dtype=np.float32)
    chunk = IndexedChunk(index=0, chunk_id="c", text="apples")
    writer.write(
        [DocumentChunks(scope=ACME, document_id=DocumentId("doc_a"), generation=1, chunks=[chunk], vectors=vectors)]
    )
    writer.close()
    with pytest.raises(StartRefused, match=r"SVC_EMBEDDER: .*cluster\.jobs\.reembed"):
        check_search(settings)


def test_a_model_directory_without_torch_is_refused(
    runtime: Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = searching(runtime, tmp_path, SVC_EMBEDDER=str(write_directory(tmp_path / "model"))).settings
    monkeypatch.setattr("quire.models.neural.embed.sentence_model.find_spec", lambda name: None)
    with pytest.raises(StartRefused, match="needs torch and sentence_transformers"):
        check_search(settings)
