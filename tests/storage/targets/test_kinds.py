"""Every built-in kind stores a record once, replaces it, and deletes what it is told to.

PostgreSQL with pgvector is real. Qdrant is its local mode, Kafka the broker that librdkafka has for tests, S3 is moto.
OpenSearch is its official client over a stand-in.
"""

from collections.abc import Iterator
from contextlib import ExitStack

import numpy as np
import psycopg
import pytest

from quire.storage.targets.contract import RecordRefused, TargetRefused, TargetUnavailable
from quire.storage.targets.kinds.http import HttpTarget
from quire.storage.targets.opening import BUILT_IN, TargetKinds
from tests.storage.bucket import Bucket
from tests.storage.receivers import receiving
from tests.storage.targets.sinks import (
    LOOPBACK,
    Sink,
    http_sink,
    kafka_sink,
    make_record,
    numbers,
    opensearch_sink,
    postgres_sink,
    qdrant_sink,
    s3_sink,
    settings,
    texts,
)

pytestmark = [
    pytest.mark.long,
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant"),
]


@pytest.fixture(params=sorted(BUILT_IN))
def sink(request: pytest.FixtureRequest) -> Iterator[Sink]:
    with ExitStack() as stack:
        match request.param:
            case "postgres":
                yield postgres_sink(request.getfixturevalue("dsn"))
            case "qdrant":
                yield qdrant_sink()
            case "s3":
                bucket: Bucket = request.getfixturevalue("bucket")
                yield s3_sink(bucket)
            case "http":
                yield http_sink(stack.enter_context(receiving()))
            case "kafka":
                yield stack.enter_context(kafka_sink())
            case "opensearch":
                yield stack.enter_context(opensearch_sink())


def test_target_stores_records_once_and_deletes_other_runs(sink: Sink) -> None:
    target = sink.open()
    target.check()
    first = [make_record(index=index) for index in range(3)]
    other = [make_record("doc_b", index=7)]
    target.upsert([*first, *other])
    target.upsert(first)
    target.upsert([make_record(run="2", index=index) for index in range(2)])
    target.delete("doc_a", "2")
    target.delete("doc_unknown", None)
    target.close()
    assert texts(sink.stored()) == ["text 0 of 2", "text 1 of 2", "text 7 of 1"]
    again = sink.open()
    again.delete("doc_a", None)
    again.close()
    assert texts(sink.stored()) == ["text 7 of 1"]


def test_target_stores_every_fact_of_a_record(sink: Sink) -> None:
    record = make_record()
    target = sink.open()
    target.upsert([record])
    target.close()
    (row,) = sink.stored()
    assert row["id"] == record.id
    for name in ("document_id", "run", "chunk_id", "index", "text", "source_file", "language"):
        assert row[name] == getattr(record, name)
    assert list(row["pages"]) == [1, 2]
    assert list(row["headings"]) == ["One", "Two"]
    assert list(row["principals"]) == ["ann", "ops"]
    assert row["metadata"] in ({"case": 7}, '{"case": 7}')
    assert sorted(numbers(str(row["boxes"]))) == [0, 1, 1, 2, 3.5]
    assert numbers(str(row.get("embedding", row.get("vector")))) == pytest.approx([0.6, 0.8, 0.0])


def test_target_takes_records_without_vectors_and_with_numpy_vectors(sink: Sink) -> None:
    target = sink.open()
    plain = make_record(vector=None, metadata=None, principals=None, language=None, boxes=(), headings=())
    target.upsert([plain])
    target.delete("doc_a", None)
    if not sink.settings.get("servers"):  # the log keeps every message
        assert sink.stored() == []
    target.close()


def test_postgres_target_searches_by_vector(dsn: str) -> None:
    sink = postgres_sink(dsn)
    target = sink.open()
    near, far = np.array([1, 0, 0], np.float32), np.array([0, 1, 0], np.float32)
    target.upsert([make_record(index=0, vector=far), make_record(index=1, vector=near)])
    target.close()
    with psycopg.connect(dsn) as connection:
        found = connection.execute(
            "select text from quire_chunks order by embedding <=> '[0.9,0.1,0]' limit 1"
        ).fetchall()
        plan = connection.execute(
            "set enable_seqscan = off; explain select id from quire_chunks order by embedding <=> '[1,0,0]' limit 1"
        )
        assert plan.nextset()
        lines = " ".join(line for (line,) in plan.fetchall())
    assert found == [("text 1 of 1",)]
    assert "Index Scan using quire_chunks_vectors" in lines


