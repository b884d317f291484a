"""Vectors of a document that is being indexed, kept part by part, so that a restart computes no part again.

A part is a derived file of attempt 0, named by its texts and the model. The files are deleted when the index has the
document, and with the document; the reconciler deletes those of a document that ended otherwise.
"""

import contextlib
import hashlib
from collections.abc import Sequence

import numpy as np

from quire.storage.index.table.entries import Vectors
from quire.storage.objects.artifacts import Artifacts
from quire.storage.values.errors import Conflict, NotFound
from quire.storage.values.rows import DocumentId

UNREAD = 0
"""Number of no attempt: the first one is 1."""


class VectorParts:
    """Parts of any number of documents. `model` names the model and the width of its vectors."""

    def __init__(self, artifacts: Artifacts, model: str, width: int) -> None:
        self._artifacts, self._model, self._width = artifacts, model, width

    def get(self, document_id: str, texts: Sequence[str]) -> Vectors | None:
        """Return the vectors of these texts; None if they are not kept. Raises StoreUnavailable."""
        try:
            kept = self._artifacts.read(DocumentId(document_id), UNREAD, self._name(texts))
        except NotFound:
            return None
        vectors = np.frombuffer(kept, dtype=np.float32)
        return vectors.reshape(-1, self._width) if len(vectors) == len(texts) * self._width else None

    def put(self, document_id: str, texts: Sequence[str], vectors: Vectors) -> None:
        """Keep the vectors of these texts. Raises StoreUnavailable."""
        with contextlib.suppress(Conflict):  # a reader that lost the document keeps equal ones, but for rounding
            self._artifacts.put(DocumentId(document_id), UNREAD, {self._name(texts): vectors.tobytes()})

    def drop(self, document_id: str) -> None:
        """Delete all parts of a document. Raises StoreUnavailable."""
        self._artifacts.delete_attempt(DocumentId(document_id), UNREAD)

    def _name(self, texts: Sequence[str]) -> str:
        said = "\0".join((self._model, *texts)).encode("utf-8", "surrogatepass")
        return f"vectors-{hashlib.sha256(said).hexdigest()}"
