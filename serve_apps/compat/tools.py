"""The tools the MCP server offers: what each takes, and the request to the service it stands for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from serve_apps.compat.schemas import ID, Schema, choice, number, text


class ToolFailed(Exception):
    """What the service refused, in words for the model that called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """`run` gets a client of the service and checked arguments; it gives text."""

    name: str
    description: str
    takes: Mapping[str, Schema]
    required: tuple[str, ...]
    run: Callable[[httpx.Client, dict[str, Any]], str]


def parse(client: httpx.Client, given: dict[str, Any]) -> str:
    """Uploads a local file and gives ids, state and a digest of the content."""
    path = Path(given["path"]).expanduser()
    try:
        with path.open("rb") as file:
            answer = client.post("/v1/parse?timeout_s=55", files={"file": (path.name, file)})
    except OSError as error:
        raise ToolFailed(f"the file cannot be read: {error.strerror}") from None
    body = _json(answer)
    if answer.status_code == 202:
        return f"Still being read: job_id {body['job_id']}. Ask get_chunks or export_context with it in a moment."
    document = body["job"]["documents"][0]
    if body["tree"] is None:
        raise ToolFailed(f"the document could not be read: {document['error']}")
    ids = f"job_id: {body['job']['id']}\ndocument_id: {document['document_id']}\npages: {document['pages']}"
    digest = export_context(client, {"job_id": body["job"]["id"], "document_id": document["document_id"]})
    return f"{ids}\n\n{digest}"


def search(client: httpx.Client, given: dict[str, Any]) -> str:
    """Hits as the service gives them."""
    params: dict[str, Any] = {name: given[name] for name in ("q", "limit", "mode", "document_id") if name in given}
    return _text(client.get("/v1/search", params=params))


def get_chunks(client: httpx.Client, given: dict[str, Any]) -> str:
    return _text(client.get(f"{_document(given)}/chunks"))


def get_fields(client: httpx.Client, given: dict[str, Any]) -> str:
    params = {"keys": given["keys"]} if "keys" in given else {}
    return _text(client.get(f"{_document(given)}/fields", params=params))


def export_context(client: httpx.Client, given: dict[str, Any]) -> str:
    params = {"max_tokens": given.get("max_tokens", 4000)}
    return str(_json(client.get(f"{_document(given)}/export/context", params=params))["markdown"])


_DOCUMENT = {"job_id": ID, "document_id": ID}
_BOTH = ("job_id", "document_id")
TOOLS: Mapping[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            name="parse",
            description="Read a local document (PDF, Word, image). Gives its ids and a digest of the content.",
            takes={"path": text("Path of the file on this machine.")},
            required=("path",),
            run=parse,
        ),
        Tool(
            name="search",
            description="Search all documents read so far. Hits carry the ids of job and document, text and place.",
            takes={
                "q": text("The question or words to look for."),
                "limit": number("How many hits; 5 when absent.", 1, 1000),
                "mode": choice("How to search; vector when absent.", "vector", "fts", "hybrid"),
                "document_id": text("Look in this document only."),
            },
            required=("q",),
            run=search,
        ),
        Tool(
            name="get_chunks",
            description="The document's text in pieces, each with section path and pages.",
            takes=_DOCUMENT,
            required=_BOTH,
            run=get_chunks,
        ),
        Tool(
            name="get_fields",
            description="Labelled values of the document (invoice number, total, dates), with where they stand.",
            takes=_DOCUMENT | {"keys": text("Comma-separated keys; all when absent.")},
            required=_BOTH,
            run=get_fields,
        ),
        Tool(
            name="export_context",
            description="One digest of the document as Markdown within a budget of tokens.",
            takes=_DOCUMENT | {"max_tokens": number("The budget; 4000 when absent.", 16, 1_000_000)},
            required=_BOTH,
            run=export_context,
        ),
    )
}


def _document(given: dict[str, Any]) -> str:
    return f"/v1/jobs/{given['job_id']}/documents/{given['document_id']}"


def _json(answer: httpx.Response) -> Any:
    _text(answer)
    return answer.json()


def _text(answer: httpx.Response) -> str:
    """The body. Raises ToolFailed with what the service says of a refusal."""
    if answer.status_code < 300:
        return answer.text
    try:
        detail = answer.json()["detail"]
    except (ValueError, KeyError, TypeError):
        detail = ""
    words = detail if isinstance(detail, str) else "; ".join(str(entry.get("msg", "")) for entry in detail)
    raise ToolFailed(f"the service answered {answer.status_code}: {words}")
