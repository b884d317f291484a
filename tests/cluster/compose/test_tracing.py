"""One trace from the upload to the published document, over real HTTP to a receiver; nothing at all when it is off."""

import ssl
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from quire.cluster.compose.api import open_resources
from quire.cluster.compose.reading import make_reader
from quire.cluster.compose.tracing import make_tracing
from quire.cluster.runtime import Runtime
from quire.configs.parsing import SettingsError, parse_settings
from quire.models.cdom.tracing import TRACING_OFF
from quire.models.neural.fakes import ScriptedRecogniser
from quire.storage.store import Store
from quire.storage.values.rows import JobId
from tests.api.harness import KEYS, client_of, serving
from tests.api.keys import ring_of
from tests.cluster.compose.otlp_receiver import Receiver, receiving
from tests.cluster.compose.test_compose import paper, runtime, wait_for
from tests.storage.webhooks.test_egress_tls import make_certificate
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.long

__all__ = ["runtime"]
CALLER = "00-" + "ab" * 16 + "-" + "cd" * 8 + "-01"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as got:
        yield got


def traced(runtime: Runtime, receiver: Receiver, **variables: str) -> Runtime:
    chosen = {"SVC_BEAT_S": "0.5", "SVC_LEASE_S": "2", "SVC_OTLP_ENDPOINT": receiver.url + "/", **variables}
    return replace(runtime, settings=parse_settings(chosen, workdir=runtime.settings.workdir))


async def upload_and_read(
    runtime: Runtime, store: Store, content: bytes, *, first: str = "/v1/health", **headers: str
) -> None:
    """Upload and read in this process as two replicas, each with a separate tracer. `first` runs before."""
    resources = replace(open_resources(runtime), keys=ring_of(KEYS))
    try:
        async with serving(resources) as app, client_of(app) as client:
            assert (await client.get(first)).status_code == 200
            parts = [("files", ("Salaries of Anna.pdf", content, "application/pdf"))]
            noted = {"metadata": '{"note": "Anna"}'}
            job = (await client.post("/v1/jobs", files=parts, data=noted, headers=headers)).json()
    finally:
        resources.store.close()
    reader = make_reader(runtime, ScriptedRecogniser())
    reader.start()
    try:
        wait_for(store, JobId(job["id"]))
    finally:
        reader.drain(PATIENCE_S)


async def test_one_trace_leads_from_the_upload_to_the_published_document(
    runtime: Runtime, store: Store, receiver: Receiver
) -> None:
    await upload_and_read(
        traced(runtime, receiver, SVC_OTLP_HEADERS="x-key=s3cret"), store, paper(3), traceparent=CALLER
    )
    assert {span.trace for span in receiver.spans} == {"ab" * 16}
    request, queue, document = (receiver.named(name) for name in ("POST /v1/jobs", "queue", "document"))
    assert request.parent == "cd" * 8
    assert queue.parent == document.parent == request.span
    phases = [receiver.named(name) for name in ("reading", "embedding", "publishing")]
    assert {phase.parent for phase in phases} == {document.span}
    assert len(receiver.spans) == 6  # the health check leaves none
    assert [request.pool, document.pool] == ["api", "fast_path"]
    assert (request.facts["http.response.status_code"], document.facts["quire.pages"]) == (201, 3)
    assert queue.start < queue.end <= document.start + 1_000_000
    assert document.start <= phases[0].start <= phases[0].end <= phases[1].end <= phases[2].end <= document.end
    assert receiver.headers["x-key"] == "s3cret"


async def test_spans_hold_no_content_and_no_file_name(runtime: Runtime, store: Store, receiver: Receiver) -> None:
    await upload_and_read(traced(runtime, receiver), store, paper(), first="/v1/documents?name=Anna")
    assert receiver.named("GET /v1/documents")
    assert receiver.named("document")
    said = b"".join(receiver.raw)
    for canary in (b"Anna", b"harbour", b"note", b"acme-write"):
        assert canary not in said


async def test_a_document_that_fails_marks_its_span(runtime: Runtime, store: Store, receiver: Receiver) -> None:
    await upload_and_read(traced(runtime, receiver), store, b"\0\1 no document at all")
    assert receiver.named("document").error == "unsupported-format"
    assert receiver.named("POST /v1/jobs").error == ""


async def test_a_share_of_traces_is_kept_and_a_caller_that_samples_decides(
    runtime: Runtime, store: Store, receiver: Receiver
) -> None:
    none = traced(runtime, receiver, SVC_TRACE_SAMPLE="0")
    await upload_and_read(none, store, paper())
    assert receiver.spans == []
    await upload_and_read(none, store, paper(), traceparent=CALLER)
    assert len(receiver.spans) == 6


async def test_a_receiver_that_is_away_stops_nothing(runtime: Runtime, store: Store) -> None:
    with receiving() as gone:
        pass
    await upload_and_read(traced(runtime, gone), store, paper())


async def test_expired_receiver_certificate_blocks_nothing_until_renewal(
    runtime: Runtime, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*make_certificate(tmp_path, ended=True))
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_CERTIFICATE", str(tmp_path / "cert.pem"))
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):  # with which requests overrules it
        monkeypatch.delenv(name, raising=False)
    with receiving(context) as receiver:
        await upload_and_read(traced(runtime, receiver), store, paper())
        assert receiver.spans == []
        context.load_cert_chain(*make_certificate(tmp_path))
        await upload_and_read(traced(runtime, receiver), store, paper())
        assert receiver.named("document")


def test_off_is_the_default_and_imports_no_sdk() -> None:
    assert make_tracing(parse_settings({}), "api") is TRACING_OFF
    assert not TRACING_OFF.begin("x").is_recording()
    program = (  # FastAPI imports the interfaces (opentelemetry.trace) by itself
        "import sys; from quire.cluster.compose.tracing import make_tracing\n"
        "from quire.configs.parsing import parse_settings; import quire.serve_apps.api.http.middleware\n"
        "import quire.actors.reader.inflight; make_tracing(parse_settings({}), 'api'); "
        "sys.exit(any(name.startswith(('opentelemetry.sdk', 'opentelemetry.exporter')) for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize(
    ("name", "text"),
    [("SVC_OTLP_ENDPOINT", "collector:4318"), ("SVC_OTLP_HEADERS", "nothing"), ("SVC_TRACE_SAMPLE", "2")],
)
def test_wrong_settings_are_refused(name: str, text: str) -> None:
    with pytest.raises(SettingsError, match=name):
        parse_settings({name: text})
