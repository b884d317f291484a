"""OpenSearch target: one index, with a k-NN field where the service has an embedding model."""

from collections.abc import Sequence
from typing import Any

from opensearchpy import OpenSearch
from opensearchpy.exceptions import NotFoundError, RequestError

from quire.storage.targets.contract import RecordRefused, TargetRecord, TargetSettings, TargetUnavailable

_PORTS = {"https": 443, "http": 9200}
_KEYWORDS = ("document_id", "run", "chunk_id", "principals", "language")


class OpenSearchTarget:
    """Settings: `url`, `index` (default `quire-chunks`), `user`. The secret is the user's password."""

    def __init__(self, settings: TargetSettings) -> None:
        self._index = settings.text("index", "quire-chunks")
        user = settings.optional("user")
        self._client = OpenSearch(
            hosts=[settings.url("url", _PORTS)],
            http_auth=(user, settings.secret or "") if user else None,
            timeout=settings.timeout_s,
            max_retries=0,
        )
        self._created = False

    def check(self) -> None:
        """Ask whether the index exists."""
        self._client.indices.exists(index=self._index)

    def upsert(self, records: Sequence[TargetRecord]) -> None:
        """Write the records in one bulk request; a missing index is created with the width of the vectors."""
        self._create(next((len(record.vector) for record in records if record.vector is not None), None))
        lines: list[dict[str, Any]] = []
        for record in records:
            vector = {} if record.vector is None else {"vector": [*map(float, record.vector)]}
            lines += [{"index": {"_index": self._index, "_id": record.id}}, record.payload() | vector]
        answer = self._client.bulk(body=lines)
        for item in answer["items"] if answer["errors"] else ():
            status = item["index"]["status"]
            if status == 429 or status >= 500:
                raise TargetUnavailable(f"http-{status}")
            if status >= 400:
                raise RecordRefused(str(item["index"]["error"].get("type", f"http-{status}")))

    def delete(self, document_id: str, keep_run: str | None) -> None:
        """Delete the document's entries, except those of the run to keep."""
        query: dict[str, Any] = {"filter": [{"term": {"document_id": document_id}}]}
        if keep_run is not None:
            query["must_not"] = [{"term": {"run": keep_run}}]
        try:
            self._client.indices.refresh(index=self._index)  # a deletion by query sees only refreshed entries
            self._client.delete_by_query(index=self._index, body={"query": {"bool": query}}, conflicts="proceed")
        except NotFoundError:
            return

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _create(self, width: int | None) -> None:
        if self._created:
            return
        fields: dict[str, Any] = {name: {"type": "keyword"} for name in _KEYWORDS}
        fields |= {"metadata": {"type": "object", "enabled": False}, "boxes": {"type": "object", "enabled": False}}
        if width is not None:
            fields["vector"] = {"type": "knn_vector", "dimension": width}
        body = {"settings": {"index.knn": width is not None}, "mappings": {"properties": fields}}
        try:
            self._client.indices.create(index=self._index, body=body)
        except RequestError as error:
            if error.error != "resource_already_exists_exception":
                raise
        self._created = True
