"""One trace span per request: started in the outer layer, named by the route's template, parent of inner spans.

It records only the method, the template, the status and the request id: no path, query, header or body.
"""

from collections.abc import MutableMapping
from typing import Any

from opentelemetry.trace import Span, SpanKind

from quire.models.cdom.tracing import Tracing, end_span, traceparent_of

CONTEXT = "traceparent"
_QUIET = frozenset({"/v1/health", "/metrics"})  # polled every few seconds


def begin_request(tracing: Tracing, scope: MutableMapping[str, Any]) -> Span | None:
    """Start the span of this request, as a child of the caller's trace if one was sent; None for quiet paths."""
    if scope["path"] in _QUIET:
        return None
    sent = [value for name, value in scope["headers"] if name == b"traceparent"]
    parent = sent[0].decode("latin-1") if len(sent) == 1 else None
    attributes = {"http.request.method": scope["method"]}
    span = tracing.begin(scope["method"], parent, kind=SpanKind.SERVER, attributes=attributes)
    scope[CONTEXT] = traceparent_of(span)
    return span


def end_request(span: Span, scope: MutableMapping[str, Any], status: int) -> None:
    """End the span. A status of 500 or above marks it as an error."""
    template = getattr(scope.get("route"), "path", None)
    if template is not None:
        span.update_name(f"{scope['method']} {template}")
        span.set_attribute("http.route", template)
    span.set_attribute("http.response.status_code", status)
    span.set_attribute("quire.request_id", scope["request_id"])
    end_span(span, str(status) if status >= 500 else None)
