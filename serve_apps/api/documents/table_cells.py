"""Table cells of documents as Arrow batches, cached, because queries over many documents ask for the same ones."""

from functools import partial

import pyarrow as pa
from pydantic_core import to_json

from quire.models.cdom.tree import Tree
from quire.models.export.tables.catalog import CatalogTable, catalog_tables
from quire.models.export.tables.cells import list_cells
from quire.models.export.tables.files import cell_batch
from quire.serve_apps.api.context.deps import Call
from quire.serve_apps.api.documents.redacting import redact_for
from quire.serve_apps.api.documents.trees import HIDDEN_NAME
from quire.storage.jobs.document_list import ChosenDocument

MOST_KEPT_BYTES = 8 << 20
"""Bytes of one document's cells that are cached."""


def read_cells(call: Call, chosen: ChosenDocument, *, redacted: bool) -> pa.RecordBatch | None:
    """Return the cells of a document, or None if it has no published tree.

    Raises:
        NotFound: The document was deleted meanwhile.
        PiiIncomplete: Redacted cells were requested and the scan of the document is not finished.
    """
    if chosen.tree is None:
        return None
    document, attempt = chosen.document, chosen.tree.attempt
    key = (document.id, attempt)
    if not redacted and (cached := call.running.cells.get(key)) is not None:
        return cached
    tree = call.running.trees.get(call.store, document.id, attempt)
    if redacted:
        tree = redact_for(call.store, document.id, tree)
    name = HIDDEN_NAME if redacted else document.source_file
    batch = call.running.work.run(partial(_cells, document.id, name), tree)
    if not redacted and batch.nbytes <= MOST_KEPT_BYTES:
        call.running.cells.keep(key, batch, batch.nbytes)
    return batch


def read_catalog(call: Call, chosen: ChosenDocument) -> tuple[CatalogTable, ...]:
    """Return the tables of a document for the catalog; none if it has no published tree.

    Raises:
        NotFound: The document was deleted meanwhile.
    """
    if chosen.tree is None:
        return ()
    key = (chosen.document.id, chosen.tree.attempt)
    tables = call.running.catalogs.get(key)
    if tables is None:
        batch = read_cells(call, chosen, redacted=False)
        tables = tuple(catalog_tables(batch.to_pylist())) if batch is not None else ()
        call.running.catalogs.keep(key, tables, len(to_json(tables)))
    return tables


def _cells(document_id: str, name: str, tree: Tree) -> pa.RecordBatch:
    return cell_batch(document_id, name, list_cells(tree))
