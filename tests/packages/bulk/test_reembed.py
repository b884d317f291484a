"""The job that fills another model's vectors: resumed where it was killed, exact, the old ones untouched."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quire.cluster.jobs import reembed
from quire.cluster.jobs.work.spread import JobStopped, Row
from quire.storage.index.opened import IndexPlace, open_table, place_index
from quire.storage.index.table.entries import DocumentChunks, IndexedChunk
from quire.storage.values.rows import DocumentId, Scope
from tests.storage.index.conftest import library  # noqa: F401
from tests.storage.index.library import Library, embed

WIDTH = 48


class FakeRow:
    """An EmbedRow whose model is made of word counts; it dies at the `dies_at`th call."""

    dies_at = 0
    calls = 0

    def __init__(self, embedder: str) -> None:
        assert embedder == "/models/larger"

    def __call__(self, row: Row) -> Row:
        FakeRow.calls += 1
        if FakeRow.calls == FakeRow.dies_at:
            raise KeyboardInterrupt
        return {"at": row["at"], "vectors": larger(row["texts"]).tobytes()}


def larger(texts: Sequence[str]) -> Any:
    return np.concatenate([embed(texts), np.zeros((len(texts), WIDTH - 32), dtype=np.float32)], axis=1)


def inline(
    rows: Sequence[Row], make: Callable[..., Callable[[Row], Row]], arguments: tuple[Any, ...], **_: object
) -> Iterator[Row]:
    """`spread` in this process; the last one first, as it may happen on a cluster."""
    work = make(*arguments)
    yield from map(work, reversed(rows))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> IndexPlace:
    monkeypatch.setattr(reembed, "spread", inline)
    monkeypatch.setattr(reembed, "EmbedRow", FakeRow)
    monkeypatch.setattr(reembed, "TEXTS", 2)
    monkeypatch.setattr(reembed, "WRITE_CHUNKS", 4)
    monkeypatch.setattr(reembed, "SLICE", 3)
    FakeRow.calls = FakeRow.dies_at = 0
    return place_index(str(tmp_path / "rag"), tmp_path, width=WIDTH, model="larger_1")


def fill(library: Library, place: IndexPlace) -> dict[str, Any]:  # noqa: F811
    with reembed.Writing(library.store, "reembed larger_1") as writing:
        return reembed.fill_table(library.store, place, "/models/larger", writing.check, workers=1, cpus=1)


def check_until(writing: reembed.Writing, end: float) -> None:
    while time.monotonic() < end:
        writing.check()


def test_two_jobs_never_fill_a_table_at_once(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.setattr(reembed, "CLAIM_S", 1.0)
    with reembed.Writing(library.store, "reembed x") as first, reembed.Writing(library.store, "reembed y"):
        with pytest.raises(JobStopped, match="another process"), reembed.Writing(library.store, "reembed x"):
            pytest.fail("two writers")
        first.check()
        with library.store.db.autocommit() as conn:
            conn.execute("update role_leases set holder = 'other', lease_until = clock_timestamp() + interval '9 s'")
        with pytest.raises(JobStopped, match="now"):
            check_until(first, time.monotonic() + 60)
    with library.store.db.autocommit() as conn:
        conn.execute("update role_leases set lease_until = clock_timestamp() - interval '1 s'")
    with reembed.Writing(library.store, "reembed x") as later:
        later.check()


def test_killed_job_continues_and_every_chunk_has_its_vector(library: Library, place: IndexPlace) -> None:  # noqa: F811
    for number in range(10):
        library.publish(f"apples {number}", f"pears {number}", *([] if number % 2 else [f"plums {number}"]))
    before = {chunk["text"]: chunk["vector"] for chunk in rows_of(library, 32)}
    assert reembed.count_left(library.store, place) == 10
    assert place.table not in reembed_tables(place)
    FakeRow.dies_at = 6
    with pytest.raises(KeyboardInterrupt):
        fill(library, place)
    assert 0 < reembed.count_left(library.store, place) < 10
    FakeRow.dies_at = 0
    summary = fill(library, place)
    assert (summary["embedder"], summary["left"]) == ("/models/larger", 0)
    assert 0 < summary["documents"] < 10
    assert reembed.count_left(library.store, place) == 0
    rows = open_table(place)._select(None, ["text", "vector"]).to_pylist()
    assert len(rows) == 25
    for row in rows:
        assert np.allclose(row["vector"], larger([row["text"]])[0])
    assert {chunk["text"]: chunk["vector"] for chunk in rows_of(library, 32)} == before
    assert fill(library, place) | {"left": 0} == summary | {"documents": 0, "chunks": 0}


def rows_of(library: Library, width: int) -> list[dict[str, Any]]:  # noqa: F811
    old = place_index(str(library.store.workdir.parent / "rag"), library.store.workdir, width=width)
    return list(open_table(old)._select(None, ["text", "vector"]).to_pylist())


def reembed_tables(place: IndexPlace) -> list[str]:
    from quire.storage.index.table.siblings import SiblingTables

    return SiblingTables(place.uri, "", place.storage_options).names()


def a_document(number: int, chunks: int) -> DocumentChunks:
    made = [IndexedChunk(index=at, chunk_id=f"c{at}", text=f"{number} {at}") for at in range(chunks)]
    return DocumentChunks(
        scope=Scope(tenant="acme"), document_id=DocumentId(f"doc_{number}"), generation=1, chunks=made, vectors=None
    )


def test_calls_are_worth_their_way_and_vectors_go_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reembed, "TEXTS", 4)
    documents = [a_document(number, count) for number, count in enumerate((1, 2, 2, 9, 1))]
    groups = reembed.group_documents(documents)
    assert [[len(one.chunks) for one in group] for group in groups] == [[1, 2, 2], [9], [1]]
    vectors = np.arange(10, dtype=np.float32).reshape(5, 2)
    done = reembed.with_vectors(groups[0], vectors.tobytes(), 2)
    assert [one.vectors.tolist() if one.vectors is not None else None for one in done] == [
        [[0, 1]], [[2, 3], [4, 5]], [[6, 7], [8, 9]],
    ]  # fmt: skip
    assert [replace(one, vectors=None) for one in done] == groups[0]
    with pytest.raises(ValueError, match="5 vectors for 9 chunks"):
        reembed.with_vectors(groups[1], vectors.tobytes(), 2)
