"""The API's replica."""

from fastapi import FastAPI

from quire.actors.sql.runner import SqlRunner, has_engine
from quire.cluster.bootstrap.enabled import enabled_pools, optional_pools
from quire.cluster.bootstrap.finding import find_runtime
from quire.cluster.bootstrap.opening import hold_license, open_runtime_store
from quire.cluster.compose.handles import ServedOnDemand
from quire.cluster.compose.indexing import with_search
from quire.cluster.compose.plugins import load_plugins
from quire.cluster.compose.targets import target_kinds
from quire.cluster.compose.tracing import make_tracing
from quire.cluster.compose.values import (
    api_limits,
    make_language_model,
    make_redaction_scan,
    make_tree_flagger,
    read_options,
    source_gate,
)
from quire.cluster.logs import write_requests
from quire.cluster.placement.health import ServeState
from quire.cluster.runtime import Runtime
from quire.serve_apps.access.default_token import load_default_token
from quire.serve_apps.access.keys import KeyRing, default_key, parse_api_keys
from quire.serve_apps.api.app import create_app
from quire.serve_apps.api.context.resources import Ports, Resources
from quire.storage.webhooks.egress import Egress


def open_resources(runtime: Runtime) -> Resources:
    """Open the resources of the API."""
    settings = runtime.settings
    token = load_default_token(runtime.token_file) if runtime.token_file else None
    on_demand = ServedOnDemand()
    return Resources(
        store=open_runtime_store(runtime),
        keys=KeyRing([default_key(token.token)]) if token else parse_api_keys(settings.api_keys or ""),
        license=hold_license(runtime),
        dsn=runtime.dsn,
        default_token=token,
        egress=Egress(settings.webhook_allow),
        targets=target_kinds(settings),
        download_egress=Egress(settings.download_allow) if settings.url_downloads else None,
        source_gate=source_gate(settings),
        limits=api_limits(settings),
        options=read_options(settings),
        flag_tree=make_tree_flagger(settings),
        redaction_scan=make_redaction_scan(settings),
        tracing=make_tracing(settings, "api"),
        review_approvals=settings.review_approvals,
        review_below=settings.review_below,
        exports=load_plugins(settings.plugins).exports,
        ports=with_search(
            Ports(
                cluster_state=ServeState(enabled_pools(settings) | optional_pools(settings)),
                render_page=on_demand,
                redact_original=on_demand,
                read_once=on_demand,
                model=make_language_model(settings),
                sql=SqlRunner() if has_engine() else None,
            ),
            settings,
        ),
    )


def build_api() -> FastAPI:
    """Build the API of a replica."""
    runtime = find_runtime()
    if runtime.settings.request_log:
        write_requests(runtime.settings.workdir)
    return create_app(open_resources(runtime))
