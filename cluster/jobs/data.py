"""Quire in your own Ray Data pipelines: `QuireDocuments` loads a corpus, `QuireReader` reads it.

    documents = ray.data.read_datasource(QuireDocuments("scans/"))
    read = documents.map_batches(QuireReader, batch_format="pyarrow", batch_size=16, ...)
    read.write_parquet(str(Path("results").absolute()))

Both need an installed Quire on every node, and no service. docs/bulk.md has the whole program.
"""

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import IO, Any, BinaryIO

import pyarrow as pa
from lance import FragmentMetadata, LanceDataset, LanceOperation
from lance.fragment import write_fragments
from ray.data import DataContext, Datasink
from ray.data.block import Block, BlockAccessor, BlockMetadata
from ray.data.datasource import Datasource, ReadTask, WriteResult

from quire.cluster.cli.documents.extract_formats import EXTRACT_FORMATS
from quire.cluster.compose.redacted import HIDDEN_NAME, redact_outcome
from quire.cluster.jobs.work.blocks import cut_by_bytes
from quire.cluster.jobs.work.folders import FolderUnavailable, absolute_url, open_folder
from quire.cluster.jobs.work.ledger import Record, WorkBlock, WorkItem, find_items, make_key
from quire.cluster.jobs.work.outputs import DATA, Kept, OutputMaker, Outputs, make_table
from quire.cluster.jobs.work.pipeline import BlockReader, as_read
from quire.cluster.jobs.work.vlm_pool import DOCUMENTS_AT_ONCE, VlmAccess, make_bulk_recogniser
from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.cdom.ports import ReadOutcome

__all__ = ["QuireDocuments", "QuireLance", "QuireReader"]
SCHEMA = pa.schema([("path", pa.string()), ("bytes", pa.large_binary())])
"""Columns of QuireDocuments, as `ray.data.read_binary_files` has them; a file that cannot be read has null bytes."""
BLOCK_DOCUMENTS, BLOCK_BYTES = 64, 32 << 20
"""Most documents of a block, and the bytes after which it ends."""


