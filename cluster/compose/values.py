"""Values made of settings alone: limits, options and the pools they ask for. Opens nothing."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from cluster.placement.placement import Placement
from cluster.placement.sizing import Sizing, size_readers
from configs.kinds import Proxy
from configs.settings import Settings

if TYPE_CHECKING:  # each replica imports only what it is made of
    from actors.sandbox.limits import SandboxLimits
    from models.cdom.original import ReadOptions
    from models.cdom.tree import Tree
    from serve_apps.api.context.resources import ApiLimits
    from storage.sources.gate import SourceGate

MIB = 1 << 20  # bytes
DEFAULT = frozenset({"default"})
"""The tenant of the default token."""


def source_gate(settings: Settings) -> "SourceGate":
    """Which places may be sources."""
    from serve_apps.access.keys import parse_api_keys
    from storage.sources.gate import SourceGate

    return SourceGate(
        workdir=settings.workdir,
        root=Path(settings.source_root) if settings.source_root else None,
        buckets=settings.source_buckets,
        tenants=frozenset(key.name for key in parse_api_keys(settings.api_keys)) if settings.api_keys else DEFAULT,
        max_bytes=settings.max_upload_mb * MIB,
    )


def api_limits(settings: Settings) -> "ApiLimits":
    """The API's limits in bytes; behind HAProxy every caller looks local, so nobody is taken for local."""
    from serve_apps.api.context.resources import MEGABYTE, ApiLimits

    return ApiLimits(
        max_upload_bytes=settings.max_upload_mb * MEGABYTE,
        max_batch_files=settings.max_batch_files,
        max_ingest_bytes=settings.max_ingest_mb * MEGABYTE,
        max_waiters=settings.max_waiters,
        rate_limit_rpm=settings.rate_limit_rpm,
        metrics=settings.metrics,
        org_disk_bytes=settings.org_disk_mb * MEGABYTE,
        webhook_overlap_s=settings.webhook_overlap_s,
        sync_wait_s=settings.sync_wait_s,
        allowed_hosts=settings.allowed_hosts,
        trusted_proxies=settings.trusted_proxies,
        cors_origins=settings.cors_origins,
        loopback_token=settings.proxy is Proxy.RAY,
    )


def read_options(settings: Settings) -> "ReadOptions":
    """How documents are read unless the request says otherwise."""
    from models.cdom.original import ReadOptions

    return ReadOptions(
        fast_mode=settings.fast_mode,
        ocr_langs=settings.ocr_langs,
        max_pages=settings.max_pages,
        second_opinion=settings.second_opinion,
    )


def sandbox_limits(settings: Settings) -> "SandboxLimits":
    """What one document may use."""
    from actors.sandbox.limits import SandboxLimits
    from cluster.compose.plugins import load_plugins

    return SandboxLimits(
        readers=load_plugins(settings.plugins).readers,
        memory_bytes=settings.child_memory_mb * MIB,
        page_cpu_s=settings.page_cpu_s,
        total_cpu_s=settings.document_cpu_s,
    )


def make_tree_flagger(settings: Settings) -> "Callable[[Tree], Tree]":
    """Looks for personal data with the configured engine and the detectors of plugins; it pickles as its choices."""
    from cluster.compose.flagging import PluginFlagger
    from cluster.compose.plugins import load_plugins
    from models.pii.engines.choose import make_flagger

    own = make_flagger(settings.pii_engine, settings.pii_languages, urls=settings.pii_urls)
    return PluginFlagger(own, settings.plugins) if load_plugins(settings.plugins).detectors else own


def plan_readers(settings: Settings) -> Sizing:
    """The reader pool these settings ask for on this machine."""
    return size_readers(
        cores=os.cpu_count() or 1,
        workers=settings.workers,
        background=settings.background,
        least=settings.workers_min,
        most=settings.workers_max,
        inflight=settings.inflight_docs,
    )


def wanted_pools(settings: Settings) -> "dict[str, Placement]":
    """Every pool these settings ask for, with where it may run."""
    from cluster.compose.search import embeds, searches
    from cluster.placement.sizing import pools

    return pools(plan_readers(settings), search=searches(settings), embed=embeds(settings))


def optional_pools(settings: Settings) -> dict[str, Placement]:
    """Pools that run only where a node fits them; without one they are a warning, never a refusal."""
    from cluster.bootstrap.vlm import choose_vlm

    if settings.vlm_ocr is None:
        return {}
    return {"vlm_ocr": choose_vlm(settings.vlm_ocr, settings.vlm_key).placement}
