"""Submissions that name files instead of carrying them, as JSON: `{"url": …}`, `{"urls": […]}`, `{"upload_ids": […]}`.

The files are fetched before the answer, so a 201 is as durable as for an upload. Addresses follow the rules of
webhooks.
"""

import json
from dataclasses import dataclass
from typing import Any

from fastapi import Request

from quire.models.cdom.original import clean_name
from quire.models.extract.formats.sniffing.signatures import HEAD_BYTES
from quire.serve_apps.api.context.deps import Call
from quire.serve_apps.api.http.refusals import BatchTooLarge, InvalidField, UploadTooLarge, UrlUnreachable
from quire.serve_apps.api.http.strict_json import InvalidJson, parse_object
from quire.serve_apps.api.http.uploads import StoredFile, read_body
from quire.serve_apps.api.intake.direct import read_upload_id, take_file
from quire.storage.objects.blobs import Blobs
from quire.storage.values.errors import UrlRefused
from quire.storage.values.rows import StoredBlob
from quire.storage.webhooks.download import Downloads, DownloadTooLarge
from quire.storage.webhooks.egress import Unreachable

MEDIA_TYPE = "application/json"
MAX_BODY_BYTES = 256 * 1024
"""Bytes of a body that names files: 200 signed addresses of 1,300 characters."""
MAX_VALUES = 20_000  # JSON values of such a body: addresses, and metadata of 16 KiB at its densest
_FILES = frozenset({"url", "urls", "upload_ids"})
_FIELDS = _FILES | {"pages", "password", "ocr", "table_parts", "words", "metadata", "extract_schema", "principals"}


class FetchedUpload:
    """Fetched files in the form of an upload."""

    def __init__(self, fields: dict[str, str]) -> None:
        self.fields = fields
        self.heads: list[bytes] = []
        self._stored: list[StoredFile] = []

    def store(self) -> list[StoredFile]:
        """Return the files; they are stored already."""
        return self._stored

    def abort(self) -> None:
        """Do nothing: unreferenced committed blobs are swept later."""

    def keep(self, name: str, head: bytes, blob: StoredBlob) -> None:
        """Add a fetched file."""
        self.heads.append(head)
        self._stored.append(StoredFile(clean_name(name), blob))


def has_urls(request: Request) -> bool:
    """Return whether the request carries JSON instead of a form."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower() == MEDIA_TYPE


async def fetch_upload(request: Request, call: Call, most: int) -> FetchedUpload:
    """Fetch the files that a JSON body names.

    Raises:
        InvalidUpload: The body is longer than `MAX_BODY_BYTES`.
        InvalidField: The body names no files, or a field is wrong.
        BatchTooLarge: There are more than `most` files.
        UnknownUpload: An upload id is malformed, expired or another tenant's.
        UploadMissing: No file was put at the URL of an upload.
        UploadMismatch: A file has another size or hash than was declared.
        UrlRefused: An address may not be fetched, or this service downloads nothing.
        UrlUnreachable: An address gave no file.
        UploadTooLarge: A file is larger than one file may be.
        Overloaded: Too many downloads of the tenant wait.
    """
    limits = call.running.resources.limits
    named = _read(await read_body(request, limits.upload_idle_s, most=MAX_BODY_BYTES))
    if len(named.urls) + len(named.upload_ids) > most:
        raise BatchTooLarge(f"at most {most} files make one job")
    egress = call.running.resources.download_egress
    if named.urls and egress is None:
        raise UrlRefused("downloads are disabled (SVC_URL_DOWNLOADS=0); send the file itself")
    declared = [read_upload_id(call.store, call.scope, upload_id) for upload_id in named.upload_ids]
    lane, upload = call.running.downloads, FetchedUpload(named.fields)
    for file in declared:
        taken = await lane.run(take_file, call.store, file)
        upload.keep(taken.name, taken.head, taken.blob)
    if egress is not None:
        downloads = Downloads(egress)
        for url in named.urls:
            await lane.run(_fetch, downloads, url, call.store.blobs, upload, limits.max_upload_bytes)
    return upload


def _fetch(downloads: Downloads, url: str, blobs: Blobs, upload: FetchedUpload, max_bytes: int) -> None:
    writer, head = blobs.new_writer(), bytearray()

    def take(piece: bytes) -> None:
        if len(head) < HEAD_BYTES:
            head.extend(piece[: HEAD_BYTES - len(head)])
        writer.write(piece)

    try:
        name = downloads.get(url, take, max_bytes)
        if not head:
            raise UrlUnreachable("the file at this URL is empty")
    except BaseException as error:
        writer.abort()
        if isinstance(error, DownloadTooLarge):
            raise UploadTooLarge("the file at this URL exceeds the size limit") from None
        if isinstance(error, Unreachable):
            raise UrlUnreachable(f"the file could not be fetched: {error.code}") from None
        raise
    upload.keep(name, bytes(head), writer.commit())


@dataclass(frozen=True, slots=True)
class NamedFiles:
    """The files that a body names, and the other fields as a form would carry them."""

    urls: list[str]
    upload_ids: list[str]
    fields: dict[str, str]


def _read(body: bytes) -> NamedFiles:
    try:
        sent = parse_object(body, storable=True, most_values=MAX_VALUES)
    except InvalidJson as error:
        raise InvalidField("url", str(error)) from None
    if unknown := sorted(sent.keys() - _FIELDS):
        raise InvalidField(unknown[0], "unknown field")
    kinds = sent.keys() & _FILES
    names: Any = [sent["url"]] if kinds == {"url"} else sent.get(next(iter(kinds), ""))
    if len(kinds) != 1 or not isinstance(names, list) or not names:
        raise InvalidField("url", "send one URL in url, several in urls, or ids of POST /v1/uploads in upload_ids")
    if not all(isinstance(name, str) for name in names):
        raise InvalidField(kinds.pop(), "expected texts")
    fields = {name: value for name, value in sent.items() if name not in _FILES and value is not None}
    for name in ("metadata", "extract_schema"):
        if isinstance(fields.get(name), dict):
            fields[name] = json.dumps(fields[name])
    if any(not isinstance(value, str) for value in fields.values()):
        raise InvalidField(next(n for n, v in fields.items() if not isinstance(v, str)), "expected a text")
    are_uploads = "upload_ids" in kinds
    return NamedFiles([] if are_uploads else names, names if are_uploads else [], fields)
