"""Traces by OpenTelemetry's own interface: off is its no-op tracer, on is a tracer that the composition hands in.

A span carries names, counts and codes, never content and no file name. What crosses processes is the W3C `traceparent`.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from opentelemetry.context import Context
from opentelemetry.trace import NoOpTracer, Span, SpanKind, Status, StatusCode, Tracer
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

Attributes = Mapping[str, str | int | float | bool]
_PROPAGATOR = TraceContextTextMapPropagator()


@dataclass(frozen=True, slots=True)
class Tracing:
    """A tracer, and what sends its last spans when the process ends. Never raises, never waits for the receiver."""

    tracer: Tracer
    close: Callable[[], None] = lambda: None

    @property
    def on(self) -> bool:
        """Whether spans are recorded; check it before making many."""
        return not isinstance(self.tracer, NoOpTracer)

    def begin(
        self,
        name: str,
        parent: str | None = None,
        *,
        kind: SpanKind = SpanKind.INTERNAL,
        ago_s: float = 0.0,
        attributes: Attributes | None = None,
    ) -> Span:
        """Start a span that began `ago_s` seconds ago below `parent` (a traceparent), or a new trace.

        An unreadable parent is ignored. Attributes are named by OpenTelemetry's conventions or start with `quire.`.
        """
        above = _PROPAGATOR.extract({"traceparent": parent}, Context()) if parent is not None else Context()
        began = time.time_ns() - int(ago_s * 1e9)
        return self.tracer.start_span(
            name, above, kind, attributes=attributes, start_time=began, record_exception=False
        )


TRACING_OFF = Tracing(NoOpTracer())


def traceparent_of(span: Span) -> str:
    """Return the traceparent header by which a later span refers to this one."""
    facts = span.get_span_context()
    return f"00-{facts.trace_id:032x}-{facts.span_id:016x}-{facts.trace_flags:02x}"


def end_span(span: Span, error: str | None = None) -> None:
    """End the span now; `error` is a stable code. Call it only once."""
    if error is not None:
        span.set_status(Status(StatusCode.ERROR, error))
        span.set_attribute("error.type", error)
    span.end()