class QuireDocuments(Datasource):  # type: ignore[misc]
    """A Ray Data source: the files below a folder, a single file or `s3://bucket/prefix`, each with its content.

    Large files come first, so that none runs alone at the end. Blocks are loaded while others are read.
    """

    def __init__(self, source: str, *, names: Iterable[str] | None = None) -> None:
        """List the corpus.

        Args:
            source: Folder or file that every node sees, or `s3://bucket/prefix` with the AWS_* variables.
            names: Paths below `source`, if not all.

        Raises:
            NotADirectoryError: The folder does not exist.
        """
        super().__init__()
        self._root, self._items = find_items(absolute_url(source), names)

    def estimate_inmemory_data_size(self) -> int | None:
        """Return the bytes of all files."""
        return sum(item.bytes for item in self._items)

    def get_read_tasks(
        self, parallelism: int, per_task_row_limit: int | None = None, data_context: DataContext | None = None
    ) -> list[ReadTask]:
        """Return one task for each block of files."""
        most = max(1, min(BLOCK_DOCUMENTS, -(-len(self._items) // max(1, parallelism))))
        blocks = cut_by_bytes(self._items, most, BLOCK_BYTES)
        return [self._task(block, per_task_row_limit) for block in blocks]

    def _task(self, items: Sequence[WorkItem], limit: int | None) -> ReadTask:
        root, names = self._root, [item.name for item in items]
        size = sum(item.bytes for item in items)
        metadata = BlockMetadata(num_rows=len(items), size_bytes=size, input_files=None, exec_stats=None)
        return ReadTask(lambda: load_files(root, names), metadata, SCHEMA, per_task_row_limit=limit)


def load_files(root: str, names: Sequence[str]) -> Iterator[Block]:
    """Yield one Arrow table with the files of these names. Raises `FolderUnavailable` if a bucket is away."""
    folder = open_folder(root)
    contents: list[bytes | None] = []
    for name in names:
        content = None
        try:
            content = folder.read(name)
        except FolderUnavailable:
            raise
        except OSError:  # gone or forbidden: the reader says so in the document's row
            pass
        contents.append(content)
    shown = [name.encode(errors="surrogateescape").decode(errors="replace") for name in names]
    yield pa.table([pa.array(shown, pa.string()), pa.array(contents, pa.large_binary())], schema=SCHEMA)


class QuireReader:
    """A callable class for `Dataset.map_batches`: `path` and `bytes` of documents in, a row for each document out.

    The columns are `key`, `name` (the path), `sha256`, `bytes`, `pages`, `error` and `message` (null if it was read),
    and one for each format. Use `batch_format="pyarrow"` or the default.
    """

    def __init__(
        self,
        formats: Sequence[str] = ("tree",),
        *,
        ocr: str = OcrMode.AUTO.value,
        redacted: bool = False,
        schema: str | None = None,
        vlm: VlmAccess | None = None,
    ) -> None:
        """Start the reader's sandbox.

        Args:
            formats: Of `tree`, `markdown`, `html`, `docx`, `chunks`, `fields`, `semantics`, `context`, `graph`.
            ocr: `auto`, `always` or `never`.
            redacted: Mask personal data and hide paths.
            schema: JSON text of a JSON Schema, whose values come in a column `data`.
            vlm: The model pool of `quire.cluster.jobs.work.vlm_pool.start_pool`.

        Raises:
            ValueError: A format is not known.
        """
        unknown = set(formats) - set(EXTRACT_FORMATS)
        if unknown:
            raise ValueError(f"unknown formats {sorted(unknown)}; known are {', '.join(EXTRACT_FORMATS)}")
        self._formats = (*formats, *((DATA,) if schema is not None else ()))
        options = ReadOptions(ocr=OcrMode(ocr))
        self._source = _Batch()
        self._output = _BatchRows(OutputMaker(self._formats, schema), hidden=redacted)
        self._reader = BlockReader(
            self._source, self._output, options, lambda: make_bulk_recogniser(options.ocr_langs, vlm),
            finish=redact_outcome if redacted else as_read,
            recognised_at_once=1 if vlm is None else DOCUMENTS_AT_ONCE,
        )  # fmt: skip

    def __call__(self, batch: pa.Table | Mapping[str, Any]) -> pa.Table:
        """Read the documents of a batch, in its order."""
        paths, contents = [_values(batch[name]) for name in ("path", "bytes")]
        self._source.contents, self._output.paths = contents, paths
        items = [WorkItem(name=str(index), key=make_key(path)) for index, path in enumerate(paths)]
        self._reader.read_block(WorkBlock("batch", tuple(items)))
        return make_table(self._output.rows, self._formats)

    def __del__(self) -> None:
        with suppress(AttributeError):  # the constructor failed
            self._reader.close()


class _Batch:
    """The documents of a batch as `FileSource`, named by their numbers."""

    def __init__(self) -> None:
        self.contents: list[bytes | None] = []

    def open(self, name: str) -> BinaryIO:
        """Return a document as a temporary file. Raises `FileNotFoundError` if it could not be loaded."""
        content = self.contents[int(name)]
        if content is None:
            raise FileNotFoundError(name)
        file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  (the reader closes it)
        file.write(content)
        file.seek(0)
        return file  # type: ignore[return-value]


class _BatchRows:
    """An `JobOutput` that keeps the rows of the last batch."""

    def __init__(self, maker: OutputMaker, *, hidden: bool) -> None:
        self._maker, self._hidden = maker, hidden
        self.paths: list[str] = []
        self.rows: list[Kept[Outputs]] = []

    def keep(self, item: WorkItem, record: Record, outcome: ReadOutcome, original: BinaryIO | None) -> Kept[Outputs]:
        """Make the document's outputs."""
        name = HIDDEN_NAME if self._hidden else self.paths[int(item.name)]
        return self._maker.make(replace(record, name=name), outcome)

    def close(self, block: WorkBlock, kept: Sequence[Kept[Outputs]]) -> list[Record]:
        """Keep the rows."""
        self.rows = list(kept)
        return [row.record for row in kept]


class QuireLance(Datasink[list[str]]):  # type: ignore[misc]
    """A Ray Data sink for a Lance dataset: one commit at the end, so a failed job leaves no row.

    `Dataset.write_lance` of Ray 2.60 does not work with the Lance version of Quire.
    """

    def __init__(self, uri: str, *, storage_options: dict[str, str] | None = None) -> None:
        """Write to a new dataset at `uri`, or add to one that is there."""
        self._uri, self._options = absolute_url(uri), storage_options

    def write(self, blocks: Iterable[Block], ctx: Any) -> list[str]:
        """Write the blocks of one task as fragments and return them as JSON."""
        tables = [BlockAccessor.for_block(block).to_arrow() for block in blocks]
        if not tables:
            return []
        fragments = write_fragments(pa.concat_tables(tables), self._uri, storage_options=self._options)
        return [
            json.dumps([fragment.to_json() for fragment in fragments]),
            tables[0].schema.serialize().to_pybytes().hex(),
        ]

    def on_write_complete(self, write_result: "WriteResult[list[str]]") -> None:
        """Commit the fragments of all tasks."""
        returned = [returned for returned in write_result.write_returns if returned]
        if not returned:
            return
        parts = [part for fragments, _ in returned for part in json.loads(fragments)]
        fragments = [FragmentMetadata.from_json(json.dumps(part)) for part in parts]
        schema = pa.ipc.read_schema(pa.py_buffer(bytes.fromhex(returned[0][1])))
        try:
            version = LanceDataset(self._uri, storage_options=self._options).version
        except ValueError:  # there is no dataset yet
            version = None
        new = LanceOperation.Overwrite(schema, fragments) if version is None else LanceOperation.Append(fragments)
        LanceDataset.commit(self._uri, new, read_version=version, storage_options=self._options)


def _values(column: Any) -> list[Any]:
    return column.to_pylist() if hasattr(column, "to_pylist") else list(column)
