"""The MCP server as a client meets it: the official client, over a real pipe and in process, before a real engine."""

import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import CallToolResult, TextContent, TextResourceContents
from mcp_types.version import LATEST_HANDSHAKE_VERSION, LATEST_MODERN_VERSION

from quire.models.cdom.search import SearchHit, SearchMode, SearchRequest
from quire.serve_apps.api.context.resources import Ports
from quire.serve_apps.mcp.server import make_server, open_client
from quire.serve_apps.mcp.tools import _page
from quire.storage.store import Store
from tests.api.harness import PDF, TREE, make_resources, reading
from tests.api.live import listening

ROOT = Path(__file__).resolve().parents[3]
TOOLS = {"parse", "search", "get_chunks", "get_fields", "export_context", "list_tables", "query_tables", "extract"}
IDS = {"job_id": "job_" + "a" * 26, "document_id": "doc_" + "a" * 26}


class OneHit:
    """Returns the same passage for every query."""

    async def search(self, request: SearchRequest) -> list[SearchHit]:
        return [a_hit(request.q)]

    async def check(self) -> float:
        """Always well."""
        return 0.0


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


def piped(url: str, token: str, mode: Any, root: Path) -> Client:
    """`quire mcp` as a client's configuration starts it."""
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "quire.cluster.cli.main", "mcp", "--url", url, "--root", str(root)],
        env={"QUIRE_TOKEN": token, "PATH": "/usr/bin:/bin"},
        cwd=ROOT,
    )
    return Client(command, mode=mode, read_timeout_seconds=60)


@asynccontextmanager
async def here(url: str, root: Path, token: str = "acme-write") -> AsyncIterator[Client]:
    """The server in this process."""
    async with open_client(url, token) as http, Client(make_server(http, "0", root)) as client:
        yield client


def facts(result: Any) -> dict[str, Any]:
    assert isinstance(result, CallToolResult)
    assert not result.is_error, result
    found: dict[str, Any] | None = result.structured_content
    assert found is not None
    return found


def failure(result: Any) -> str:
    assert isinstance(result, CallToolResult)
    assert result.is_error
    assert isinstance(result.content[0], TextContent)
    return result.content[0].text


@pytest.mark.parametrize(("mode", "version"), [("legacy", LATEST_HANDSHAKE_VERSION), ("auto", LATEST_MODERN_VERSION)])
async def test_client_of_either_protocol_lists_tools_and_parses_a_file(
    store: Store, dsn: str, tmp_path: Path, mode: str, version: str
) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(PDF)
    resources = make_resources(store, dsn=dsn, ports=Ports(search=OneHit()))
    with listening(resources) as url, reading(store):
        async with piped(url, "acme-write", mode, tmp_path) as client:
            assert client.protocol_version == version
            tools = (await client.list_tools()).tools
            assert {tool.name for tool in tools} == TOOLS
            assert all(tool.output_schema and tool.description and tool.annotations for tool in tools)
            read = facts(await client.call_tool("parse", {"path": str(path)}))
            assert (read["status"], read["pages"], read["digest"]) == ("succeeded", 1, "Hello")
            ids = {name: read[name] for name in ("job_id", "document_id")}
            chunks = facts(await client.call_tool("get_chunks", ids))
            assert ([one["text"] for one in chunks["items"]], chunks["total"], chunks["next_offset"]) == (
                ["Hello"],
                1,
                None,
            )
            assert facts(await client.call_tool("get_fields", ids))["items"] == []
            digest = facts(await client.call_tool("export_context", ids | {"max_tokens": 50}))
            assert (digest["markdown"], digest["truncated"]) == ("Hello", False)
            assert facts(await client.call_tool("search", {"q": "where?"}))["hits"][0]["text"] == "where?"
            (resource,) = (await client.list_resources()).resources
            assert (resource.name, resource.mime_type) == ("a.pdf", "text/markdown")
            (content,) = (await client.read_resource(resource.uri)).contents
            assert isinstance(content, TextResourceContents)
            assert content.text.strip() == "Hello"


