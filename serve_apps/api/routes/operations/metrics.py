"""GET /metrics: Prometheus text for a caller on this machine or an admin, if SVC_METRICS is 1."""

from collections.abc import Iterator
from typing import Any

from fastapi import Request
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.responses import Response

from quire.models.cdom.ports import PortUnavailable
from quire.serve_apps.access.caller import find_key, secret_of
from quire.serve_apps.access.operations import Operations
from quire.serve_apps.access.scopes import KeyScope
from quire.serve_apps.api.context.app_state import AppState
from quire.serve_apps.api.context.deps import RunningDep
from quire.serve_apps.api.http.refusals import TokenRefused
from quire.serve_apps.api.routes.operations.token import is_local
from quire.storage.jobs.measures import Measure, measure
from quire.storage.values.errors import NotFound

router = Operations("system")
_TEXT = {"content": {"text/plain": {"schema": {"type": "string"}}}}


@router.operation(
    "GET /metrics",
    "get_metrics",
    None,
    refusals={404: "Metrics are disabled."},
    response_class=Response,
    responses={200: {"description": "Prometheus text.", **_TEXT}},
)
async def read_metrics(request: Request, running: RunningDep) -> Response:
    """Return Prometheus metrics. 404 if disabled; 401 for a bad key; 403 for other callers without permission."""
    resources = running.resources
    if not resources.limits.metrics:
        raise NotFound("metrics are disabled")
    secret = secret_of(request.scope["headers"])
    key = find_key(secret, resources.keys) if secret is not None else None
    if not (key and key.scope is KeyScope.ADMIN) and not is_local(request, resources.limits):
        raise TokenRefused("only an admin or a caller on this machine can read metrics")
    return Response(await running.metrics.get(lambda: _render(running)), media_type=CONTENT_TYPE_LATEST)


async def _render(running: AppState) -> bytes:
    measures = await running.disk.run(measure, running.resources.store.db)  # takes seconds with millions of documents
    registry = CollectorRegistry()
    registry.register(_FixedCollector([*measures, *await _pools(running)]))
    return generate_latest(registry)


async def _pools(running: AppState) -> list[Measure]:
    port = running.resources.ports.cluster_state
    if port is None:
        return []
    try:
        facts: Any = await port.cluster_state()
    except PortUnavailable:
        return []
    pools = facts.get("pools") or {}
    values = [
        ((str(pool), str(name)), float(number))
        for pool, numbers in pools.items()
        for name, number in numbers.items()
        if isinstance(number, int | float)
    ]
    return [
        Measure("quire_pool", "Facts that the cluster reports about its pools.", ("pool", "measure"), False, values)
    ]


class _FixedCollector:
    """A collector of existing values."""

    def __init__(self, measures: list[Measure]) -> None:
        self._measures = measures

    def collect(self) -> Iterator[Metric]:
        for metric in self._measures:
            kind = CounterMetricFamily if metric.rises else GaugeMetricFamily
            family = kind(metric.name, metric.text, labels=metric.labels)
            for labels, value in metric.values:
                family.add_metric(labels, value)
            yield family
