"""One stretch per request: begun at the outer layer, named by the route's template, its context left for what follows.

Only the method, the template, the status and our request id are noted: no path, no query, no header, no body.
"""

from collections.abc import MutableMapping
from typing import Any

from models.cdom.tracing import Tracer, TraceSpan, TraceSpanKind

CONTEXT = "traceparent"
_QUIET = frozenset({"/v1/health", "/metrics"})  # asked every few seconds, for ever


def begin_request(tracer: Tracer, scope: MutableMapping[str, Any]) -> TraceSpan | None:
    """The stretch of this request, below the caller's own trace where one was sent."""
    if scope["path"] in _QUIET:
        return None
    sent = [value for name, value in scope["headers"] if name == b"traceparent"]
    parent = sent[0].decode("latin-1") if len(sent) == 1 else None
    stretch = tracer.begin(
        scope["method"], parent, kind=TraceSpanKind.SERVER, facts={"http.request.method": scope["method"]}
    )
    scope[CONTEXT] = stretch.context
    return stretch


def end_request(stretch: TraceSpan, scope: MutableMapping[str, Any], status: int) -> None:
    """Ends it; an answer of 500 and above is an error."""
    template = getattr(scope.get("route"), "path", None)
    if template is not None:
        stretch.rename(f"{scope['method']} {template}")
        stretch.note("http.route", template)
    stretch.note("http.response.status_code", status)
    stretch.note("quire.request_id", scope["request_id"])
    stretch.end(str(status) if status >= 500 else None)
