"""Clients of other services, unchanged, before our doors; run by `live_frameworks` where they are installed."""

import asyncio
import os
from pathlib import Path

from docling.service_client import DoclingServiceClient
from langchain_mcp_adapters.client import MultiServerMCPClient
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from unstructured_client import UnstructuredClient
from unstructured_client.models import operations, shared

DOOR, TOKEN = os.environ["QUIRE_DOOR"], os.environ["QUIRE_TOKEN"]
TOOLS = {"parse", "search", "get_chunks", "get_fields", "export_context"}


def with_docling() -> None:
    with DoclingServiceClient(DOOR, api_key=TOKEN) as client:
        converted = client.convert("report.pdf")
        assert "Hello" in converted.document.export_to_markdown()
        assert "Hello" in client.submit("report.pdf").result().document.export_to_markdown()


def with_unstructured() -> None:
    client = UnstructuredClient(server_url=DOOR, api_key_auth=TOKEN)
    file = shared.Files(content=Path("report.pdf").read_bytes(), file_name="report.pdf")
    wanted = operations.PartitionRequest(partition_parameters=shared.PartitionParameters(files=file))
    elements = client.general.partition(request=wanted).elements or []
    assert {element["text"] for element in elements} >= {"Hello"}
    assert {element["metadata"]["page_number"] for element in elements} == {1, 3}  # sent in two parts of two pages


async def with_mcp() -> None:
    environment = {name: os.environ[name] for name in ("QUIRE_URL", "QUIRE_TOKEN", "PATH")}
    started = {
        "command": os.environ["QUIRE_PYTHON"],
        "args": ["-m", "quire.cluster.cli.main", "mcp"],
        "transport": "stdio",
    }
    env = environment | {"PYTHONPATH": os.environ["QUIRE_ROOT"]}
    tools = {tool.name: tool for tool in await MultiServerMCPClient({"quire": started | {"env": env}}).get_tools()}
    assert set(tools) == TOOLS
    assert "Hello" in str(await tools["parse"].ainvoke({"path": str(Path("report.pdf").absolute())}))


async def with_mcp_sdk() -> None:
    """The protocol's own client: what a program without a framework uses."""
    environment = {name: os.environ[name] for name in ("QUIRE_URL", "QUIRE_TOKEN", "PATH")}
    env = environment | {"PYTHONPATH": os.environ["QUIRE_ROOT"]}
    started = StdioServerParameters(
        command=os.environ["QUIRE_PYTHON"], args=["-m", "quire.cluster.cli.main", "mcp"], env=env
    )
    async with stdio_client(started) as (reads, writes), ClientSession(reads, writes) as session:
        assert (await session.initialize()).model_dump(by_alias=True)["serverInfo"]["name"] == "quire"
        parsed = await session.call_tool("parse", {"path": str(Path("report.pdf").absolute())})
        assert "Hello" in str(parsed.content)
        (found, *_) = (await session.list_resources()).resources
        assert "Hello" in str((await session.read_resource(found.uri)).contents)


with_docling()
with_unstructured()
asyncio.run(with_mcp())
asyncio.run(with_mcp_sdk())
print("ok")
