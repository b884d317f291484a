"""Key scopes, `read` ⊂ `write` ⊂ `admin`, and the table of the scope that each operation needs.

The table is keyed by (method, path template). `create_app` refuses to start with a route that has no row here.
"""

from enum import StrEnum


class KeyScope(StrEnum):
    """Rights of a key; each includes the ones before it."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"

    def covers(self, needed: "KeyScope") -> bool:
        """Return whether a key of this scope may do everything that `needed` allows."""
        return _RANK[self] >= _RANK[needed]

    def included(self) -> list[str]:
        """Return the names of this scope and of all that it includes, weakest first."""
        return [scope.value for scope in KeyScope if self.covers(scope)]


_RANK = {KeyScope.READ: 0, KeyScope.WRITE: 1, KeyScope.ADMIN: 2}

DOCUMENT = "/v1/jobs/{job_id}/documents/{document_id}"

OUTPUTS = (
    "/chunks",
    "/fields",
    "/semantics",
    "/tables",
    "/export/html",
    "/export/docx",
    "/export/markdown",
    "/export/graph",
    "/export/context",
)
"""Everything computed from one document's tree."""

REQUIRED: dict[tuple[str, str], KeyScope | None] = {
    ("GET", "/v1/health"): None,
    ("GET", "/v1/token"): None,  # the handler checks its caller: an admin key or a true loopback caller
    ("GET", "/metrics"): None,  # the same
    ("GET", "/v1/stats"): KeyScope.READ,
    ("GET", "/v1/license"): KeyScope.READ,
    ("POST", "/v1/jobs"): KeyScope.WRITE,
    ("POST", "/v1/uploads"): KeyScope.WRITE,
    ("GET", "/v1/jobs"): KeyScope.READ,
    ("GET", "/v1/jobs/{job_id}"): KeyScope.READ,
    ("DELETE", "/v1/jobs/{job_id}"): KeyScope.WRITE,
    ("POST", "/v1/jobs/{job_id}/cancel"): KeyScope.WRITE,
    ("GET", "/v1/jobs/{job_id}/events"): KeyScope.READ,
    ("GET", "/v1/jobs/{job_id}/documents"): KeyScope.READ,
    ("POST", f"{DOCUMENT}/requeue"): KeyScope.WRITE,
    ("GET", "/v1/documents"): KeyScope.READ,
    ("GET", "/v1/documents/tables.parquet"): KeyScope.READ,
    ("GET", "/v1/documents/counts"): KeyScope.READ,
    ("GET", "/v1/documents/{document_id}"): KeyScope.READ,
    ("GET", "/v1/documents/{document_id}/changes"): KeyScope.READ,
    ("PUT", "/v1/documents/{document_id}/principals"): KeyScope.WRITE,
    ("DELETE", "/v1/documents/{document_id}"): KeyScope.WRITE,
    ("GET", "/v1/dead-letters"): KeyScope.READ,
    ("GET", "/v1/search"): KeyScope.READ,
    ("POST", "/v1/sql"): KeyScope.READ,
    ("POST", "/v1/parse"): KeyScope.WRITE,
    ("POST", "/v1/ingest"): KeyScope.WRITE,
    ("GET", f"{DOCUMENT}/tree"): KeyScope.READ,
    ("GET", f"{DOCUMENT}/coverage"): KeyScope.READ,
    **{("GET", DOCUMENT + output): KeyScope.READ for output in OUTPUTS},
    ("GET", f"{DOCUMENT}/export/plugin/{{name}}"): KeyScope.READ,
    ("GET", "/v1/jobs/{job_id}/archive"): KeyScope.READ,
    ("GET", "/v1/archive"): KeyScope.READ,
    ("GET", "/v1/jobs/{job_id}/export/finetune"): KeyScope.READ,
    ("POST", "/v1/compare"): KeyScope.WRITE,
    ("POST", "/v1/evaluate"): KeyScope.WRITE,
    ("POST", "/v1/extract"): KeyScope.WRITE,
    ("GET", f"{DOCUMENT}/extracted"): KeyScope.READ,
    ("POST", "/v1/schemas"): KeyScope.WRITE,
    ("GET", "/v1/schemas"): KeyScope.READ,
    ("GET", "/v1/schemas/{name}"): KeyScope.READ,
    ("DELETE", "/v1/schemas/{name}"): KeyScope.WRITE,
    ("POST", "/v1/schemas/{name}/corrections"): KeyScope.WRITE,
    ("DELETE", "/v1/schemas/{name}/labels"): KeyScope.WRITE,
    ("GET", "/v1/jobs/{job_id}/review"): KeyScope.READ,
    ("POST", "/v1/jobs/{job_id}/review"): KeyScope.WRITE,
    ("GET", "/v1/review"): KeyScope.READ,
    ("GET", "/v1/review/counts"): KeyScope.READ,
    ("POST", f"{DOCUMENT}/blocks/{{block_id}}/review"): KeyScope.WRITE,
    ("DELETE", "/v1/review/{act}"): KeyScope.WRITE,
    ("GET", "/v1/review/documents"): KeyScope.READ,
    ("POST", f"{DOCUMENT}/review"): KeyScope.WRITE,
    ("POST", "/v1/sources"): KeyScope.ADMIN,
    ("GET", "/v1/sources"): KeyScope.ADMIN,
    ("GET", "/v1/sources/{source_id}"): KeyScope.ADMIN,
    ("DELETE", "/v1/sources/{source_id}"): KeyScope.ADMIN,
    ("POST", "/v1/sources/{source_id}/sync"): KeyScope.ADMIN,
    ("GET", "/v1/usage"): KeyScope.READ,
    ("GET", "/v1/audit"): KeyScope.ADMIN,
    ("POST", "/v1/erasure"): KeyScope.ADMIN,
    ("POST", "/v1/webhooks"): KeyScope.ADMIN,
    ("GET", "/v1/webhooks"): KeyScope.ADMIN,
    ("GET", "/v1/webhooks/deliveries"): KeyScope.ADMIN,
    ("DELETE", "/v1/webhooks/{webhook_id}"): KeyScope.ADMIN,
    ("POST", "/v1/webhooks/{webhook_id}/test"): KeyScope.ADMIN,
    ("POST", "/v1/webhooks/{webhook_id}/rotate"): KeyScope.ADMIN,
    ("POST", "/v1/webhooks/{webhook_id}/enable"): KeyScope.ADMIN,
    ("POST", "/v1/webhooks/deliveries/{delivery_id}/redeliver"): KeyScope.ADMIN,
    ("POST", "/v1/targets"): KeyScope.ADMIN,
    ("GET", "/v1/targets"): KeyScope.ADMIN,
    ("GET", "/v1/targets/{target_id}"): KeyScope.ADMIN,
    ("PATCH", "/v1/targets/{target_id}"): KeyScope.ADMIN,
    ("DELETE", "/v1/targets/{target_id}"): KeyScope.ADMIN,
    ("POST", "/v1/targets/{target_id}/backfill"): KeyScope.ADMIN,
    ("GET", "/v1/targets/{target_id}/dead-letters"): KeyScope.ADMIN,
    ("POST", "/v1/targets/{target_id}/retry"): KeyScope.ADMIN,
    ("GET", f"{DOCUMENT}/assets/{{asset_path}}"): KeyScope.READ,
    ("GET", f"{DOCUMENT}/pages/{{page}}"): KeyScope.READ,
    ("GET", f"{DOCUMENT}/pages/{{page}}/flags"): KeyScope.READ,
    ("GET", f"{DOCUMENT}/original"): KeyScope.READ,  # unredacted: the handler requires write
}
"""None: open to callers without a key."""