@pytest.mark.parametrize(("width", "kept"), [(2000, 1), (2001, 0)])
def test_postgres_target_indexes_vectors_of_new_columns_only(dsn: str, width: int, kept: int) -> None:
    sink = postgres_sink(dsn)
    for number in range(2):
        target = sink.open()
        target.upsert([make_record(index=number, vector=np.ones(width, np.float32))])
        target.close()
        with psycopg.connect(dsn) as connection:
            count = "select count(*) from pg_indexes where tablename = 'quire_chunks' and indexdef like '%hnsw%'"
            assert connection.execute(count).fetchone() == (kept if number == 0 else 0,)
            connection.execute("drop index if exists quire_chunks_vectors")  # which its owner may do


def test_postgres_target_refuses_record_of_other_width(dsn: str) -> None:
    target = postgres_sink(dsn).open()
    target.upsert([make_record()])
    with pytest.raises(RecordRefused):
        target.upsert([make_record(index=1, vector=(1.0, 2.0))])
    target.upsert([make_record(index=2)])
    target.close()


def test_opensearch_target_names_the_refusal_of_a_record() -> None:
    with opensearch_sink() as sink:
        target = sink.open()
        with pytest.raises(RecordRefused, match="mapper_parsing_exception"):
            target.upsert([make_record(text="refuse me")])
        target.close()


@pytest.mark.parametrize(
    ("status", "error"), [(400, RecordRefused), (503, TargetUnavailable), (301, TargetUnavailable)]
)
def test_http_target_maps_statuses(status: int, error: type[Exception]) -> None:
    with receiving(lambda _: (status, {})) as receiver:
        target = http_sink(receiver).open()
        with pytest.raises(error, match=f"http-{status}"):
            target.upsert([make_record()])


def test_http_target_signs_with_the_secret() -> None:
    with receiving() as receiver:
        HttpTarget(settings("whsec_c2VjcmV0IHNlY3JldCBzZWNyZXQ=", url=receiver.url)).check()
    (received,) = receiver.got
    assert received.headers["x-svc-event"] == "target.check"
    assert received.headers["x-svc-signature"].startswith("sha256=")


REFUSED = {
    "http": {"url": "http://169.254.169.254/latest"},
    "postgres": {"url": "postgresql://ann@10.0.0.1/base"},
    "qdrant": {"url": "http://metadata.internal:6333"},
    "opensearch": {"url": "https://10.0.0.1:9200"},
    "kafka": {"servers": "127.0.0.1:9092,10.0.0.1:9092"},
    "s3": {"uri": "s3://bucket/p", "endpoint": "http://10.0.0.1:9000", "access_key_id": "a"},
}


@pytest.mark.parametrize("kind", sorted(BUILT_IN))
def test_host_that_operator_does_not_allow_is_refused(kind: str) -> None:
    with pytest.raises(TargetRefused, match=r"SVC_TARGET_ALLOW|not public"):
        TargetKinds(network=LOOPBACK).check(kind, REFUSED[kind], "secret")


@pytest.mark.parametrize(
    ("kind", "values", "message"),
    [
        ("nothing", {}, "expected one of"),
        ("postgres", {}, "settings.url: a text is required"),
        ("postgres", {"url": "postgresql://ann:pw@localhost/base"}, "no password"),
        ("postgres", {"url": "postgresql://localhost,10.0.0.1/base"}, "one host"),
        ("postgres", {"url": "postgresql://localhost/base?host=10.0.0.1"}, "no password"),
        ("s3", {"uri": "file:///etc", "access_key_id": "a"}, "s3://bucket"),
        ("http", {"url": "http://127.0.0.1:1/", "colour": "red"}, "no setting colour"),
        ("http", {"url": "http://127.0.0.1:1/"}, "does not answer"),
        ("postgres", {"url": "postgresql://ann@localhost:1/base"}, "does not answer"),
    ],
)
def test_unusable_settings_are_refused_with_the_reason(kind: str, values: dict[str, str], message: str) -> None:
    with pytest.raises(TargetRefused, match=message):
        TargetKinds(network=LOOPBACK).check(kind, values, "secret")


def test_panic_of_a_native_library_refuses_the_target(monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):
        __module__ = "pyo3_runtime"

    def panic(*_: object, **__: object) -> None:
        raise PanicException("called `Result::unwrap()` on an `Err` value")

    monkeypatch.setattr("quire.storage.targets.kinds.s3.S3Store", panic)
    values: dict[str, str] = {"uri": "s3://bucket/p", "access_key_id": "a", "endpoint": "http://127.0.0.1:1"}
    with pytest.raises(TargetRefused, match="does not answer: NativePanic"):
        TargetKinds(network=LOOPBACK).check("s3", values, "secret")
