"""Outputs of a read document in a folder: a file per format, or a row of its block's JSONL or Parquet shard.

`keep` runs in parallel for several documents; `close` writes the block's own files, the records last. An error of the
folder ends the job (it can be run again); an error of one document is that document's result.
"""

import io
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, BinaryIO, Generic, Protocol, TypeVar, assert_never

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic_core import from_json, to_json

from cluster.cli.documents.extract_formats import EXTRACT_FORMATS, Extracted, Write, make_data_writer
from cluster.jobs.work.folders import Folder
from cluster.jobs.work.kinds import Shape
from cluster.jobs.work.ledger import Record, WorkBlock, WorkItem, place, write_records
from models.cdom.errors import ErrorCode
from models.cdom.ports import ReadOutcome

SHARDS = "shards"
DATA = "data"
"""Format of the values by a JSON Schema; its shards have a row for failed documents too, with their error."""


T = TypeVar("T")
Outputs = dict[str, bytes]


@dataclass(frozen=True, slots=True)
class Kept(Generic[T]):
    """A document's record and the outputs that its block still needs (None: nothing)."""

    record: Record
    outputs: T | None = None


class Output(Protocol[T]):
    """Receiver of read documents. An error that it raises ends the job."""

    def keep(self, item: WorkItem, record: Record, outcome: ReadOutcome, original: BinaryIO | None) -> Kept[T]:
        """Store a document's outputs, or keep them for its block."""

    def close(self, block: WorkBlock, kept: Sequence[Kept[T]]) -> list[Record]:
        """Write the block's own files and return its records."""


class FolderOutput:
    """Writes `formats` of EXTRACT_FORMATS in `shape`; `name_of` returns the name to show for an item.

    With `schema`, the JSON text of a JSON Schema, there is the format `data`.
    """

    def __init__(
        self,
        folder: Folder,
        formats: Sequence[str],
        shape: Shape,
        name_of: Callable[[WorkItem], str] = lambda item: item.name,
        schema: str | None = None,
    ) -> None:
        self._folder, self._formats, self._shape, self._name_of = folder, tuple(formats), shape, name_of
        own = {} if schema is None else {DATA: (".json", make_data_writer(json.loads(schema)))}
        self._writers: dict[str, tuple[str, Write]] = EXTRACT_FORMATS | own

    def keep(self, item: WorkItem, record: Record, outcome: ReadOutcome, original: BinaryIO | None) -> Kept[Outputs]:
        """Make the document's outputs and, as files, write them. A format that fails is the document's error."""
        record = replace(record, name=self._name_of(item))
        if record.error or outcome.tree is None:
            return Kept(record)
        read = Extracted(tree=outcome.tree, tree_json=outcome.tree_json, name=record.name)
        try:
            outputs = {format_name: self._writers[format_name][1](read) for format_name in self._formats}
        except Exception:  # a bug in an export
            return Kept(replace(record, error=ErrorCode.INTERNAL.value))
        record = replace(record, pages=len(outcome.tree.pages))
        return Kept(self._write(record, outputs)) if self._shape is Shape.FILES else Kept(record, outputs)

    def close(self, block: WorkBlock, kept: Sequence[Kept[Outputs]]) -> list[Record]:
        """Write the block's shard and its records."""
        rows = [result for result in kept if result.outputs or DATA in self._formats]
        records = [result.record for result in kept]
        if rows and self._shape is not Shape.FILES:
            name = f"{SHARDS}/{block.name}.{self._shape.value}"
            self._folder.write(name, self._shard(rows))
            records = [replace(result.record, outputs=(name,)) if result.outputs else result.record for result in kept]
        write_records(self._folder, block, records)
        return records

    def _write(self, record: Record, outputs: dict[str, bytes]) -> Record:
        names = {format_name: place(format_name, record.key, self._writers[format_name][0]) for format_name in outputs}
        for format_name, data in outputs.items():
            self._folder.write(names[format_name], data)
        return replace(record, outputs=tuple(names.values()))

    def _shard(self, rows: Sequence[Kept[Outputs]]) -> bytes:
        match self._shape:
            case Shape.JSONL:
                return b"".join(map(self._json_line, rows))
            case Shape.PARQUET:
                return _parquet(rows, self._formats)
            case Shape.FILES:
                raise ValueError("files have no shard")
            case _:
                assert_never(self._shape)

    def _json_line(self, row: Kept[Outputs]) -> bytes:
        """Return a line with JSON formats as values and others as strings."""
        outputs = {
            name: to_json(from_json(data)) if self._writers[name][0] == ".json" else json.dumps(data.decode()).encode()
            for name, data in (row.outputs or {}).items()
        }
        if DATA in self._formats:
            outputs.setdefault(DATA, b"null")
        head = json.dumps(_facts(row.record, self._formats)).encode().removesuffix(b"}")
        return head + b"".join(b',"%s":%s' % (name.encode(), data) for name, data in outputs.items()) + b"}\n"


def _facts(record: Record, formats: Sequence[str]) -> dict[str, Any]:
    copied = ("key", "name", "sha256", "bytes", "pages", *(("error",) if DATA in formats else ()))
    return {name: value for name, value in asdict(record).items() if name in copied}


def _parquet(rows: Sequence[Kept[Outputs]], formats: Sequence[str]) -> bytes:
    """Return a table with a row a document: its facts, then a string column per format. Same rows give same bytes."""
    types = {"key": pa.string(), "name": pa.string(), "sha256": pa.string(), "bytes": pa.int64(), "pages": pa.int64()}
    if DATA in formats:
        types["error"] = pa.string()
    schema = pa.schema([*types.items(), *((name, pa.large_string()) for name in formats)])
    table = [
        _facts(row.record, formats) | {name: data.decode() for name, data in (row.outputs or {}).items()}
        for row in rows
    ]
    for row in table:
        row["name"] = row["name"].encode(errors="replace").decode()
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(table, schema=schema), sink, compression="zstd")
    return sink.getvalue()