async def test_service_refusal_is_a_readable_tool_result(store: Store, dsn: str, tmp_path: Path) -> None:
    with listening(make_resources(store, dsn=dsn)) as url:
        async with here(url, tmp_path, "wrong") as client:
            assert "401" in failure(await client.call_tool("search", {"q": "x"}))
        async with here(url, tmp_path) as client:
            missing = failure(await client.call_tool("parse", {"path": str(tmp_path / "none.pdf")}))
            assert "No such file or directory" in missing
            assert "404" in failure(await client.call_tool("get_chunks", IDS))
            (tmp_path / "program.exe").write_bytes(b"MZ\x90\0\3 program")
            assert "422" in failure(await client.call_tool("parse", {"path": str(tmp_path / "program.exe")}))
    async with here("http://127.0.0.1:9", tmp_path) as client:
        assert "cannot be reached" in failure(await client.call_tool("search", {"q": "x"}))


@pytest.mark.parametrize(
    "arguments",
    [
        {"job_id": "../../v1/token", "document_id": "doc_" + "a" * 26},
        {"job_id": "job_" + "a" * 26},
        IDS | {"max_tokens": 0},
        IDS | {"max_tokens": "many"},
    ],
)
async def test_arguments_that_do_not_fit_never_reach_the_service(arguments: dict[str, Any], tmp_path: Path) -> None:
    async with here("http://127.0.0.1:9", tmp_path) as client:
        told = failure(await client.call_tool("export_context", arguments))
    assert "cannot be reached" not in told


async def test_an_address_is_fetched_by_the_service_and_not_here(tmp_path: Path) -> None:
    sent: list[Any] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append((request.url.path, json.loads(request.content)))
        return httpx.Response(202, json={"job_id": IDS["job_id"], "status": "queued"})

    transport = httpx.MockTransport(answer)
    async with (
        httpx.AsyncClient(base_url="http://quire.test", transport=transport) as http,
        Client(make_server(http, "0", tmp_path, urls=True)) as client,
    ):
        read = facts(await client.call_tool("parse", {"path": "https://example.org/a.pdf"}))
    assert sent == [("/v1/parse", {"url": "https://example.org/a.pdf"})]
    assert (read["status"], read["job_id"]) == ("running", IDS["job_id"])


@pytest.mark.parametrize(
    ("path", "refusal"),
    [
        ("../secret.txt", "only files in"),
        ("{outside}/secret.txt", "only files in"),
        ("link.txt", "only files in"),
        ("~/secret.txt", "only files in"),
        ("https://example.org/a.pdf?stolen=1", "web addresses are not allowed"),
    ],
)
async def test_files_outside_the_root_and_addresses_are_refused(tmp_path: Path, path: str, refusal: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    (root / "link.txt").symlink_to(tmp_path / "secret.txt")
    async with here("http://127.0.0.1:9", root) as client:
        assert refusal in failure(await client.call_tool("parse", {"path": path.format(outside=tmp_path)}))


async def test_sending_tools_declare_an_open_world(tmp_path: Path) -> None:
    async with here("http://127.0.0.1:9", tmp_path) as client:
        tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools if tool.annotations and tool.annotations.open_world_hint] == ["parse"]


def test_a_long_list_comes_in_pages() -> None:
    items = [{"n": number} for number in range(45)]
    first, last = _page(items, 0, 20), _page(items, 40, 20)
    assert (len(first["items"]), first["total"], first["next_offset"]) == (20, 45, 20)
    assert (last["items"], last["next_offset"]) == (items[40:], None)
    assert _page(items, 99, 20)["items"] == []


async def test_principals_of_the_user_limit_tools_and_resources(store: Store, dsn: str, tmp_path: Path) -> None:
    with listening(make_resources(store, dsn=dsn)) as url:
        async with open_client(url, "acme-write") as sender:
            await sender.post("/v1/ingest", json={"tree": TREE})
            job = (await sender.post("/v1/ingest", json={"tree": TREE}, params={"principals": "hr"})).json()
        closed = {"job_id": job["id"], "document_id": job["documents"][0]["document_id"]}
        for principals, seen in (("user:ann", 1), ("user:ann,hr", 2)):
            async with (
                open_client(url, "acme-write", principals) as service,
                Client(make_server(service, "1", tmp_path)) as client,
            ):
                assert len((await client.list_resources()).resources) == seen
                answer = await client.call_tool("get_chunks", closed)
                assert bool(answer.is_error) is (seen == 1)
