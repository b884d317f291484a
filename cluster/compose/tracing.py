"""Export of spans over OTLP/HTTP to SVC_OTLP_ENDPOINT, off unless it is set.

A separate thread sends spans in batches; if the receiver is away they are dropped without waiting. The SDK is imported
only if traces are on.
"""

import threading
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from quire.configs.settings import Settings
from quire.models.cdom.tracing import TRACING_OFF, Tracing
from quire.models.cdom.version import SERVICE_VERSION

if TYPE_CHECKING:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import TracerProvider

SERVICE = "quire"
EXPORT_TIMEOUT_S = 10  # seconds for a batch of spans to leave
CLOSE_S = 2.0  # seconds for the last batch at the end of a process


def make_tracing(settings: Settings, pool: str) -> Tracing:
    """Return the traces of one replica of `pool`. The endpoint is the receiver's base URL."""
    if settings.otlp_endpoint is None:
        return TRACING_OFF
    exporter = _exporter(settings.otlp_endpoint, dict(settings.otlp_headers))
    provider = _provider(exporter, pool, settings.trace_sample)
    return Tracing(provider.get_tracer(SERVICE, SERVICE_VERSION), partial(_close, provider, exporter))


def _close(provider: "TracerProvider", exporter: "OTLPSpanExporter") -> None:
    """Send pending spans, waiting at most CLOSE_S for a receiver that is away."""
    give_up = threading.Timer(CLOSE_S, exporter.shutdown)
    give_up.daemon = True
    give_up.start()
    provider.shutdown()
    give_up.cancel()


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
