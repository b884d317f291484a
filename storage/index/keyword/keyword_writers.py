"""tantivy's writers, a few of them kept open, and what a chunk is in an index."""

import json
import shutil
from collections import OrderedDict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import tantivy

from storage.index.keyword.analysis import field_of
from storage.index.keyword.keywords import open_index
from storage.index.table.entries import generation_name, split_key
from storage.objects.durable_files import make_folder
from storage.values.errors import StoreUnavailable

HEAP_BYTES = 15_000_000
"""Of one writer: the least tantivy takes per thread."""
OPEN_WRITERS = 4  # indexes open for writing: each holds a buffer of HEAP_BYTES
HEADING_WEIGHT = 3
"""The words of the headings above a chunk count as if they stood in it so many times more."""


class KeywordWriters:
    """Writers by folder: opening one costs as much as ten commits; the least recently used one is closed."""

    def __init__(self) -> None:
        self._open: OrderedDict[Path, tantivy.IndexWriter] = OrderedDict()

    def change(self, folder: Path, *, gone: Iterable[str], fresh: Iterable[dict[str, Any]]) -> None:
        """Generations out, rows in, in one commit. Raises `StoreUnavailable`, and then nothing has changed.

        A writer that met a full disk takes what it is given and writes nothing of it, so it is never asked again.
        """
        try:
            writer = self._writer(folder)
            for name in gone:
                writer.delete_documents_by_term("generation", name)
            for row in fresh:
                writer.add_document(_document(row))
            writer.commit()
        except (OSError, RuntimeError, ValueError) as error:
            self._open.pop(folder, None)
            raise StoreUnavailable(f"keyword index: {type(error).__name__}") from error

    def let_go(self, folder: Path) -> None:
        """The folder's write lock is given back; nothing when it is not open."""
        writer = self._open.pop(folder, None)
        if writer is not None:
            writer.wait_merging_threads()

    def close(self) -> None:
        while self._open:
            self.let_go(next(iter(self._open)))

    def _writer(self, folder: Path) -> tantivy.IndexWriter:
        writer = self._open.get(folder)
        if writer is None:
            while len(self._open) >= OPEN_WRITERS:
                self.let_go(next(iter(self._open)))
            writer = self._open[folder] = open_index(folder).writer(heap_size=HEAP_BYTES, num_threads=1)
        self._open.move_to_end(folder)
        return writer


def build_index(folder: Path, rows: Iterable[dict[str, Any]]) -> None:
    """A new index of these rows in a folder that is not there yet. Raises `StoreUnavailable`; then it is not there."""
    try:
        make_folder(folder)
        writer = open_index(folder, fresh=True).writer(heap_size=HEAP_BYTES * 2, num_threads=1)
        for row in rows:
            writer.add_document(_document(row))
        writer.commit()
        writer.wait_merging_threads()
    except (OSError, RuntimeError, ValueError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise StoreUnavailable(f"keyword index: {type(error).__name__}") from error


def generation_of(row: dict[str, Any]) -> str:
    return generation_name(*split_key(row["key"])[:2])


def _document(row: dict[str, Any]) -> tantivy.Document:
    document = tantivy.Document()
    document.add_text("key", row["key"])
    document.add_text("document", row["document_id"])
    document.add_text("generation", generation_of(row))
    field = field_of(row["language"])
    document.add_text(field, row["text"])
    headings = " ".join(json.loads(row["facts"]).get("section_path", ()))
    for _ in range(HEADING_WEIGHT if headings else 0):
        document.add_text(field, headings)
    kept = {name: row[name] for name in ("chunk_id", "text", "facts", "language")}
    document.add_bytes("row", json.dumps(kept, ensure_ascii=False).encode())
    return document
