"""The service as an MCP server: eight tools, and documents as resources, built on the official SDK.

The SDK supports every revision of the protocol. The server receives an HTTP client of the service and runs over
standard input and output. A refusal of the service is a result that the model can read; the SDK checks arguments
against the tools' signatures.
"""

from pathlib import Path

import httpx
from mcp.server.mcpserver import MCPServer
from mcp_types import Resource, ToolAnnotations

from quire.serve_apps.mcp.tools import Tools

DOCUMENT_URI = "quire://documents/{document_id}"
MARKDOWN = "text/markdown"
INSTRUCTIONS = (
    "Quire reads documents (PDF, Word, images) into text with positions. Call parse with a file, or search the "
    "documents read before. Then call get_chunks, get_fields or export_context with the returned job_id and "
    "document_id. For figures in tables call list_tables, then query_tables; for values of your choice call extract."
)
LOOKS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
SENDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=True)


class DocumentServer(MCPServer):
    """Lists the newest documents of the service as resources; the list changes while the server runs."""

    def __init__(self, tools: Tools, version: str) -> None:
        super().__init__("quire", title="Quire", instructions=INSTRUCTIONS, version=version, log_level="ERROR")
        self._tools = tools

    async def list_resources(self) -> list[Resource]:
        """List the most recently read documents; all others are available by id."""
        return [
            Resource(
                uri=DOCUMENT_URI.format(document_id=document["document_id"]),
                name=document["source_file"],
                mime_type=MARKDOWN,
                description=f"{document['pages'] or 0} pages, read {document['finished_at']}",
            )
            for document in await self._tools.list_newest()
        ]


def make_server(client: httpx.AsyncClient, version: str, root: Path, *, urls: bool = False) -> MCPServer:
    """Return the server; the caller closes `client`.

    Args:
        client: HTTP client of the service.
        version: Version that the server names.
        root: Folder whose files `parse` may read.
        urls: Whether `parse` may have the service fetch web addresses.
    """
    tools = Tools(client, root, urls=urls)
    server = DocumentServer(tools, version)
    described = server.resource(DOCUMENT_URI, title="A document as Markdown", mime_type=MARKDOWN)
    described(tools.read_markdown)
    for title, run, annotations in (
        ("Read a document", tools.parse, SENDS),
        ("Search documents", tools.search, LOOKS),
        ("Text in pieces", tools.get_chunks, LOOKS),
        ("Labelled values", tools.get_fields, LOOKS),
        ("Digest of a document", tools.export_context, LOOKS),
        ("Tables of documents", tools.list_tables, LOOKS),
        ("SQL over tables", tools.query_tables, LOOKS),
        ("Values by a schema", tools.extract, LOOKS),
    ):
        server.add_tool(run, title=title, annotations=annotations)
    return server


def open_client(url: str, token: str | None, principals: str | None = None) -> httpx.AsyncClient:
    """Return an HTTP client for the service at `url`, an engine or a hosted console.

    `principals`, separated by commas, limit every request; None limits none.
    """
    headers = {"X-API-Key": token} if token else {}
    if principals is not None:
        headers["X-DE-Principals"] = principals
    return httpx.AsyncClient(base_url=url, headers=headers, timeout=90, trust_env=False)
