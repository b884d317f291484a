"""GET /v1/search: passages of the caller's published documents, by meaning, by words, or by both."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Annotated, Any

from fastapi import Depends, Query
from starlette.responses import Response

from quire.models.cdom.search import SearchHit, SearchMode, SearchRequest
from quire.serve_apps.access.operations import Operations
from quire.serve_apps.access.scopes import READ
from quire.serve_apps.api.context.deps import Call, CallDep, check_document_id, check_job_id
from quire.serve_apps.api.documents.published import Redacted
from quire.serve_apps.api.documents.redacted_hits import redact_hits, scan_hits
from quire.serve_apps.api.http.refusals import SearchNotConfigured
from quire.serve_apps.api.shapes.bodies import SearchHitBody
from quire.serve_apps.api.shapes.principals import AskedPrincipals
from quire.serve_apps.api.shapes.rendering import json_response
from quire.storage.values.errors import NotFound

router = Operations("search")
MAX_QUERY_CHARS = 4096  # characters of a question; the embedder reads the first few hundred words
Q = Annotated[
    str, Query(min_length=1, max_length=MAX_QUERY_CHARS, description="Question or words. There are no operators.")
]
Limit = Annotated[int, Query(ge=1, le=1000)]
MinScore = Annotated[
    float | None, Query(allow_inf_nan=False, description="Minimum score, in the unit of the hit's mode.")
]
Type = Annotated[
    str | None,
    Query(min_length=1, max_length=40, pattern=r"^[a-z0-9]+$", description="Format of the documents, such as pdf."),
]
Since = Annotated[
    datetime | None, Query(description="Documents uploaded at this time or later. The default time zone is UTC.")
]
Until = Annotated[
    datetime | None, Query(description="Documents uploaded before this time. The default time zone is UTC.")
]
Language = Annotated[
    str | None,
    Query(pattern=r"^[a-z]{2,3}$", description="Only passages in this language (ISO 639), such as en or de."),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuery:
    """The query parameters of a search."""

    q: Q
    limit: Limit = 5
    document_id: str | None = None
    job_id: str | None = None
    mode: SearchMode = SearchMode.VECTOR
    min_score: MinScore = None
    type: Type = None
    since: Since = None
    until: Until = None
    language: Language = None
    principals: AskedPrincipals = None

    def request(self, call: Call) -> SearchRequest:
        """Return the request in the caller's organisation. Raises NotFound for a malformed id."""
        return SearchRequest(
            tenant=call.scope.tenant,
            org=call.scope.org,
            q=self.q.encode("utf-8", "replace").decode(),
            limit=self.limit,
            mode=self.mode,
            document_id=check_document_id(self.document_id) if self.document_id is not None else None,
            job_id=check_job_id(self.job_id) if self.job_id is not None else None,
            min_score=self.min_score,
            format=self.type,
            since=self.since,
            until=self.until,
            language=self.language,
            principals=tuple(call.limit_principals(self.principals) or ()),
        )


@router.operation(
    "GET /v1/search",
    "search",
    READ,
    list[SearchHitBody],
    refusals={
        404: "Unknown, deleted, or another tenant's document or job.",
        409: "Search is not configured, or a hit's document has no finished PII scan.",
    },
    principals=True,
)
async def search(query: Annotated[SearchQuery, Depends()], call: CallDep, redacted: Redacted = False) -> Response:
    """Search the caller's documents and return passages, best first. Without `principals` only unrestricted ones.

    fts and hybrid fall back to vector if the keyword index does not exist.
    """
    port = call.running.resources.ports.search
    if port is None:
        raise SearchNotConfigured("SVC_RAG_DB is not set, so there is no search index")
    request = query.request(call)
    async with call.running.searching.entered():
        hits = await port.search(request)
    if hits is None:
        raise NotFound("no such document")
    return json_response(await _shown(call, hits, redacted))


async def _shown(call: Call, hits: list[SearchHit], redacted: bool) -> list[dict[str, Any]]:
    if redacted:
        await scan_hits(call, hits)
        hits = await call.running.disk.run(redact_hits, call, hits)
    return [asdict(hit) for hit in hits]
