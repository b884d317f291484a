"""Tools of the MCP server: typed functions over the service's HTTP API. The model reads their docstrings.

Long lists are paged, so that one answer does not fill the model's context. Tools raise ToolError with the service's
text.
"""

import asyncio
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import quote

import httpx
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field
from typing_extensions import TypedDict

PARSE_S = 55  # seconds, as the API's own parse waits
LISTED = 100  # documents listed as resources
Id = Annotated[str, Field(pattern=r"^[a-z]+_[a-z2-7]{26}$", description="Returned by parse or search.")]
_SQL = (
    "One SELECT over cells(document_id, source_file, table_id, page, row, col, head, head_path, label, section, title, "
    "text, number, unit, scale, date, cite) or rows(document_id, table_id, row, label, section, title, scale, texts, "
    "numbers, dates, cites by head, as in numbers['Price']). Select cite to get citations."
)
Offset = Annotated[int, Field(ge=0, description="Start of the page: next_offset of the previous page.")]


class Read(TypedDict):
    """A read document. `digest`: content within a budget. `status` running: call again soon with the job_id."""

    job_id: str
    document_id: str | None
    status: str
    pages: int | None
    digest: str


class ToolPage(TypedDict):
    """A page of a list; `next_offset` is null on the last page."""

    items: list[dict[str, Any]]
    total: int
    next_offset: int | None


class Hits(TypedDict):
    """Search hits, best first."""

    hits: list[dict[str, Any]]


class Catalog(TypedDict):
    """A page of tables; `next_offset` is null on the last page."""

    tables: list[dict[str, Any]]
    next_offset: int | None


class QueriedRows(TypedDict):
    """Rows of a query with their columns, and for each row the cells in its `cite` values."""

    columns: list[dict[str, Any]]
    rows: list[list[Any]]
    citations: list[list[dict[str, Any]]]
    truncated: bool


class ValuesFound(TypedDict):
    """Values by the schema; by JSON pointer the evidence of each, and why others are missing."""

    data: dict[str, Any]
    evidence: dict[str, Any]
    missing: dict[str, str]


class Digest(TypedDict):
    """Markdown within the budget; `truncated` if content was left out."""

    markdown: str
    truncated: bool


