"""The async client: the generated operations, and hand-written uploads, waiting and progress."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, Unpack, overload

from quire_client import types
from quire_client.answers import EventReader, is_result, refusal_of, with_tree
from quire_client.async_operations import AsyncOperations
from quire_client.calls import SCAN_RUNNING, SCANS_S, Call, FinetuneOptions, JobEvent, fill, finetune_call
from quire_client.client import ENDED, LONGEST_WAIT_S
from quire_client.documents.document import Document, Markdown
from quire_client.documents.hits import Hits
from quire_client.documents.values import M, ModelClass, Values
from quire_client.errors import DocumentFailed, WaitTimeout
from quire_client.uploads import (
    ExtractOptions,
    FileLike,
    Files,
    Ocr,
    TableParts,
    extraction,
    form_fields,
    submission,
)


class AsyncClient(AsyncOperations):
    """`AsyncClient("http://127.0.0.1:8000", "KEY")`; use it in an `async with` block or await `close()`.

    Missing arguments come from QUIRE_URL and QUIRE_TOKEN. Cancelling the task cancels the request.
    """

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def create_job(
        self,
        files: FileLike | Sequence[FileLike],
        *,
        pages: str | None = None,
        password: str | None = None,
        ocr: Ocr | None = None,
        table_parts: TableParts | None = None,
        words: bool | None = None,
        metadata: Mapping[str, Any] | None = None,
        extract_schema: Mapping[str, Any] | None = None,
        principals: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> types.Job:
        """Queue one or more files; paths are streamed. A repeated send after a lost answer creates no second job."""
        several = list(files) if isinstance(files, list) else [files]
        fields = form_fields(pages, password, ocr, table_parts, metadata, extract_schema, principals, words)
        call = Call[types.Job](
            "POST",
            "/v1/jobs",
            keyed=True,
            idempotency_key=idempotency_key,
            **submission("files", several, fields),  # type: ignore[arg-type]
        )
        return await self._json(call)

    async def parse(
        self,
        file: FileLike,
        *,
        timeout_s: float | None = None,
        pages: str | None = None,
        password: str | None = None,
        ocr: Ocr | None = None,
        table_parts: TableParts | None = None,
        words: bool | None = None,
        metadata: Mapping[str, Any] | None = None,
        extract_schema: Mapping[str, Any] | None = None,
        principals: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> types.Parsed | types.Accepted:
        """Read one file and return its tree; after `timeout_s` (default of the service: 55) only `job_id` and `status`.

        Raises `DocumentFailed` if the file could not be read, so a returned `tree` is never null.
        """
        call = Call[types.Parsed | types.Accepted](
            "POST",
            "/v1/parse",
            query={"timeout_s": timeout_s},
            keyed=True,
            idempotency_key=idempotency_key,
            **submission(
                "file",
                [file],
                form_fields(pages, password, ocr, table_parts, metadata, extract_schema, principals, words),
            ),
        )
        return with_tree(await self._json(call))

    async def read(
        self,
        file: FileLike,
        *,
        timeout_s: float = 600.0,
        pages: str | None = None,
        password: str | None = None,
        ocr: Ocr | None = None,
        redacted: bool = False,
    ) -> Document:
        """Read one file and return it with its pages, tables and Markdown. Raises `DocumentFailed`, `WaitTimeout`.

        The document stays in the service; `delete_job(document.job_id)` removes it.
        """
        job = await self.create_job(file, pages=pages, password=password, ocr=ocr)
        ended = await self.wait(job["id"], timeout_s=timeout_s)
        return await self.open(ended["documents"][0]["document_id"], redacted=redacted)

    async def open(self, document_id: str, *, redacted: bool = False) -> Document:
        """Return a document that the service has read. Raises `DocumentFailed` if it could not be read."""
        facts = await self.get_document(document_id)
        if facts["status"] != "succeeded":
            raise DocumentFailed.of(facts)
        job_id = facts["job_id"]
        tree = await self.get_tree(job_id, document_id, redacted=redacted)
        markdown = await self.export_markdown(job_id, document_id, redacted=redacted)
        return Document(document_id, job_id, facts["source_file"], Markdown(markdown), tree)

    async def find(self, query: str, *, limit: int = 5, mode: types.SearchMode = "hybrid") -> Hits:
        """Search all documents and return the hits as objects; a notebook shows them with their matches marked."""
        return Hits.of(await self.search(query, limit=limit, mode=mode))

    async def compare(self, a: FileLike, b: FileLike) -> types.TreeDiff:
        """Return the changes from `a` to `b`; nothing is stored."""
        parts = Files([("a", a), ("b", b)])
        return await self._json(Call[types.TreeDiff]("POST", "/v1/compare", repeatable=True, parts=parts))

    async def evaluate(self, files: Sequence[FileLike]) -> types.QualityReport:
        """Report how well each file can be read; nothing is stored."""
        parts = Files([("files", file) for file in files])
        return await self._json(Call[types.QualityReport]("POST", "/v1/evaluate", repeatable=True, parts=parts))

    async def evaluate_html(self, files: Sequence[FileLike]) -> str:
        """Return the report of `evaluate` as one self-contained page."""
        parts = Files([("files", file) for file in files])
        call = Call[str]("POST", "/v1/evaluate", query={"format": "html"}, repeatable=True, parts=parts)
        return await self._text(call)

    @overload
    async def extract(
        self, file: FileLike | Document | None = None, *, schema: ModelClass[M], **options: Unpack[ExtractOptions]
    ) -> Values[M]: ...
    @overload
    async def extract(
        self, file: FileLike | Document | None, schema: ModelClass[M], **options: Unpack[ExtractOptions]
    ) -> Values[M]: ...
    @overload
    async def extract(
        self,
        file: FileLike | Document | None = None,
        schema: Mapping[str, Any] | None = None,
        **options: Unpack[ExtractOptions],
    ) -> types.ExtractedData: ...

    async def extract(
        self,
        file: FileLike | Document | None = None,
        schema: Mapping[str, Any] | ModelClass[M] | None = None,
        **options: Unpack[ExtractOptions],
    ) -> Values[M] | types.ExtractedData:
        """Return the values that a Pydantic class or a JSON Schema describes, from a file or a stored document.

        A class gives `Values` with an instance of it and the evidence as objects; its validation error is raised if the
        document lacks a value that it requires. A JSON Schema gives the JSON of the answer.

        Args:
            file: A file, or a document that `read` or `open` returned.
            schema: A Pydantic class or a JSON Schema.
            options: `schema_name` is a stored schema instead of `schema`, and `document_id` a stored document instead
                of `file`. `engine` llm and auto send texts to the service's language model; `redact` hides personal
                data of a stored document from it. `redacted` extracts from the masked document.
        """
        content = extraction(file, schema, options)
        answer = await self._json(Call[types.ExtractedData]("POST", "/v1/extract", repeatable=True, **content))
        return answer if schema is None or isinstance(schema, Mapping) else Values.of(answer, schema)

    async def stream_job_events(self, job_id: str) -> AsyncIterator[JobEvent]:
        """Yield a job's progress: `job` at every change, `end` once."""
        path = fill("/v1/jobs/{job_id}/events", job_id=job_id)
        async with self._http.stream("GET", path) as response:
            if not response.is_success:
                await response.aread()
                raise refusal_of(response)
            reader = EventReader()
            async for line in response.aiter_lines():
                event = reader.read(line)
                if event is not None:
                    yield event

    async def stream_finetune(self, job_id: str, **options: Unpack[FinetuneOptions]) -> AsyncIterator[dict[str, Any]]:
        """Yield the records of `export_finetune` as they arrive; the same options. Waits for scans of personal data."""
        call = finetune_call(job_id, options)
        deadline = time.monotonic() + SCANS_S
        while True:
            async with self._http.stream(call.method, call.path, params=call.parameters()) as response:
                if is_result(response):
                    async for line in response.aiter_lines():
                        if line:
                            yield json.loads(line)
                    return
                await response.aread()
                refusal = refusal_of(response)
            if refusal.code != SCAN_RUNNING or time.monotonic() > deadline:
                raise refusal
            await asyncio.sleep(refusal.retry_after or 1.0)

    async def wait(
        self,
        job_id: str,
        *,
        timeout_s: float = 600.0,
        on_change: Callable[[types.Job], Awaitable[None] | None] | None = None,
    ) -> types.Job:
        """Return the job once it has ended. `on_change` may be a coroutine. Raises `WaitTimeout` after `timeout_s`."""
        deadline = time.monotonic() + timeout_s
        while True:
            remaining_s = max(0.0, deadline - time.monotonic())
            job = await self.get_job(job_id, wait=min(remaining_s, 2.0 if on_change else LONGEST_WAIT_S))
            if on_change and (pending_call := on_change(job)) is not None:
                await pending_call
            if job["status"] in ENDED:
                return job
            if remaining_s <= 0:
                raise WaitTimeout(f"{job_id} is {job['status']} after {timeout_s:g} s")
