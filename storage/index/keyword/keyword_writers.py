"""tantivy's writers, a few of them kept open, and the form of a chunk in an index."""

import json
import shutil
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import tantivy

from quire.storage.index.keyword.analysis import field_of
from quire.storage.index.keyword.keywords import open_index
from quire.storage.index.table.entries import generation_name, split_key
from quire.storage.objects.durable_files import make_folder
from quire.storage.values.errors import StoreUnavailable

HEAP_BYTES = 15_000_000
"""Bytes of one writer's buffer: the least that tantivy accepts per thread."""
OPEN_WRITERS = 4  # indexes open for writing: each holds a buffer of HEAP_BYTES
HEADING_WEIGHT = 3
"""Times that the words of the headings above a chunk are added to its own."""


class KeywordWriters:
    """Open writers by folder: opening one costs as much as ten commits, so only the least recently used is closed."""

    def __init__(self) -> None:
        self._open: OrderedDict[Path, tantivy.IndexWriter] = OrderedDict()

    def change(self, folder: Path, *, gone: Mapping[str, Iterable[str]], fresh: Iterable[dict[str, Any]]) -> None:
        """Delete chunks by field and add rows in one commit. Raises `StoreUnavailable`, and then nothing has changed.

        A writer that met a full disk accepts rows and writes none of them, so it is discarded.
        """
        try:
            writer = self._writer(folder)
            for field, words in gone.items():
                for word in words:
                    writer.delete_documents_by_term(field, word)
            for row in fresh:
                writer.add_document(_document(row))
            writer.commit()
        except (OSError, RuntimeError, ValueError) as error:
            self._open.pop(folder, None)
            raise StoreUnavailable(f"keyword index: {type(error).__name__}") from error

    def close_folder(self, folder: Path) -> None:
        """Close the folder's writer, which releases its lock; nothing happens if it is not open."""
        writer = self._open.pop(folder, None)
        if writer is not None:
            writer.wait_merging_threads()

    def close(self) -> None:
        """Close all writers."""
        while self._open:
            self.close_folder(next(iter(self._open)))

    def _writer(self, folder: Path) -> tantivy.IndexWriter:
        writer = self._open.get(folder)
        if writer is None:
            while len(self._open) >= OPEN_WRITERS:
                self.close_folder(next(iter(self._open)))
            writer = self._open[folder] = open_index(folder).writer(heap_size=HEAP_BYTES, num_threads=1)
        self._open.move_to_end(folder)
        return writer


def build_index(folder: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Build an index of these rows in a new folder. Raises `StoreUnavailable`, and then removes the folder."""
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
    """Return the name of a row's generation."""
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
    stored = {name: row[name] for name in ("chunk_id", "text", "facts", "language")}
    document.add_bytes("row", json.dumps(stored, ensure_ascii=False).encode())
    return document
