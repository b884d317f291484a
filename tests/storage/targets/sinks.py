"""Places that records are sent to in tests: each opens targets of one kind and says what is stored there."""

import io
import json
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import obstore
import psycopg
import pyarrow.parquet as pq
from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, Producer, TopicPartition
from obstore.store import S3Store
from psycopg.conninfo import conninfo_to_dict
from qdrant_client import QdrantClient

from quire.storage.targets.contract import SettingValue, Target, TargetNetwork, TargetRecord, TargetSettings
from quire.storage.targets.kinds import http, kafka, opensearch, postgres, qdrant, s3
from quire.storage.webhooks.egress import Egress
from tests.storage.bucket import Bucket
from tests.storage.receivers import Receiver

LOOPBACK = TargetNetwork(
    allow=frozenset({"127.0.0.1", "localhost"}), egress=Egress(["127.0.0.1", "localhost"], timeout_s=30)
)
Row = dict[str, Any]


@dataclass
class Sink:
    """`open` connects to the place; `stored` returns the rows that it holds."""

    open: Callable[[], Target]
    stored: Callable[[], list[Row]]
    settings: dict[str, SettingValue] = field(default_factory=dict)
    secret: str | None = None


def settings(secret: str | None = None, **values: SettingValue) -> TargetSettings:
    return TargetSettings(values, LOOPBACK, secret=secret)


def make_record(document_id: str = "doc_a", run: str = "1", index: int = 0, **facts: Any) -> TargetRecord:
    values: dict[str, Any] = {
        "id": f"00000000-0000-5000-8000-{abs(hash_of(document_id, run, index)):012x}",
        "chunk_id": f"c{index}",
        "text": f"text {index} of {run}",
        "source_file": "a.pdf",
        "pages": (1, 2),
        "headings": ("One", "Two"),
        "boxes": ({"page": 1, "bbox": (0.0, 1.0, 2.0, 3.5)},),
        "language": "en",
        "metadata": {"case": 7},
        "principals": ("ann", "ops"),
        "vector": (0.6, 0.8, 0.0),
    }
    return TargetRecord(document_id=document_id, run=run, index=index, **(values | facts))


def hash_of(*parts: object) -> int:
    return int.from_bytes(repr(parts).encode()[-6:], "big") + sum(repr(parts).encode()) * 7


def postgres_sink(dsn: str) -> Sink:
    parts = conninfo_to_dict(dsn)
    url = f"postgresql://{parts['user']}@localhost:5432/{parts['dbname']}"

    def open_target() -> Target:
        return PostgresAt(dsn)

    def stored() -> list[Row]:
        with psycopg.connect(dsn, row_factory=psycopg.rows.dict_row) as connection:
            if connection.execute("select to_regclass('quire_chunks') as t").fetchall()[0]["t"] is None:
                return []
            return connection.execute("select *, id::text as id from quire_chunks").fetchall()

    return Sink(open_target, stored, {"url": url})


class PostgresAt(postgres.PostgresTarget):
    """The target over a test server, which listens on a Unix socket only: just the address is another one."""

    def __init__(self, dsn: str) -> None:
        connect = psycopg.connect

        def connect_there(**options: Any) -> Any:
            return connect(dsn, **{name: options[name] for name in ("options", "application_name", "autocommit")})

        psycopg.connect = connect_there  # type: ignore[assignment]
        try:
            super().__init__(settings(url="postgresql://someone@localhost/base"))
        finally:
            psycopg.connect = connect


def qdrant_sink() -> Sink:
    """Qdrant's own local mode, in this process."""
    client = QdrantClient(":memory:")

    class Local(qdrant.QdrantTarget):
        def __init__(self) -> None:
            self._collection, self._client = "quire_chunks", client

        def close(self) -> None:
            return

    def stored() -> list[Row]:
        if not client.collection_exists("quire_chunks"):
            return []
        points, _ = client.scroll("quire_chunks", limit=10_000, with_vectors=True)
        return [{**(point.payload or {}), "id": str(point.id), "vector": point.vector} for point in points]

    return Sink(Local, stored)


def s3_sink(bucket: Bucket) -> Sink:
    place = urlsplit(bucket.url)
    values: dict[str, SettingValue] = {
        "uri": bucket.url,
        "endpoint": bucket.options["endpoint"],
        "access_key_id": "test",
    }
    store = S3Store(
        place.netloc,
        prefix=place.path.strip("/"),
        endpoint=bucket.options["endpoint"],
        region="us-east-1",
        access_key_id="test",
        secret_access_key="test",
        client_options={"allow_http": True},
    )

    def stored() -> list[Row]:
        paths = [entry["path"] for batch in obstore.list(store) for entry in batch]
        files = [bytes(obstore.get(store, path).bytes()) for path in paths]
        return [row for file in files for row in pq.read_table(io.BytesIO(file)).to_pylist()]

    return Sink(lambda: s3.S3Target(settings("test", **values)), stored, values, "test")


