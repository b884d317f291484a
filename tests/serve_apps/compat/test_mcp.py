"""The MCP server as a client meets it: `quire mcp` over a real pipe, in front of a real engine."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import httpx
import pytest

from models.cdom.search import SearchHit, SearchMode, SearchRequest
from serve_apps.api.resources import Ports
from serve_apps.compat.mcp import INVALID_PARAMS, INVALID_REQUEST, NO_METHOD, PARSE_ERROR, VERSIONS, McpServer
from storage.store import Store
from tests.api.harness import PDF, make_resources, reading
from tests.api.live import listening

ROOT = Path(__file__).resolve().parents[3]


class OneHit:
    """Finds the same passage whatever is asked."""

    async def search(self, request: SearchRequest) -> list[SearchHit]:
        return [a_hit(request.q)]

    async def check(self) -> None:
        """Always well."""


def a_hit(text: str, job_id: str = "job_x", document_id: str = "doc_x") -> SearchHit:
    return SearchHit(
        job_id=job_id,
        document_id=document_id,
        chunk_id="c0",
        score=1.0,
        text=text,
        section_path=(),
        pages=(1, 1),
        block_ids=("b0",),
        bboxes=(),
        source_file="a.pdf",
        mode=SearchMode.VECTOR,
        snippet=text,
        highlights=(),
    )


class Conversation:
    """Writes requests to the server's input and reads its answers, one line each."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process, self._next = process, 0

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._next += 1
        self.tell({"jsonrpc": "2.0", "id": self._next, "method": method, "params": params})
        assert self._process.stdout is not None
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        assert answer["id"] == self._next
        return answer

    def call(self, name: str, **arguments: Any) -> tuple[str, bool]:
        result = self.ask("tools/call", name=name, arguments=arguments)["result"]
        return result["content"][0]["text"], result["isError"]

    def tell(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()


@contextmanager
def talking(url: str, token: str) -> Iterator[Conversation]:
    process = subprocess.Popen(
        [sys.executable, "-m", "cluster.cli.main", "mcp", "--url", url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={"QUIRE_TOKEN": token, "PATH": "/usr/bin:/bin"},
    )
    try:
        yield Conversation(process)
    finally:
        process.communicate(timeout=20)  # closes its input, which ends it
    assert process.returncode == 0


def test_a_client_lists_tools_parses_a_file_and_asks_about_it(store: Store, dsn: str, tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(PDF)
    resources = make_resources(store, dsn=dsn, ports=Ports(search=OneHit()))
    with listening(resources) as url, reading(store), talking(url, "acme-write") as client:
        begun = client.ask("initialize", protocolVersion="2025-03-26", capabilities={}, clientInfo={})
        assert begun["result"]["protocolVersion"] == "2025-03-26"
        client.tell({"jsonrpc": "2.0", "method": "notifications/initialized"})
        tools = {tool["name"] for tool in client.ask("tools/list")["result"]["tools"]}
        assert tools == {"parse", "search", "get_chunks", "get_fields", "export_context"}
        read, failed = client.call("parse", path=str(path))
        assert not failed
        assert "Hello" in read
        ids = dict(line.split(": ") for line in read.splitlines()[:2])
        assert json.loads(client.call("get_chunks", **ids)[0])[0]["text"] == "Hello"
        assert json.loads(client.call("get_fields", **ids)[0]) == []
        assert "Hello" in client.call("export_context", **ids, max_tokens=50)[0]
        assert json.loads(client.call("search", q="where?")[0])[0]["text"] == "where?"
        assert client.call("parse", path=str(tmp_path / "none.pdf")) == (
            "the file cannot be read: No such file or directory",
            True,
        )
        assert client.call("get_chunks", job_id=ids["job_id"], document_id="doc_" + "a" * 26)[1]


def test_a_wrong_token_is_a_result_the_model_can_read(store: Store, dsn: str) -> None:
    with listening(make_resources(store, dsn=dsn)) as url, talking(url, "wrong") as client:
        text, failed = client.call("search", q="x")
    assert failed
    assert "401" in text


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("no json", PARSE_ERROR),
        ("[" * 100_000, PARSE_ERROR),
        ("[]", INVALID_REQUEST),
        ('{"id": 1, "method": "ping"}', INVALID_REQUEST),
        ('{"jsonrpc": "2.0", "id": 1, "method": "nope"}', NO_METHOD),
        ('{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": []}', INVALID_PARAMS),
        ('{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "rm"}}', INVALID_PARAMS),
    ],
)
def test_what_is_no_request_is_answered_with_the_protocols_code(line: str, code: int) -> None:
    answer = McpServer(httpx.Client(), "0").answer(line)
    assert answer is not None
    assert answer["error"]["code"] == code


@pytest.mark.parametrize(
    "arguments",
    [
        {"job_id": "../../v1/token", "document_id": "doc_" + "a" * 26},
        {"job_id": "job_" + "a" * 26},
        {"job_id": "job_" + "a" * 26, "document_id": "doc_" + "a" * 26, "max_tokens": 0},
        {"job_id": "job_" + "a" * 26, "document_id": "doc_" + "a" * 26, "max_tokens": True},
        {"job_id": "job_" + "a" * 26, "document_id": "doc_" + "a" * 26, "more": 1},
        [],
    ],
)
def test_arguments_that_do_not_fit_never_reach_the_service(arguments: object) -> None:
    message = {"name": "export_context", "arguments": arguments}
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": message})
    answer = McpServer(httpx.Client(base_url="http://127.0.0.1:9"), "0").answer(line)
    assert answer is not None
    assert answer["error"]["code"] == INVALID_PARAMS


def test_notifications_get_no_answer_and_an_unknown_revision_the_newest() -> None:
    out = StringIO()
    begin = {"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": {"protocolVersion": "1999-01-01"}}
    lines = [json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled"}), "", json.dumps(begin)]
    McpServer(httpx.Client(), "0").serve(lines, out)
    answers = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [answer["id"] for answer in answers] == ["a"]
    assert answers[0]["result"]["protocolVersion"] == VERSIONS[0]
