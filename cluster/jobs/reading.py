"""One worker of a bulk job: items in, outputs and records written, records out. In a sandbox, like the service reads.

Constructed by values on the worker; knows Ray Data only by the shape of its batches.
"""

import hashlib
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from cluster.cli.extract_formats import EXTRACT_FORMATS, Extracted
from cluster.jobs.folders import Folder
from cluster.jobs.ledger import Item, Record, place, write_record
from models.cdom.errors import ErrorCode
from models.cdom.original import ReadOptions
from models.cdom.ports import ReadOutcome, RecognisePages

DOCUMENTS_PER_CHILD = 64


class ItemReader:
    """`read_item` never raises for a document. Close it, or let its process end."""

    def __init__(
        self, output: str, formats: Sequence[str], options: ReadOptions, make_recogniser: Callable[[], RecognisePages]
    ) -> None:
        from actors.reading import DocumentReader
        from actors.sandbox.limits import SandboxLimits

        self._output = Folder(output, make=True)
        self._formats, self._options, self._make_recogniser = formats, options, make_recogniser
        self._roots: dict[str, Folder] = {}
        self._recogniser: RecognisePages | None = None
        self._reader = DocumentReader(SandboxLimits(), documents_per_child=DOCUMENTS_PER_CHILD)
        self._reader.start()

    def close(self) -> None:
        self._reader.close()

    def read_item(self, item: Item) -> Record:
        """Outputs first, the record last: what is recorded is whole."""
        record = self._read(item)
        write_record(self._output, record)
        return record

    def _read(self, item: Item) -> Record:
        try:
            if item.root not in self._roots:
                self._roots[item.root] = Folder(item.root)
            data = self._roots[item.root].read(item.name)
        except Exception:  # gone, forbidden, or a store's own error
            return Record(key=item.key, name=item.name, error=ErrorCode.ORIGINAL_MISSING.value)
        seen = Record(key=item.key, name=item.name, sha256=hashlib.sha256(data).hexdigest(), bytes=len(data))
        try:
            outcome = self._outcome(data)
            if outcome.error is not None or outcome.tree is None:
                return replace(seen, error=str(outcome.error or ErrorCode.INTERNAL))
            outputs = self._write(item, outcome)
        except Exception:  # a full disk, a bug in an export: this document's trouble
            return replace(seen, error=ErrorCode.INTERNAL.value)
        return replace(seen, pages=len(outcome.tree.pages), outputs=outputs)

    def _outcome(self, data: bytes) -> ReadOutcome:
        from actors.recognise import recognise_document

        with tempfile.TemporaryFile() as original:
            original.write(data)
            original.seek(0)
            read = self._reader.read_until_pixels(original, self._options)
        if isinstance(read, ReadOutcome):
            return read
        if self._recogniser is None:
            self._recogniser = self._make_recogniser()
        return recognise_document(read, self._recogniser)

    def _write(self, item: Item, outcome: ReadOutcome) -> tuple[str, ...]:
        assert outcome.tree is not None
        read = Extracted(tree=outcome.tree, tree_json=outcome.tree_json, name=item.name)
        names = []
        for wanted in self._formats:
            suffix, write = EXTRACT_FORMATS[wanted]
            names.append(place(wanted, item.key, suffix))
            self._output.write(names[-1], write(read))
        return tuple(names)


def make_cpu_recogniser(langs: tuple[str, ...]) -> RecognisePages:
    """The CPU recogniser, in this process."""
    from actors.recogniser import Recogniser
    from models.neural.ocr import make_recogniser

    return Recogniser(lambda: make_recogniser(langs=langs))


class ReadBatches:
    """What Ray Data keeps in an actor: a batch of items to a batch of records (columns of lists)."""

    def __init__(self, output: str, formats: Sequence[str], options: ReadOptions) -> None:
        self._reader = ItemReader(output, formats, options, lambda: make_cpu_recogniser(options.ocr_langs))

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[Any]]:
        rows = zip(batch["root"], batch["name"], batch["key"], strict=True)
        records = [self._reader.read_item(Item(root=str(r), name=str(n), key=str(k))) for r, n, k in rows]
        return {
            "key": [record.key for record in records],
            "pages": [record.pages for record in records],
            "error": [record.error or "" for record in records],
        }
