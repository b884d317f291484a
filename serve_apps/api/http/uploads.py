"""Uploads on their way to the blob store: read a request into stored originals and fields, without leftover temp files.

Content is written to disk in a thread, a few hundred kilobytes at a time. A small body stays in memory until `store`,
so it costs one thread hop in all, shared with the caller's next work in that thread.
"""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from threading import Lock
from time import monotonic

from fastapi import Request
from starlette.requests import ClientDisconnect

from quire.serve_apps.api.http.multipart import FilePart, PartRules, PartsReader
from quire.serve_apps.api.http.refusals import InvalidUpload, UploadStalled
from quire.serve_apps.api.lanes.bulkhead import Bulkhead
from quire.storage.objects.blobs import Blobs, BlobWriter
from quire.storage.values.rows import StoredBlob

_FLUSH_BYTES = 512 * 1024  # bytes gathered before a thread writes them
_SLOWEST_BYTES_S = 1024  # bytes per second below which an upload is aborted


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file that is stored durably."""

    name: str
    blob: StoredBlob


class Upload:
    """The files and fields of one request. `store` and `abort` block: call them in a thread."""

    def __init__(self, reader: PartsReader, blobs: Blobs) -> None:
        self._reader, self._blobs, self._lock = reader, blobs, Lock()
        self._writers: dict[int, BlobWriter] = {}
        self._stored: dict[int, StoredBlob] = {}
        self._aborted = False

    @property
    def fields(self) -> dict[str, str]:
        """Return the form fields of the upload."""
        return self._reader.fields

    @property
    def heads(self) -> list[bytes]:
        """Return the first bytes of each file."""
        return [file.head for file in self._reader.files]

    def store(self) -> list[StoredFile]:
        """Write what is still in memory, commit every complete file, and list them in the order they were sent."""
        self.flush()
        return [StoredFile(file.name, self._stored[i]) for i, file in enumerate(self._reader.files)]

    def flush(self) -> None:
        """Write what is in memory; commit the files that are complete."""
        with self._lock:
            for i, file in enumerate(self._reader.files):
                if not self._aborted and i not in self._stored:
                    self._write(i, file)
            self._reader.pending_bytes = 0

    def abort(self) -> None:
        """Remove the temp files of uncommitted content. Unreferenced committed blobs are swept later."""
        with self._lock:
            self._aborted = True
            for writer in self._writers.values():
                writer.abort()
            self._writers.clear()

    def _write(self, i: int, file: FilePart) -> None:
        writer = self._writers.get(i)
        if writer is None:
            writer = self._writers[i] = self._blobs.new_writer()
        for data in file.pending:
            writer.write(data)
        file.pending.clear()
        if file.complete:
            self._stored[i] = writer.commit()
            del self._writers[i]


async def receive_upload(request: Request, rules: PartRules, blobs: Blobs, lane: Bulkhead, idle_s: float) -> Upload:
    """Receive the whole upload, with small files still in memory. A failure or disconnect leaves nothing behind.

    Raises:
        UploadTooLarge: A file exceeds its limit.
        BatchTooLarge: The upload has too many files.
        InvalidUpload: The body is malformed.
        UploadStalled: The client sends too slowly.
        ClientDisconnect: The client closed the connection.
    """
    reader = PartsReader(request.headers.get("content-type", ""), rules)
    upload = Upload(reader, blobs)
    try:
        async for data in body_chunks(request, idle_s):
            reader.feed(data)
            if reader.pending_bytes >= _FLUSH_BYTES:
                await lane.run(upload.flush)
        reader.finish()
    except BaseException:
        await asyncio.shield(asyncio.get_running_loop().run_in_executor(None, upload.abort))
        raise
    return upload


async def read_body(request: Request, idle_s: float, *, most: int | None = None) -> bytes:
    """Read a whole body into memory.

    Args:
        request: The request, its body unread.
        idle_s: Seconds without data after which the client is dropped.
        most: Bytes that the body may have; None leaves the limit to the outer layer.

    Raises:
        InvalidUpload: The body is longer than `most`; nothing beyond it is kept.
        UploadStalled: The client sent too little for too long.
        ClientDisconnect: The client has gone.
    """
    body = bytearray()
    async for data in body_chunks(request, idle_s):
        body += data
        if most is not None and len(body) > most:
            raise InvalidUpload("field-too-large", f"a JSON body may have {most} bytes here", "body")
    return bytes(body)


async def body_chunks(request: Request, idle_s: float) -> AsyncIterator[bytes]:
    """Yield the body's chunks.

    Raises:
        UploadStalled: Nothing arrived for `idle_s` seconds, or the rate stayed below the minimum.
        ClientDisconnect: The client closed the connection.
    """
    more, started_at, received = True, monotonic(), 0
    while more:
        try:
            async with asyncio.timeout(idle_s):
                message = await request.receive()
        except TimeoutError:
            raise UploadStalled(f"no data arrived for {idle_s:.0f} s") from None
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        more = message.get("more_body", False)
        if data := message.get("body"):
            received += len(data)
            if received < (monotonic() - started_at - idle_s) * _SLOWEST_BYTES_S:
                raise UploadStalled(f"fewer than {_SLOWEST_BYTES_S} bytes per second arrived")
            yield data
