"""What a read document leaves in an output folder: a file per format, or a row of its block's JSONL or Parquet shard.

`keep` runs side by side for several documents; `close` writes what belongs to the block, the records last. Trouble with
the folder ends the job (it can be run again); trouble with one document is that document's error.
"""

import io
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, BinaryIO, Generic, Protocol, TypeVar, assert_never

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic_core import from_json, to_json

from cluster.cli.documents.extract_formats import EXTRACT_FORMATS, Extracted
from cluster.jobs.work.folders import Folder
from cluster.jobs.work.kinds import Shape
from cluster.jobs.work.ledger import Record, WorkBlock, WorkItem, place, write_records
from models.cdom.errors import ErrorCode
from models.cdom.ports import ReadOutcome

SHARDS = "shards"


T = TypeVar("T")
Outputs = dict[str, bytes]


@dataclass(frozen=True, slots=True)
class Kept(Generic[T]):
    """A document's record and what its block still needs of it (None: nothing)."""

    record: Record
    rest: T | None = None


class Output(Protocol[T]):
    """Where read documents go. What it raises ends the job."""

    def keep(self, item: WorkItem, seen: Record, outcome: ReadOutcome, original: BinaryIO | None) -> Kept[T]: ...
    def close(self, block: WorkBlock, kept: Sequence[Kept[T]]) -> list[Record]: ...


class FolderOutput:
    """`formats` in EXTRACT_FORMATS, in `shape`; `name_of` gives the name that is told of an item."""

    def __init__(
        self,
        folder: Folder,
        formats: Sequence[str],
        shape: Shape,
        name_of: Callable[[WorkItem], str] = lambda item: item.name,
    ) -> None:
        self._folder, self._formats, self._shape, self._name_of = folder, tuple(formats), shape, name_of

    def keep(self, item: WorkItem, seen: Record, outcome: ReadOutcome, original: BinaryIO | None) -> Kept[Outputs]:
        """The document's outputs made and, as files, written. A format that fails is the document's error."""
        seen = replace(seen, name=self._name_of(item))
        if seen.error or outcome.tree is None:
            return Kept(seen)
        read = Extracted(tree=outcome.tree, tree_json=outcome.tree_json, name=seen.name)
        try:
            outputs = {wanted: EXTRACT_FORMATS[wanted][1](read) for wanted in self._formats}
        except Exception:  # a bug in an export
            return Kept(replace(seen, error=ErrorCode.INTERNAL.value))
        seen = replace(seen, pages=len(outcome.tree.pages))
        return Kept(self._write(seen, outputs)) if self._shape is Shape.FILES else Kept(seen, outputs)

    def close(self, block: WorkBlock, kept: Sequence[Kept[Outputs]]) -> list[Record]:
        rows = [one for one in kept if one.rest]
        records = [one.record for one in kept]
        if rows:
            name = f"{SHARDS}/{block.name}.{self._shape.value}"
            self._folder.write(name, self._shard(rows))
            records = [replace(one.record, outputs=(name,)) if one.rest else one.record for one in kept]
        write_records(self._folder, block, records)
        return records

    def _write(self, record: Record, outputs: dict[str, bytes]) -> Record:
        names = {wanted: place(wanted, record.key, EXTRACT_FORMATS[wanted][0]) for wanted in outputs}
        for wanted, data in outputs.items():
            self._folder.write(names[wanted], data)
        return replace(record, outputs=tuple(names.values()))

    def _shard(self, rows: Sequence[Kept[Outputs]]) -> bytes:
        match self._shape:
            case Shape.JSONL:
                return b"".join(map(_json_line, rows))
            case Shape.PARQUET:
                return _parquet(rows, self._formats)
            case Shape.FILES:
                raise ValueError("files have no shard")
            case _:
                assert_never(self._shape)


def _facts(record: Record) -> dict[str, Any]:
    kept = ("key", "name", "sha256", "bytes", "pages")
    return {name: value for name, value in asdict(record).items() if name in kept}


def _json_line(row: Kept[Outputs]) -> bytes:
    """JSON formats as values, others as strings."""
    outputs = {
        name: to_json(from_json(data)) if _is_json(name) else json.dumps(data.decode()).encode()
        for name, data in (row.rest or {}).items()
    }
    head = json.dumps(_facts(row.record)).encode().removesuffix(b"}")
    return head + b"".join(b',"%s":%s' % (name.encode(), data) for name, data in outputs.items()) + b"}\n"


def _is_json(name: str) -> bool:
    return EXTRACT_FORMATS[name][0] == ".json"


def _parquet(rows: Sequence[Kept[Outputs]], formats: Sequence[str]) -> bytes:
    """A row a document: its facts, then a string column per format. The same rows give the same bytes."""
    types = {"key": pa.string(), "name": pa.string(), "sha256": pa.string(), "bytes": pa.int64(), "pages": pa.int64()}
    schema = pa.schema([*types.items(), *((name, pa.large_string()) for name in formats)])
    table = [_facts(row.record) | {name: data.decode() for name, data in (row.rest or {}).items()} for row in rows]
    for row in table:
        row["name"] = row["name"].encode(errors="replace").decode()
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(table, schema=schema), sink, compression="zstd")
    return sink.getvalue()
