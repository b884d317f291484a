"""Hostile spellings of addresses at every door: a client receives the allowed host, or nothing.

The spellings are generated from a seed. They mix an allowed address with a forbidden host, so that two parsers may
disagree about which of them is the host. Each door hands its address to a recorder in place of the client library.
"""

import random
import socket
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest
from urllib3.util import parse_url

from quire.actors.chat import endpoint
from quire.storage.targets.contract import SettingValue, TargetNetwork
from quire.storage.targets.kinds import kafka, opensearch, qdrant, s3
from quire.storage.targets.opening import TargetKinds
from quire.storage.webhooks.download import Downloads
from quire.storage.webhooks.egress import Egress

ALLOWED, FORBIDDEN, PORT = "127.0.0.1", "127.0.0.77", 8303
SEPARATORS = [
    *("\\", "\\\\", "/\\", "/", "//", "?", "#", ";", ",", "&", "@", "@@", ":", ":@", ":80@", ":a@", "|", "^", "`"),
    *("%5c", "%2f", "%00", "%40", "%23", "%0d%0a", "%20", "\t", "\n", "\r\n", "\x00", " ", "\x7f", "\u2028"),
    *("\uff0f", "\uff20", "\uff3c", "\u2044", "\u3002", "\uff0e", ".", "[", "]", "<", ">", '"', "'", "{", "}"),
]
SCHEMES = ["http", "https", "HTTP", "hTTps", "http:", " http", "http\t", "file", "gopher", "javascript", "", "//"]
HOSTS = [
    *(FORBIDDEN, f"{FORBIDDEN}:{PORT}", "2130706509", "0x7f00004d", "127.77", "0177.0.0.77", f"[::ffff:{FORBIDDEN}]"),
    *("127.0.0.77.", "①②⑦.0.0.77", "localhost.evil", "[::1%25lo]", "[::1]", "user:pw@127.0.0.77", "metadata.internal"),
]
SHAPES = [
    *("{s}://{f}{x}@{a}/", "{s}://{f}{x}{a}/", "{s}://{a}{x}@{f}/", "{s}://{a}{x}{f}/", "{s}://{x}{f}@{a}/p"),
    *("{s}://{a}/{x}{f}", "{s}:{x}{f}@{a}", "{s}://{f}{x}", "{s}://{a}{x}", "{s}://u{x}p@{a}/", "{s}://{a}:{x}/"),
]


def make_spellings(seed: int, count: int) -> list[str]:
    """Return different hostile spellings of an address."""
    generator, spellings = random.Random(seed), set[str]()
    while len(spellings) < count:
        scheme = generator.choice(SCHEMES) if generator.random() < 0.2 else "http"
        spelling = generator.choice(SHAPES).format(
            s=scheme, f=generator.choice(HOSTS), a=f"{ALLOWED}:{PORT}", x=generator.choice(SEPARATORS)
        )
        spellings.add(spelling)
    return sorted(spellings)


SPELLINGS = make_spellings(20261127, 500)
EGRESS = Egress([f"{ALLOWED}:{PORT}"], resolve=lambda host, port: [host])
KINDS = TargetKinds(network=TargetNetwork(allow=frozenset({f"{ALLOWED}:{PORT}"}), egress=EGRESS))


class Recorder:
    """Stands in for client libraries. `given` holds the host and port that each would call, by several parsers."""

    def __init__(self) -> None:
        self.given: list[tuple[str | None, int | None]] = []

    def take_url(self, url: str) -> None:
        modern, usual, pooled = httpx.URL(url), urlsplit(url), parse_url(url)
        self.given += [(modern.host, modern.port), (usual.hostname, usual.port), (pooled.host, pooled.port)]

    def qdrant(self, *, url: str, **_: Any) -> None:
        self.take_url(url)

    def opensearch(self, *, hosts: list[str], **_: Any) -> None:
        self.take_url(hosts[0])

    def s3(self, *_: Any, endpoint: str, **__: Any) -> None:
        self.take_url(endpoint)

    def kafka(self, settings: dict[str, Any]) -> None:
        for server in settings["bootstrap.servers"].split(","):
            self.take_url(f"http://{server}")

    def postgres(self, *, host: str, hostaddr: str, port: int, **_: Any) -> Any:
        self.given += [(name, port) for name in (*host.split(","), *hostaddr.split(","))]
        raise psycopg.OperationalError

    def socket(self, address: tuple[str, int], *_: Any) -> Any:
        self.given.append(address)
        raise ConnectionRefusedError

    def model(self, *, base_url: str, **_: Any) -> None:
        self.take_url(base_url)


def open_kind(kind: str, name: str, **values: SettingValue) -> Callable[[str], object]:
    """Return a door that opens a target of this kind with the spelling as one of its settings."""
    return lambda spelling: KINDS.open(kind, values | {name: spelling}, "secret")


DOORS: dict[str, Callable[[str], object]] = {
    "http": lambda spelling: KINDS.check("http", {"url": spelling}, "secret"),
    "qdrant": open_kind("qdrant", "url"),
    "opensearch": open_kind("opensearch", "url"),
    "s3": open_kind("s3", "endpoint", uri="s3://bucket/p", access_key_id="a"),
    "kafka": lambda spelling: KINDS.open("kafka", {"servers": spelling.partition("://")[2].rstrip("/")}, None),
    "postgres": lambda spelling: open_kind("postgres", "url")("postgresql" + spelling.removeprefix("http")),
    "webhook": lambda spelling: EGRESS.post(spelling, b"{}", {}),
    "download": lambda spelling: Downloads(EGRESS).get(spelling, bytes, 10),
}


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    made = Recorder()
    monkeypatch.setattr(qdrant, "QdrantClient", made.qdrant)
    monkeypatch.setattr(opensearch, "OpenSearch", made.opensearch)
    monkeypatch.setattr(s3, "S3Store", made.s3)
    monkeypatch.setattr(kafka, "Producer", made.kafka)
    monkeypatch.setattr(psycopg, "connect", made.postgres)
    monkeypatch.setattr(socket, "create_connection", made.socket)
    monkeypatch.setattr(httpx, "Client", made.model)
    return made


def call(door: Callable[[str], object], spelling: str) -> None:
    """Call a door; every refusal has a stable code."""
    try:
        door(spelling)
    except Exception as error:
        if not isinstance(getattr(error, "code", None), str):
            raise


@pytest.mark.parametrize("name", sorted(DOORS))
def test_client_receives_only_the_allowed_host_for_every_spelling(name: str, recorder: Recorder) -> None:
    wrong: list[tuple[str, object]] = []
    for spelling in SPELLINGS:
        recorder.given.clear()
        call(DOORS[name], spelling)
        wrong += [(spelling, given) for given in recorder.given if given != (ALLOWED, PORT)]
    assert wrong == []


@pytest.mark.parametrize("name", sorted(DOORS))
def test_client_receives_the_allowed_host_written_plainly(name: str, recorder: Recorder) -> None:
    call(DOORS[name], f"http://{ALLOWED}:{PORT}/")
    assert set(recorder.given) == {(ALLOWED, PORT)}


def test_model_endpoint_receives_the_host_that_was_checked(recorder: Recorder) -> None:
    for spelling in SPELLINGS:
        recorder.given.clear()
        call(lambda url: endpoint.ChatEndpoint(url, port="llm", tries=1), spelling)
        assert len({host.strip("[]") for host, _ in recorder.given if host}) <= 1, spelling
