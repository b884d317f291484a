"""Convert one file with the engine's HTTP API: parse, then export, in the form of docling-serve's response.

`json_content` is a DoclingDocument built from the tree; `doctags_content` is always null.
"""

import time
from collections.abc import Iterator, Mapping
from typing import Any

import httpx

from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.tree import FURNITURE
from quire.serve_apps.compat.docling_document import make_docling_document
from quire.serve_apps.compat.options import ConvertOptions, OutputFormat
from quire.serve_apps.compat.sources import ConvertSource

_KEYS = ("x-api-key", "authorization", "x-de-org", "x-de-principals")
_KEPT = ("retry-after", "www-authenticate")
_EXPORTS = {OutputFormat.MD: "markdown", OutputFormat.HTML: "html"}


class Refused(Exception):
    """The engine's refusal, passed on unchanged."""

    def __init__(self, answer: httpx.Response) -> None:
        super().__init__(answer.status_code)
        self.status, self.body = answer.status_code, answer.content
        self.media_type = answer.headers.get("content-type", "application/json")
        self.headers = {name: answer.headers[name] for name in _KEPT if name in answer.headers}


class Converter:
    """Client of the engine, shared by all requests of one app."""

    def __init__(self, client: httpx.AsyncClient, wait_s: float) -> None:
        self._client, self._wait_s = client, wait_s

    async def check_key(self, keys: Mapping[str, str]) -> None:
        """Ask the engine about a request's key, before its body is read.

        Args:
            keys: The engine's headers with the caller's key.

        Raises:
            Refused: The engine knows no such key, or its caller sends too much.
            TransportError: The engine did not answer (httpx).
        """
        answer = await self._client.get("/v1/jobs?limit=1", headers=dict(keys))
        if answer.status_code in (401, 429):
            raise Refused(answer)

    async def convert(
        self, headers: Mapping[str, str], source: ConvertSource, options: ConvertOptions
    ) -> dict[str, Any]:
        """Return docling-serve's answer for one file. Raises Refused, `httpx.TransportError`."""
        started_at = time.monotonic()
        keys = keys_of(headers)
        job, tree = await self.parse(keys, source, options.fields)
        return await self._answer(keys, job["id"], job["documents"][0], tree, options, started_at)

    async def submit(
        self, headers: Mapping[str, str], sources: list[ConvertSource], options: ConvertOptions
    ) -> dict[str, Any]:
        """Submit the sources as one job. All must be addresses, or all files. Raises Refused."""
        keys, urls = keys_of(headers), [source.url for source in sources if source.url is not None]
        if urls:
            answer = await self._client.post("/v1/jobs", headers=keys, json={"urls": urls} | options.fields)
        else:
            files = [("files", source.part) for source in sources]
            answer = await self._client.post("/v1/jobs", headers=keys, files=files, data=options.fields)
        return _require_status(answer, 201)

    async def look(self, headers: Mapping[str, str], job_id: str, wait: float) -> dict[str, Any]:
        """Return the job's state, at once or after waiting up to `wait` seconds. Raises Refused."""
        return _require_status(
            await self._client.get(f"/v1/jobs/{job_id}?wait={wait:g}", headers=keys_of(headers)), 200
        )

    async def collect(
        self, headers: Mapping[str, str], job: dict[str, Any], options: ConvertOptions
    ) -> list[dict[str, Any]]:
        """Return an answer for each document of a finished job. Raises Refused."""
        keys, answers = keys_of(headers), []
        for document in job["documents"]:
            started_at, tree = time.monotonic(), None
            if document["status"] == "succeeded":
                path = f"/v1/jobs/{job['id']}/documents/{document['document_id']}/tree"
                tree = _require_status(await self._client.get(path, headers=keys), 200)
            answers.append(await self._answer(keys, job["id"], document, tree, options, started_at))
        return answers

    async def chunk(
        self, headers: Mapping[str, str], source: ConvertSource, options: ConvertOptions
    ) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """Return the document's chunks and its conversion. Raises Refused."""
        started_at, keys = time.monotonic(), keys_of(headers)
        job, tree = await self.parse(keys, source, options.fields)
        document = job["documents"][0]
        answer = await self._answer(keys, job["id"], document, tree, options, started_at)
        if tree is None:
            return [], answer
        path = f"/v1/jobs/{job['id']}/documents/{document['document_id']}/chunks"
        response = await self._client.get(path, headers=keys)
        if response.status_code != 200:
            raise Refused(response)
        return [_chunk(chunk, document["source_file"]) for chunk in response.json()], answer

    async def _answer(
        self, keys: dict[str, str], job_id: str, document: dict[str, Any], tree: dict[str, Any] | None,
        options: ConvertOptions, started_at: float,
    ) -> dict[str, Any]:  # fmt: skip
        name = document["source_file"]
        contents: dict[str, Any] = dict.fromkeys(f"{kind}_content" for kind in OutputFormat)
        if tree is not None:
            ids = job_id, document["document_id"]
            contents |= await self._export(keys, ids, name, tree, options)
        return {
            "document": {"filename": name} | contents,
            "status": _status(document["status"], tree),
            "errors": _errors(document, tree),
            "processing_time": time.monotonic() - started_at,
            "timings": {},
        }

    async def parse(
        self, keys: dict[str, str], source: ConvertSource, fields: dict[str, str]
    ) -> tuple[dict[str, Any], dict[str, Any] | None]:
        """Return the finished job and its document's tree. Raises Refused."""
        path = f"/v1/parse?timeout_s={self._wait_s}"
        if source.url is not None:
            answer = await self._client.post(path, headers=keys, json={"url": source.url} | fields)
        else:
            files = {"file": source.part}
            answer = await self._client.post(path, headers=keys, files=files, data=fields)
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
                params = {"page_break": options.page_break} if kind is OutputFormat.MD and options.page_break else {}
                answer = await self._client.get(path, headers=keys, params=params)
                if answer.status_code != 200:
                    raise Refused(answer)
                contents[f"{kind}_content"] = answer.text
        if OutputFormat.TEXT in options.formats:
            contents["text_content"] = text_of(tree)
        if OutputFormat.JSON in options.formats:
            contents["json_content"] = make_docling_document(tree, name)
        return contents


def keys_of(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers that identify the caller, to pass on unchanged."""
    return {key: headers[key] for key in _KEYS if key in headers}


def _require_status(answer: httpx.Response, status: int) -> dict[str, Any]:
    if answer.status_code != status:
        raise Refused(answer)
    body: dict[str, Any] = answer.json()
    return body


def _chunk(chunk: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a chunk in docling-serve's form."""
    first, last = chunk["pages"]
    return {
        "filename": name,
        "chunk_index": chunk["index"],
        "text": chunk["text"],
        "raw_text": chunk["text"],
        "num_tokens": chunk["tokens"],
        "headings": chunk["section_path"] or None,
        "captions": None,
        "doc_items": chunk["block_ids"],
        "page_numbers": list(range(first, last + 1)),
        "metadata": {"origin": {"filename": name}},
    }


def text_of(tree: dict[str, Any]) -> str:
    """Return the visible text in reading order, without running headers and footers; tables as lines of cells."""
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
    text = f"The conversion takes longer than the time limit. It continues as job {job_id}."
    return httpx.Response(504, json={"detail": text, "job_id": job_id})
