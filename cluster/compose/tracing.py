"""OpenTelemetry behind the product's own tracer: spans over OTLP/HTTP to SVC_OTLP_ENDPOINT, off unless it is set.

In comes the setting, out goes a `Tracer`. Spans leave in batches from a thread of their own; when the receiver is away
they are dropped, never waited for. The SDK is imported only where traces are on.
"""

import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from configs.settings import Settings
from models.cdom.tracing import NO_TRACER, NOTHING, Fact, Tracer, TraceSpan, TraceSpanKind
from models.cdom.tree import SERVICE_VERSION

if TYPE_CHECKING:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span

SERVICE = "quire"
EXPORT_TIMEOUT_S = 10  # seconds for a batch of spans to leave
CLOSE_S = 2.0  # seconds for the last batch at the end of a process


def make_tracer(settings: Settings, pool: str) -> Tracer:
    """The tracer of one replica of `pool`; `NO_TRACER` where no endpoint is set."""
    if settings.otlp_endpoint is None:
        return NO_TRACER
    return OtlpTracer(settings.otlp_endpoint, pool, dict(settings.otlp_headers), settings.trace_sample)


class OtlpTracer:
    """Implements `Tracer`. `endpoint` is the receiver's base URL; spans go to `/v1/traces` below it."""

    on = True

    def __init__(self, endpoint: str, pool: str, headers: Mapping[str, str], sample: float) -> None:
        self._exporter = _exporter(endpoint, headers)
        self._provider = _provider(self._exporter, pool, sample)
        self._tracer = self._provider.get_tracer(SERVICE, SERVICE_VERSION)

    def begin(
        self,
        name: str,
        parent: str | None = None,
        *,
        kind: TraceSpanKind = TraceSpanKind.INTERNAL,
        ago_s: float = 0.0,
        facts: Mapping[str, Fact] = NOTHING,
    ) -> TraceSpan:
        """A span below `parent`, or a root; a parent that cannot be read is none."""
        from opentelemetry.context import Context
        from opentelemetry.trace import SpanKind
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        context = Context()
        if parent is not None:
            context = TraceContextTextMapPropagator().extract({"traceparent": parent}, context)
        began = time.time_ns() - int(ago_s * 1e9)
        return _Spanned(
            self._tracer.start_span(
                name, context, SpanKind[kind.name], start_time=began, attributes=facts, record_exception=False
            )
        )

    def close(self) -> None:
        patience = threading.Timer(CLOSE_S, self._exporter.shutdown)  # ends its waiting for a receiver that is away
        patience.daemon = True
        patience.start()
        self._provider.shutdown()
        patience.cancel()


class _Spanned:
    """Implements `TraceSpan` over a span of the SDK."""

    def __init__(self, span: "Span") -> None:
        self._span = span

    @property
    def context(self) -> str | None:
        facts = self._span.get_span_context()
        return f"00-{facts.trace_id:032x}-{facts.span_id:016x}-{facts.trace_flags:02x}"

    def rename(self, name: str) -> None:
        self._span.update_name(name)

    def note(self, name: str, value: Fact) -> None:
        self._span.set_attribute(name, value)

    def end(self, error: str | None = None) -> None:
        from opentelemetry.trace import Status, StatusCode

        if error is not None:
            self._span.set_status(Status(StatusCode.ERROR, error))
            self._span.set_attribute("error.type", error)
        self._span.end()


def _exporter(endpoint: str, headers: Mapping[str, str]) -> "OTLPSpanExporter":
    from opentelemetry.exporter.otlp.proto.http import Compression
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    return OTLPSpanExporter(
        endpoint.rstrip("/") + "/v1/traces",
        headers=dict(headers),
        timeout=EXPORT_TIMEOUT_S,
        compression=Compression.Gzip,
    )


def _provider(exporter: "OTLPSpanExporter", pool: str, sample: float) -> "TracerProvider":
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased

    resource = Resource({"service.name": SERVICE, "service.version": SERVICE_VERSION, "quire.pool": pool})
    provider = TracerProvider(sampler=ParentBased(TraceIdRatioBased(sample)), resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider
