"""One file through the engine's HTTP: parse, then the exports asked for, as docling-serve's convert response.

`json_content` is a DoclingDocument made of our tree; `doctags_content` is always null.
"""

import time
from collections.abc import Iterator, Mapping
from typing import IO, Any

import httpx

from models.cdom.flags import HIDDEN_TEXT
from models.cdom.tree import FURNITURE
from serve_apps.compat.docling_document import make_docling_document
from serve_apps.compat.options import ConvertOptions, OutputFormat

_KEYS = ("x-api-key", "authorization", "x-de-org")
_KEPT = ("retry-after", "www-authenticate")
_EXPORTS = {OutputFormat.MD: "markdown", OutputFormat.HTML: "html"}


class Refused(Exception):
    """The engine's refusal, to be passed on as it is."""

    def __init__(self, answer: httpx.Response) -> None:
        super().__init__(answer.status_code)
        self.status, self.body = answer.status_code, answer.content
        self.media_type = answer.headers.get("content-type", "application/json")
        self.headers = {name: answer.headers[name] for name in _KEPT if name in answer.headers}


class Converter:
    """Shared by all requests of one app."""

    def __init__(self, client: httpx.AsyncClient, wait_s: float) -> None:
        self._client, self._wait_s = client, wait_s

    async def convert(
        self, headers: Mapping[str, str], name: str, file: IO[bytes], options: ConvertOptions
    ) -> dict[str, Any]:
        """docling-serve's answer for one file. Raises Refused, `httpx.TransportError`."""
        begun = time.monotonic()
        keys = {key: headers[key] for key in _KEYS if key in headers}
        job, tree = await self._parse(keys, name, file, options.fields)
        document = job["documents"][0]
        contents: dict[str, Any] = dict.fromkeys(f"{kind}_content" for kind in OutputFormat)
        if tree is not None:
            ids = job["id"], document["document_id"]
            contents |= await self._export(keys, ids, name, tree, options)
        return {
            "document": {"filename": name} | contents,
            "status": _status(document["status"], tree),
            "errors": _errors(document, tree),
            "processing_time": time.monotonic() - begun,
            "timings": {},
        }

    async def _parse(
        self, keys: dict[str, str], name: str, file: IO[bytes], fields: dict[str, str]
    ) -> tuple[dict[str, Any], dict[str, Any] | None]:
        answer = await self._client.post(
            f"/v1/parse?timeout_s={self._wait_s}", headers=keys, files={"file": (name, file)}, data=fields
        )
        if answer.status_code == 202:
            raise Refused(_too_slow(answer.json()["job_id"]))
        if answer.status_code != 200:
            raise Refused(answer)
        body = answer.json()
        return body["job"], body["tree"]

    async def _export(
        self, keys: dict[str, str], ids: tuple[str, str], name: str, tree: dict[str, Any], options: ConvertOptions
    ) -> dict[str, Any]:
        job_id, document_id = ids
        contents: dict[str, Any] = {}
        for kind, export in _EXPORTS.items():
            if kind in options.formats:
                path = f"/v1/jobs/{job_id}/documents/{document_id}/export/{export}"
                answer = await self._client.get(path, headers=keys)
                if answer.status_code != 200:
                    raise Refused(answer)
                contents[f"{kind}_content"] = answer.text
        if OutputFormat.TEXT in options.formats:
            contents["text_content"] = text_of(tree)
        if OutputFormat.JSON in options.formats:
            contents["json_content"] = make_docling_document(tree, name)
        return contents


def text_of(tree: dict[str, Any]) -> str:
    """The text that is seen, in reading order, without running headers and footers; tables as lines of cells."""
    texts = (_table_text(block["table"]) if block.get("table") else block.get("text", "") for block in _content(tree))
    return "\n\n".join(text for text in texts if text)


def _content(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    seen = [block for block in tree["blocks"] if HIDDEN_TEXT not in block.get("flags", ())]
    return iter([block for block in seen if block["type"] not in FURNITURE] or seen)


def _table_text(table: dict[str, Any]) -> str:
    rows: dict[int, list[str]] = {}
    for cell in table["cells"]:
        rows.setdefault(cell["row"], []).append(cell["text"])
    return "\n".join("\t".join(cells) for cells in rows.values())


def _status(status: str, tree: dict[str, Any] | None) -> str:
    if tree is None:
        return "failure"
    return "success" if status == "succeeded" and not _failed_pages(tree) else "partial_success"


def _errors(document: dict[str, Any], tree: dict[str, Any] | None) -> list[dict[str, str]]:
    if tree is None:
        return [_error(document["error"] or "failed")]
    return [_error(f"page {page['number']} could not be read") for page in _failed_pages(tree)]


def _failed_pages(tree: dict[str, Any]) -> list[dict[str, Any]]:
    return [page for page in tree["pages"] if page.get("status") == "failed"]


def _error(message: str) -> dict[str, str]:
    return {"component_type": "document_backend", "module_name": "quire", "error_message": message}


def _too_slow(job_id: str) -> httpx.Response:
    text = f"The conversion takes longer than this door waits. It goes on as job {job_id}."
    return httpx.Response(504, json={"detail": text, "job_id": job_id})