class Tools:
    """Tools bound to one client of the service.

    Text of a document can make a model call tools, so what `parse` may read is the user's choice.

    Args:
        client: HTTP client of the service.
        root: Folder whose files `parse` may read.
        urls: Whether `parse` may have the service fetch web addresses.
    """

    def __init__(self, client: httpx.AsyncClient, root: Path, *, urls: bool = False) -> None:
        self._client, self._root, self._urls = client, root.resolve(), urls

    async def parse(
        self,
        path: Annotated[str, Field(min_length=1, max_length=4096, description="A local file, or a web address.")],
    ) -> Read:
        """Read a document (PDF, Word, image …): a file in the allowed folder, or an address where that is allowed.

        Returns its ids and a digest of its content.
        """
        answer = await self._send("POST", f"/v1/parse?timeout_s={PARSE_S}", **await self._submission(path))
        body = answer.json()
        if answer.status_code == 202:
            return Read(job_id=body["job_id"], document_id=None, status="running", pages=None, digest="")
        job, document = body["job"], body["job"]["documents"][0]
        if body["tree"] is None:
            raise ToolError(f"the document could not be read: {document['error']}")
        digest = await self.export_context(job["id"], document["document_id"])
        return Read(
            job_id=job["id"],
            document_id=document["document_id"],
            status=document["status"],
            pages=document["pages"],
            digest=digest["markdown"],
        )

    async def search(
        self,
        q: Annotated[str, Field(min_length=1, max_length=8192, description="A question, or words to search for.")],
        limit: Annotated[int, Field(ge=1, le=100, description="Maximum number of hits.")] = 5,
        mode: Annotated[Literal["vector", "fts", "hybrid"], Field(description="Search mode.")] = "vector",
        document_id: Annotated[Id | None, Field(description="Search this document only.")] = None,
    ) -> Hits:
        """Search all documents read so far. Hits carry the ids of job and document, text and place."""
        params = {"q": q, "limit": limit, "mode": mode} | ({"document_id": document_id} if document_id else {})
        return Hits(hits=(await self._send("GET", "/v1/search", params=params)).json())

    async def get_chunks(
        self,
        job_id: Id,
        document_id: Id,
        offset: Offset = 0,
        limit: Annotated[int, Field(ge=1, le=200, description="Maximum number of pieces.")] = 20,
    ) -> ToolPage:
        """Get the document's text in pieces, each with section path and pages."""
        chunks = (await self._send("GET", f"{_document(job_id, document_id)}/chunks")).json()
        return _page(chunks, offset, limit)

    async def get_fields(
        self,
        job_id: Id,
        document_id: Id,
        keys: Annotated[str | None, Field(max_length=2000, description="Comma-separated; all if missing.")] = None,
        offset: Offset = 0,
        limit: Annotated[int, Field(ge=1, le=500, description="Maximum number of values.")] = 100,
    ) -> ToolPage:
        """Get labelled values of the document (invoice number, total, dates) with their positions."""
        params = {"keys": keys} if keys else {}
        fields = (await self._send("GET", f"{_document(job_id, document_id)}/fields", params=params)).json()
        return _page(fields, offset, limit)

    async def export_context(
        self,
        job_id: Id,
        document_id: Id,
        max_tokens: Annotated[int, Field(ge=16, le=100_000, description="The budget.")] = 4000,
    ) -> Digest:
        """Get a digest of the document as Markdown within a token budget."""
        path = f"{_document(job_id, document_id)}/export/context"
        body = (await self._send("GET", path, params={"max_tokens": max_tokens})).json()
        return Digest(markdown=body["markdown"], truncated=bool(body["truncated"]))

    async def list_tables(
        self,
        document_id: Annotated[Id | None, Field(description="Tables of this document only.")] = None,
        offset: Offset = 0,
        limit: Annotated[int, Field(ge=1, le=100, description="Maximum number of tables.")] = 20,
    ) -> Catalog:
        """List the tables of the documents: title, heads with types and units, and the first rows of each.

        Read this before query_tables.
        """
        params: dict[str, str | int] = {"offset": offset, "limit": limit}
        params |= {"document_id": document_id} if document_id else {}
        body = (await self._send("GET", "/v1/sql/catalog", params=params)).json()
        return Catalog(tables=body["tables"], next_offset=body["next_offset"])

    async def query_tables(
        self,
        sql: Annotated[str, Field(min_length=1, max_length=20_000, description=_SQL)],
        document_id: Annotated[Id | None, Field(description="Tables of this document only.")] = None,
        limit: Annotated[int, Field(ge=1, le=500, description="Maximum number of rows.")] = 100,
    ) -> QueriedRows:
        """Answer a read-only SQL query (DuckDB) over the tables of the documents, with the cells that it cites."""
        body: dict[str, Any] = {"sql": sql, "limit": limit} | ({"document_ids": [document_id]} if document_id else {})
        answer = (await self._send("POST", "/v1/sql", json=body)).json()
        return QueriedRows(
            columns=answer["columns"],
            rows=answer["rows"],
            citations=answer["citations"],
            truncated=answer["truncated"],
        )

    async def extract(
        self,
        document_id: Id,
        schema: Annotated[dict[str, Any], Field(description="JSON Schema of an object with the wanted values.")],
    ) -> ValuesFound:
        """Extract values by a JSON Schema from a document. Each value comes with its text, page and confidence."""
        body = {"document_id": document_id, "schema": schema}
        answer = (await self._send("POST", "/v1/extract", json=body)).json()
        return ValuesFound(data=answer["data"], evidence=answer["evidence"], missing=answer["missing"])

    async def list_newest(self) -> list[dict[str, Any]]:
        """List the most recently read documents."""
        params = {"status": "succeeded", "limit": LISTED}
        newest: list[dict[str, Any]] = (await self._send("GET", "/v1/documents", params=params)).json()
        return newest

    async def read_markdown(self, document_id: Id) -> str:
        """Read a whole document as Markdown."""
        document = (await self._send("GET", f"/v1/documents/{quote(document_id, safe='')}")).json()
        place = _document(document["job_id"], document["document_id"])
        return (await self._send("GET", f"{place}/export/markdown")).text

    async def _send(self, method: str, path: str, **more: Any) -> httpx.Response:
        try:
            answer = await self._client.request(method, path, **more)
        except httpx.HTTPError as error:
            raise ToolError(f"the service cannot be reached: {type(error).__name__}") from None
        if answer.status_code >= 300:
            raise ToolError(f"the service answered {answer.status_code}: {_words(answer)}")
        return answer

    async def _submission(self, path: str) -> dict[str, Any]:
        if path.startswith(("http://", "https://")):
            if not self._urls:
                raise ToolError("web addresses are not allowed here; start quire mcp with --urls to allow them")
            return {"json": {"url": path}}
        try:
            name, content = await asyncio.to_thread(self._read, path)
        except OSError as error:
            raise ToolError(f"the file cannot be read: {error.strerror}") from None
        return {"files": {"file": (name, content)}}

    def _read(self, path: str) -> tuple[str, bytes]:
        file = (self._root / Path(path).expanduser()).resolve()
        if not file.is_relative_to(self._root):
            raise ToolError(f"only files in {self._root} are read; start quire mcp with another --root for others")
        return file.name, file.read_bytes()


def _document(job_id: str, document_id: str) -> str:
    return f"/v1/jobs/{job_id}/documents/{document_id}"


def _page(items: list[dict[str, Any]], offset: int, limit: int) -> ToolPage:
    end = offset + limit
    return ToolPage(items=items[offset:end], total=len(items), next_offset=end if end < len(items) else None)


def _words(answer: httpx.Response) -> str:
    """Return the text of the service's error response."""
    try:
        detail = answer.json()["detail"]
    except (ValueError, KeyError, TypeError):
        return ""
    return detail if isinstance(detail, str) else "; ".join(str(entry.get("msg", "")) for entry in detail)
