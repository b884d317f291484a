"""Files to send: paths are opened and streamed at each send; bytes and open files are sent unchanged."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, Literal, TypeAlias, TypedDict

from quire_client.documents.document import Document
from quire_client.documents.values import ModelClass

FileLike: TypeAlias = str | os.PathLike[str] | IO[bytes] | tuple[str, bytes | IO[bytes]]
"""A path, an address (http://, https://), an open binary file, or `(name, content)`."""
Ocr: TypeAlias = Literal["auto", "always", "never"]
Engine: TypeAlias = Literal["rules", "llm", "auto"]
TableParts: TypeAlias = Literal["joined", "apart"]
"""A table that continues over pages: one table, or one per page."""


class Files:
    """Parts of a multipart body, opened for each send; open files are rewound to their first position."""

    def __init__(self, parts: Sequence[tuple[str, FileLike]]) -> None:
        self._parts = [(part, file, _position(file)) for part, file in parts]

    @contextmanager
    def __call__(self) -> Iterator[Sequence[tuple[str, Any]]]:
        """Open the files and yield the parts; close them at the end."""
        with ExitStack() as opened:
            yield [(part, _open(opened, file, position)) for part, file, position in self._parts]


def submission(part: str, files: Sequence[FileLike], fields: dict[str, str]) -> dict[str, Any]:
    """Return the call's content: files as a form, or addresses (http://, https://) that the service fetches."""
    urls = [file for file in files if isinstance(file, str) and file.startswith(("http://", "https://"))]
    if not urls:
        return {"parts": Files([(part, file) for file in files]), "fields": fields}
    if len(urls) < len(files):
        raise ValueError("files and addresses cannot be sent in one call")
    named: dict[str, Any] = {"urls": urls} if part == "files" else {"url": urls[0]}
    return {"body": named | fields}


class ExtractOptions(TypedDict, total=False):
    """Options of `extract`."""

    schema_name: str | None
    document_id: str | None
    engine: Engine | None
    redact: bool | None
    redacted: bool | None


def extraction(
    source: "FileLike | Document | None",
    schema: "Mapping[str, Any] | ModelClass[Any] | None",
    options: ExtractOptions,
) -> dict[str, Any]:
    """Return the content of a call for extraction: a file as a form, or the id of a stored document as JSON."""
    chosen: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    query = {"redacted": chosen.pop("redacted", None)}
    if isinstance(source, Document):
        chosen["document_id"] = source.id
        source = None
    if (source is None) == ("document_id" not in chosen):
        raise ValueError("pass a file or a document_id")
    if (schema is None) == ("schema_name" not in chosen):
        raise ValueError("pass a schema or a schema_name")
    if schema is not None:
        chosen["schema"] = dict(schema if isinstance(schema, Mapping) else schema.model_json_schema())
    if source is None:
        return {"body": chosen, "query": query}
    if "redact" in chosen:
        raise ValueError("redact needs a document_id")
    if schema is not None:
        chosen["schema"] = json.dumps(chosen["schema"])
    return {"parts": Files([("file", source)]), "fields": chosen, "query": query}


def form_fields(
    pages: str | None,
    password: str | None,
    ocr: Ocr | None,
    table_parts: TableParts | None,
    metadata: Mapping[str, Any] | None,
    extract_schema: Mapping[str, Any] | None = None,
    principals: Sequence[str] | None = None,
    words: bool | None = None,
) -> dict[str, str]:
    """Return the form fields that accompany the files, without missing values."""
    fields = {"pages": pages, "password": password, "ocr": ocr, "table_parts": table_parts}
    fields |= {"metadata": _dumped(metadata), "extract_schema": _dumped(extract_schema)}
    fields["words"] = None if words is None else str(words).lower()
    fields["principals"] = None if principals is None else ",".join(principals)
    return {name: value for name, value in fields.items() if value is not None}


def _dumped(metadata: Mapping[str, Any] | None) -> str | None:
    return None if metadata is None else json.dumps(dict(metadata))


def _open(opened: ExitStack, file: FileLike, position: int) -> tuple[str, Any, str]:
    if isinstance(file, str | os.PathLike):
        path = Path(file)
        return path.name, opened.enter_context(path.open("rb")), "application/octet-stream"
    if isinstance(file, tuple):
        name, content = file
    else:
        name, content = Path(str(getattr(file, "name", "file"))).name, file
    if not isinstance(content, bytes):
        content.seek(position)
    return name, content, "application/octet-stream"


def _position(file: FileLike) -> int:
    content = file[1] if isinstance(file, tuple) else file
    return 0 if isinstance(content, bytes | str | os.PathLike) else content.tell()
