"""Basis of loaders for other frameworks: files read by the service, as passages or as one text each."""

import json
import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from quire_client import types
from quire_client.client import Client
from quire_client.errors import DocumentFailed, Invalid, QuireError, TooLarge
from quire_client.uploads import FileLike, Ocr

Split: TypeAlias = Literal["chunk", "document"]
OnError: TypeAlias = Literal["raise", "warn"]
Scalar: TypeAlias = str | int | float
AHEAD = 4
"""Files sent before the first is awaited, so that the service reads while the caller works on earlier texts."""


@dataclass(frozen=True, slots=True)
class LoadedText:
    """One text. `id` is stable for the same document; `metadata` has scalar values only, as vector stores need them."""

    id: str
    text: str
    metadata: dict[str, Scalar]


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """Reading options. `split`: the passages that search uses (`chunk`), or the whole Markdown (`document`).

    `on_error`: `raise` at the first file that cannot be read, or `warn` (`SkippedFile`) and continue with the next.
    """

    split: Split = "chunk"
    pages: str | None = None
    password: str | None = None
    ocr: Ocr | None = None
    redacted: bool = False
    timeout_s: float = 600.0
    on_error: OnError = "raise"


class SkippedFile(UserWarning):
    """A file was skipped because the service could not read it."""


def load_texts(client: Client, sources: Sequence[FileLike], reading: LoadOptions | None = None) -> Iterator[LoadedText]:
    """Yield the texts of all sources in order.

    Raises `DocumentFailed` at the first that cannot be read, unless `reading.on_error` is `warn`.
    """
    reading = reading or LoadOptions()
    sent: deque[tuple[str, str]] = deque()
    for source in sources:
        try:
            job = client.create_job(source, pages=reading.pages, password=reading.password, ocr=reading.ocr)
        except (Invalid, TooLarge) as refused:
            _skip(f"{_name(source)}: {refused}", refused, reading)
            continue
        sent.append((job["id"], _name(source)))
        if len(sent) > AHEAD:
            yield from _texts_of(client, *sent.popleft(), reading)
    while sent:
        yield from _texts_of(client, *sent.popleft(), reading)


def _texts_of(client: Client, job_id: str, source: str, reading: LoadOptions) -> Iterator[LoadedText]:
    job = client.wait(job_id, timeout_s=reading.timeout_s)
    for document in job["documents"]:
        if document["status"] != "succeeded":
            failed = DocumentFailed.of(document)
            _skip(str(failed), failed, reading)
            continue
        facts = _facts(job_id, document, source)
        document_id = document["document_id"]
        if reading.split == "document":
            text = client.export_markdown(job_id, document_id, redacted=reading.redacted)
            yield LoadedText(document_id, text, facts)
            continue
        for chunk in client.get_chunks(job_id, document_id, redacted=reading.redacted):
            yield LoadedText(f"{document_id}/{chunk['id']}", chunk["text"], facts | _place(chunk))


def _skip(text: str, error: QuireError, reading: LoadOptions) -> None:
    """Warn about a file, or raise its error."""
    if reading.on_error == "raise":
        raise error
    warnings.warn(f"skipped {text}", SkippedFile, stacklevel=3)


def _facts(job_id: str, document: types.Document, source: str) -> dict[str, Scalar]:
    facts = {"source": source, "file_name": document["source_file"], "format": document["format"]}
    ids = {"job_id": job_id, "document_id": document["document_id"], "page_count": document["pages"]}
    return {name: value for name, value in (facts | ids).items() if value is not None}


def _place(chunk: types.Chunk) -> dict[str, Scalar]:
    place: dict[str, Scalar] = {"chunk_id": chunk["id"], "boxes": json.dumps(chunk["bboxes"])}
    if chunk["section_path"]:
        place["section"] = " > ".join(chunk["section_path"])
    if chunk["pages"]:
        place |= {"page": chunk["pages"][0], "last_page": chunk["pages"][-1]}
    if chunk["language"]:
        place["language"] = chunk["language"]
    return place


def _name(source: FileLike) -> str:
    if isinstance(source, tuple):
        return source[0]
    return str(getattr(source, "name", source)) if hasattr(source, "read") else str(source)
