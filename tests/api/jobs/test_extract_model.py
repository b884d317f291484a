"""Extraction with a language model: a fake endpoint on loopback, its failures, and what is sent to it."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from quire.actors.chat.json_model import MAX_ANSWER_BYTES, JsonModel
from quire.models.derive.schema.model.filling import SURE
from quire.serve_apps.api.context.resources import Ports
from quire.storage.store import Store
from tests.api.harness import TREE, Eyes, Painter, client_of, make_resources, serving
from tests.api.jobs.test_ephemeral import pdf
from tests.api.results.flagging import NAME, flag_names

SCHEMA = {
    "type": "object",
    "properties": {"invoice_number": {"type": "string"}, "owed": {"type": "number"}, "person": {"type": "string"}},
}
TEXTS = ["Invoice Number: INV-7731", f"We ask {NAME} to send 1,204.50 to our bank."]
FILE = ("bill.pdf", pdf(*TEXTS), "application/pdf")


class Model(ThreadingHTTPServer):
    """Answers each call with the next (status, content); keeps the bodies and keys that it got."""

    daemon_threads = True

    def __init__(self, *replies: tuple[int, str | bytes]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.replies, self.bodies, self.keys = list(replies), list[dict[str, Any]](), list[str | None]()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    @property
    def sent(self) -> str:
        """Return the document's part of the last request."""
        return str(self.bodies[-1]["messages"][1]["content"])


class _Handler(BaseHTTPRequestHandler):
    server: Model

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_POST(self) -> None:
        model = self.server
        model.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        model.keys.append(self.headers["Authorization"])
        status, content = model.replies.pop(0) if len(model.replies) > 1 else model.replies[0]
        if isinstance(content, str):
            content = json.dumps({"choices": [{"message": {"content": content}}]}).encode()
        self.send_response(status)
        self.send_header("Location", model.url)
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def modelling(*replies: tuple[int, str | bytes]) -> Iterator[Model]:
    server = Model(*replies)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def told(*entries: tuple[str, str, str]) -> str:
    return json.dumps({"values": [{"field": f, "reference": r, "quote": q} for f, r, q in entries]})


OWED = told(("/owed", "b1", "1,204.50"), ("/person", "b1", NAME))


def resources(store: Store, url: str, **changes: Any) -> Any:
    model = JsonModel(url, "local/model", key="s3cret", timeout_s=3, first_pause_s=0.01)
    return make_resources(store, ports=Ports(render_page=Painter(), read_once=Eyes(), model=model), **changes)


async def send(store: Store, url: str, engine: str) -> Any:
    async with serving(resources(store, url)) as app, client_of(app) as client:
        fields = {"schema": json.dumps(SCHEMA), "engine": engine}
        return await client.post("/v1/extract", files={"file": FILE}, data=fields)


def find_block(sent: str) -> str:
    """Return the number of the text with the amount in a digest."""
    return next(line.split()[0] for line in sent.splitlines() if "1,204.50" in line)


async def test_auto_asks_the_model_for_values_that_rules_leave_or_doubt(store: Store) -> None:
    with modelling((200, OWED)) as model:
        answer = (await send(store, model.url, "auto")).json()
    assert find_block(model.sent) == "b1"
    assert answer["data"] == {"invoice_number": "INV-7731", "owed": 1204.5, "person": NAME}
    assert [answer["evidence"][path]["how"] for path in ("/invoice_number", "/owed")] == ["pair", "model"]
    assert answer["model"]["name"] == "local/model"
    assert answer["model"]["sent_characters"] > len(TEXTS[1])
    assert model.keys == ["Bearer s3cret"]
    assert model.bodies[0]["response_format"]["json_schema"]["strict"] is True
    is_doubted = answer["evidence"]["/invoice_number"]["confidence"] < SURE
    assert ("/invoice_number" in model.sent) == is_doubted


async def test_llm_leaves_the_rules_out(store: Store) -> None:
    with modelling((200, OWED)) as model:
        answer = (await send(store, model.url, "llm")).json()
    assert answer["data"] == {"owed": 1204.5, "person": NAME}
    assert answer["missing"] == {"/invoice_number": "no-label"}


async def test_invented_quote_is_unverified(store: Store) -> None:
    with modelling((200, told(("/owed", "b1", "1,204.51")))) as model:
        answer = (await send(store, model.url, "llm")).json()
    assert answer["missing"]["/owed"] == "unverified"


