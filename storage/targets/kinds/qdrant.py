"""Qdrant target: one collection of points, whose payload is the record."""

from collections.abc import Sequence

from qdrant_client import QdrantClient
from qdrant_client.models import (
    Distance,
    FieldCondition,
    Filter,
    FilterSelector,
    MatchValue,
    PayloadSchemaType,
    PointStruct,
    VectorParams,
)

from quire.storage.targets.contract import TargetRecord, TargetSettings

_PORTS = {"https": 6333, "http": 6333}


class QdrantTarget:
    """Settings: `url`, `collection` (default `quire_chunks`). The secret is the API key."""

    def __init__(self, settings: TargetSettings) -> None:
        self._collection = settings.text("collection", "quire_chunks")
        self._client = QdrantClient(
            url=settings.url("url", _PORTS),
            api_key=settings.secret,
            timeout=int(settings.timeout_s),
            check_compatibility=False,
        )

    def check(self) -> None:
        """Ask whether the collection exists."""
        self._client.collection_exists(self._collection)

    def upsert(self, records: Sequence[TargetRecord]) -> None:
        """Write the points; a missing collection is created with the width of the vectors."""
        if not self._client.collection_exists(self._collection):
            self._create(next((len(record.vector) for record in records if record.vector is not None), None))
        points = [
            PointStruct(
                id=record.id,
                vector={} if record.vector is None else [*map(float, record.vector)],
                payload=record.payload(),
            )
            for record in records
        ]
        self._client.upsert(self._collection, points, wait=True)

    def delete(self, document_id: str, keep_run: str | None) -> None:
        """Delete the document's points, except those of the run to keep."""
        if not self._client.collection_exists(self._collection):
            return
        of_document = [FieldCondition(key="document_id", match=MatchValue(value=document_id))]
        kept = [FieldCondition(key="run", match=MatchValue(value=keep_run))] if keep_run is not None else []
        selector = FilterSelector(filter=Filter(must=[*of_document], must_not=[*kept]))
        self._client.delete(self._collection, selector, wait=True)

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def _create(self, width: int | None) -> None:
        self._client.create_collection(
            self._collection,
            vectors_config={} if width is None else VectorParams(size=width, distance=Distance.COSINE),
        )
        self._client.create_payload_index(self._collection, "document_id", PayloadSchemaType.KEYWORD)