def http_sink(receiver: Receiver) -> Sink:
    """A receiver that applies the messages as docs/targets.md says."""

    def stored() -> list[Row]:
        rows: dict[str, Row] = {}
        for received in receiver.got:
            message = json.loads(received.body)
            rows |= {row["id"]: row for row in message.get("upsert", ())}
            gone = message.get("delete")
            if gone:
                rows = {id: row for id, row in rows.items() if is_kept(row, gone)}
        return list(rows.values())

    return Sink(lambda: http.HttpTarget(settings(url=receiver.url)), stored, {"url": receiver.url})


def is_kept(row: Row, gone: Row) -> bool:
    return bool(row["document_id"] != gone["document_id"] or row["run"] == gone["keep_run"])


@contextmanager
def kafka_sink() -> Iterator[Sink]:
    """The broker that librdkafka has for tests: it speaks the real protocol on a port of loopback."""
    holder = Producer({"bootstrap.servers": "none", "test.mock.num.brokers": 1})
    (broker,) = holder.list_topics(timeout=10).brokers.values()
    servers = f"{broker.host}:{broker.port}"

    def messages() -> list[Row]:
        consumer = Consumer({"bootstrap.servers": servers, "group.id": "test", "enable.partition.eof": True})
        partitions = consumer.list_topics("quire-chunks", timeout=10).topics["quire-chunks"].partitions
        consumer.assign([TopicPartition("quire-chunks", number, OFFSET_BEGINNING) for number in partitions])
        found: list[Row] = []
        open_partitions = len(partitions)
        while open_partitions:
            message = consumer.poll(10)
            assert message is not None
            error = message.error()
            if error is None:
                found.append(json.loads(message.value() or b""))
            else:
                assert error.code() == KafkaError._PARTITION_EOF
                open_partitions -= 1
        consumer.close()
        return found

    def stored() -> list[Row]:
        rows: dict[str, Row] = {}
        for message in messages():
            if message.get("deleted"):
                rows = {id: row for id, row in rows.items() if is_kept(row, message)}
            else:
                rows[message["id"]] = message
        return list(rows.values())

    yield Sink(lambda: kafka.KafkaTarget(settings(servers=servers)), stored, {"servers": servers})


@contextmanager
def opensearch_sink() -> Iterator[Sink]:  # noqa: C901  (a handler with five short methods)
    """A stand-in that keeps the five calls of OpenSearch that the target makes: no server can be installed here."""
    indexes: dict[str, dict[str, Row]] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self._answer(200 if urlsplit(self.path).path.strip("/") in indexes else 404, None)

        def do_PUT(self) -> None:
            name, body = urlsplit(self.path).path.strip("/"), self._body()
            if name in indexes:
                error = {"type": "resource_already_exists_exception", "reason": "exists"}
                self._answer(400, {"error": error, "status": 400})
                return
            assert json.loads(body)["mappings"]["properties"]["document_id"] == {"type": "keyword"}
            indexes[name] = {}
            self._answer(200, {"acknowledged": True})

        def do_POST(self) -> None:
            path, body = urlsplit(self.path).path.strip("/"), self._body()
            if path == "_bulk":
                self._bulk([json.loads(line) for line in body.decode().strip().split("\n")])
                return
            name, _, action = path.partition("/")
            if name not in indexes:
                self._answer(404, {"error": {"type": "index_not_found_exception", "reason": ""}, "status": 404})
            elif action == "_refresh":
                self._answer(200, {})
            else:
                assert action == "_delete_by_query"
                query = json.loads(body)["query"]["bool"]
                kept = query["must_not"][0]["term"]["run"] if "must_not" in query else None
                gone = {"document_id": query["filter"][0]["term"]["document_id"], "keep_run": kept}
                indexes[name] = {id: row for id, row in indexes[name].items() if is_kept(row, gone)}
                self._answer(200, {"deleted": 1})

        def _bulk(self, lines: Sequence[Row]) -> None:
            items = []
            for head, row in zip(lines[::2], lines[1::2], strict=True):
                bad = row["text"] == "refuse me"
                error = {"status": 400, "error": {"type": "mapper_parsing_exception"}}
                items.append({"index": error if bad else {"status": 201}})
                if not bad:
                    indexes[head["index"]["_index"]][head["index"]["_id"]] = row
            self._answer(200, {"errors": any(item["index"]["status"] == 400 for item in items), "items": items})

        def _body(self) -> bytes:
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))

        def _answer(self, status: int, body: Row | None) -> None:
            text = b"" if body is None else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield Sink(
            lambda: opensearch.OpenSearchTarget(settings(url=url)),
            lambda: [{"id": id, **row} for rows in indexes.values() for id, row in rows.items()],
            {"url": url},
        )
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def texts(rows: Sequence[Row]) -> list[str]:
    return sorted(row["text"] for row in rows)


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+\.?\d*", text)]