FAILURES: list[tuple[list[tuple[int, str | bytes]], int, str]] = [
    ([(503, b"")], 503, "model-unavailable"),
    ([(401, b"")], 502, "model-failed"),
    ([(302, b"")], 502, "model-failed"),
    ([(200, b"no json")], 502, "model-failed"),
    ([(200, "no json")], 502, "model-failed"),
    ([(200, b'{"choices": []}')], 502, "model-failed"),
    ([(200, b" " * (MAX_ANSWER_BYTES + 1))], 502, "model-failed"),
]


@pytest.mark.parametrize(("replies", "status", "code"), FAILURES, ids=lambda value: str(value)[:24])
async def test_failures_have_stable_codes_and_auto_falls_back(
    store: Store, replies: list[tuple[int, str | bytes]], status: int, code: str
) -> None:
    with modelling(*replies) as model:
        refused = await send(store, model.url, "llm")
        fallen = (await send(store, model.url, "auto")).json()
    assert (refused.status_code, refused.json()["code"]) == (status, code)
    assert fallen["data"] == {"invoice_number": "INV-7731"}
    assert fallen["model"]["problem"] == code


async def test_endpoint_that_is_down_is_unavailable(store: Store) -> None:
    with modelling((200, OWED)) as model:
        url = model.url
    refused = await send(store, url, "llm")
    assert (refused.status_code, refused.json()["code"]) == (503, "model-unavailable")
    assert "Retry-After" in refused.headers


async def test_busy_endpoint_is_asked_again(store: Store) -> None:
    with modelling((429, b""), (200, OWED)) as model:
        answer = await send(store, model.url, "llm")
    assert answer.json()["data"]["owed"] == 1204.5
    assert len(model.bodies) == 2


async def ingest(client: Any) -> str:
    blocks = [TREE["blocks"][0] | {"text": TEXTS[0]}, TREE["blocks"][1] | {"text": TEXTS[1]}]
    job = (await client.post("/v1/ingest", json={"tree": TREE | {"blocks": blocks}})).json()
    return str(job["documents"][0]["document_id"])


async def test_answer_about_a_stored_document_is_kept_with_it(store: Store) -> None:
    with modelling((200, OWED)) as model:
        async with serving(resources(store, model.url)) as app, client_of(app) as client:
            body = {"document_id": await ingest(client), "schema": SCHEMA, "engine": "auto"}
            first, second = [await client.post("/v1/extract", json=body) for _ in range(2)]
            assert first.content == second.content
            assert len(model.bodies) == 1
            await client.delete(f"/v1/documents/{body['document_id']}")
            assert (await client.post("/v1/extract", json=body)).status_code == 404


async def test_redact_hides_personal_data_from_the_model_only(store: Store) -> None:
    hidden = told(("/person", "b1", "[hidden] [hidden]"))
    with modelling((200, hidden)) as model:
        made = resources(store, model.url, flag_tree=flag_names)
        async with serving(made) as app, client_of(app) as client:
            document = await ingest(client)
            body = {"document_id": document, "schema": SCHEMA, "engine": "llm"}
            answer = (await client.post("/v1/extract", json=body)).json()
            assert NAME not in json.dumps(model.bodies)
            assert answer["data"]["person"] == NAME
            assert answer["model"]["redacted"] is True
            masked = await client.post("/v1/extract?redacted=true", json=body)
            assert NAME not in masked.text + json.dumps(model.bodies)


@pytest.mark.parametrize(("redact", "is_sent"), [(None, False), ("true", False), ("false", True)])
async def test_file_hides_personal_data_from_the_model_by_default(
    store: Store, redact: str | None, is_sent: bool
) -> None:
    mail = "jane.zaq@leak.example"
    file = ("bill.pdf", pdf(TEXTS[0], f"Owed to {mail}: 1,204.50"), "application/pdf")
    with modelling((200, OWED)) as model:
        async with serving(resources(store, model.url)) as app, client_of(app) as client:
            fields = {"schema": json.dumps(SCHEMA), "engine": "llm"} | ({"redact": redact} if redact else {})
            answer = await client.post("/v1/extract", files={"file": file}, data=fields)
        assert answer.status_code == 200, answer.text
        assert (mail in json.dumps(model.bodies)) is is_sent
