"""Outputs of a read document in a folder: a file per format, or a row of its block's JSONL or Parquet shard.

`keep` runs in parallel for several documents; `close` writes the block's own files, the records last. An error of the
folder ends the job (it can be run again); an error of one document is that document's result.
"""

import io
import json
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, Generic, Protocol, TypeVar, assert_never

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic_core import from_json, to_json

from quire.cluster.cli.documents.advice import advise
from quire.cluster.cli.documents.extract_formats import EXTRACT_FORMATS, Extracted, Write, make_data_writer
from quire.cluster.jobs.work.folders import Folder
from quire.cluster.jobs.work.kinds import Shape
from quire.cluster.jobs.work.ledger import Record, WorkBlock, WorkItem, place_by_key, place_by_name, write_records
from quire.models.cdom.errors import ErrorCode
from quire.models.cdom.ports import ReadOutcome

SHARDS = "shards"
DATA = "data"
"""Format of the values by a JSON Schema."""
_BINARY = frozenset({"docx"})
"""Formats that are no text."""
_COLUMNS = {
    "key": pa.string(),
    "name": pa.string(),
    "sha256": pa.string(),
    "bytes": pa.int64(),
    "pages": pa.int64(),
    "error": pa.string(),
    "message": pa.string(),
}
"""Facts of each row of a shard; a failed document has a row too, with its error."""

T = TypeVar("T")
Outputs = dict[str, bytes]


@dataclass(frozen=True, slots=True)
class Kept(Generic[T]):
    """A document's record and the outputs that its block still needs (None: nothing)."""

    record: Record
    outputs: T | None = None


class JobOutput(Protocol[T]):
    """Receiver of read documents. An error that it raises ends the job."""

    def keep(self, item: WorkItem, record: Record, outcome: ReadOutcome, original: BinaryIO | None) -> Kept[T]:
        """Store a document's outputs, or keep them for its block."""

    def close(self, block: WorkBlock, kept: Sequence[Kept[T]]) -> list[Record]:
        """Write the block's own files and return its records."""


class OutputMaker:
    """Makes the outputs of documents in `formats` of EXTRACT_FORMATS.

    With `schema`, the JSON text of a JSON Schema, there is the format `data`.
    """

    def __init__(self, formats: Sequence[str], schema: str | None = None) -> None:
        own = {} if schema is None else {DATA: (".json", make_data_writer(json.loads(schema), is_checked=True))}
        writers: dict[str, tuple[str, Write]] = EXTRACT_FORMATS | own
        self.formats = tuple(formats)
        self._writers = {name: writers[name] for name in self.formats}

    def suffix(self, format_name: str) -> str:
        """Return the suffix of a format's files."""
        return self._writers[format_name][0]

    def make(self, record: Record, outcome: ReadOutcome) -> Kept[Outputs]:
        """Return the outputs of a document. A format that fails is the document's error."""
        if record.error or outcome.tree is None:
            return Kept(record)
        read = Extracted(tree=outcome.tree, tree_json=outcome.tree_json, name=record.name)
        try:
            outputs = {name: write(read) for name, (_, write) in self._writers.items()}
        except Exception:  # a bug in an export
            error = ErrorCode.INTERNAL.value
            return Kept(replace(record, error=error, message=advise(error)))
        return Kept(replace(record, pages=len(outcome.tree.pages)), outputs)


class FolderOutput:
    """Writes outputs in `shape`; `name_of` returns the name to show for an item."""

    def __init__(
        self,
        folder: Folder,
        maker: OutputMaker,
        shape: Shape,
        name_of: Callable[[WorkItem], str] = lambda item: item.name,
    ) -> None:
        self._folder, self._maker, self._shape, self._name_of = folder, maker, shape, name_of

    def keep(self, item: WorkItem, record: Record, outcome: ReadOutcome, original: BinaryIO | None) -> Kept[Outputs]:
        """Make the document's outputs and, as files, write them."""
        kept = self._maker.make(replace(record, name=self._name_of(item)), outcome)
        if self._shape is not Shape.FILES or kept.outputs is None:
            return kept
        return Kept(self._write(item, kept.record, kept.outputs))

    def close(self, block: WorkBlock, kept: Sequence[Kept[Outputs]]) -> list[Record]:
        """Write the block's shard and its records."""
        records = [result.record for result in kept]
        if kept and self._shape is not Shape.FILES:
            name = f"{SHARDS}/{block.name}.{self._shape.value}"
            self._folder.write(name, self._shard(kept))
            records = [replace(record, outputs=(name,)) for record in records]
        write_records(self._folder, block, records)
        return records

    def _write(self, item: WorkItem, record: Record, outputs: Outputs) -> Record:
        names = {}
        for format_name, data in outputs.items():
            suffix = self._maker.suffix(format_name)
            if record.name == item.name:
                names[format_name] = place_by_name(format_name, item.name, item.key, suffix)
            else:  # hidden
                names[format_name] = place_by_key(format_name, item.key, suffix)
            self._folder.write(names[format_name], data)
        return replace(record, outputs=tuple(names.values()))

    def _shard(self, rows: Sequence[Kept[Outputs]]) -> bytes:
        match self._shape:
            case Shape.JSONL:
                return b"".join(map(self._json_line, rows))
            case Shape.PARQUET:
                return _parquet(make_table(rows, self._maker.formats))
            case Shape.FILES:
                raise ValueError("files have no shard")
            case _:
                assert_never(self._shape)

    def _json_line(self, row: Kept[Outputs]) -> bytes:
        """Return a line with JSON formats as values, texts as strings and other files as Base64."""
        outputs = dict.fromkeys(self._maker.formats, b"null")
        for name, data in (row.outputs or {}).items():
            if self._maker.suffix(name) == ".json":
                outputs[name] = to_json(from_json(data))
            else:
                outputs[name] = json.dumps(b64encode(data).decode() if name in _BINARY else data.decode()).encode()
        head = json.dumps(_facts(row.record)).encode().removesuffix(b"}")
        return head + b"".join(b',"%s":%s' % (name.encode(), data) for name, data in outputs.items()) + b"}\n"


def _facts(record: Record) -> dict[str, Any]:
    return {name: getattr(record, name) for name in _COLUMNS}


def make_table(rows: Sequence[Kept[Outputs]], formats: Sequence[str]) -> pa.Table:
    """Return a table with a row for each document: its facts, its error, then a column for each format."""
    types = {name: pa.large_binary() if name in _BINARY else pa.large_string() for name in formats}
    table = [_facts(row.record) | (row.outputs or {}) for row in rows]
    for row in table:
        row["name"] = row["name"].encode(errors="replace").decode()
    return pa.Table.from_pylist(table, schema=pa.schema([*_COLUMNS.items(), *types.items()]))


def _parquet(table: pa.Table) -> bytes:
    """Return the table as Parquet. Same rows give same bytes."""
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd")
    return sink.getvalue()
