"""Values made of settings alone: limits and options. Opens nothing."""

from collections.abc import Callable
from pathlib import Path

from quire.actors.chat.json_model import JsonModel
from quire.actors.sandbox.limits import SandboxLimits
from quire.cluster.compose.flagging import PluginFlagger
from quire.cluster.compose.plugins import load_plugins
from quire.cluster.errors import StartRefused
from quire.configs.kinds import Proxy
from quire.configs.settings import Settings
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.tree import Tree
from quire.models.derive.schema.checking import SchemaLimits
from quire.models.pii.engines.choose import PiiEngineChoice, TreeFlagger, make_flagger
from quire.serve_apps.access.keys import parse_api_keys
from quire.serve_apps.api.context.redaction_scans import RedactionScan
from quire.serve_apps.api.context.resources import MEGABYTE, ApiLimits
from quire.storage.sources.gate import SourceGate

MIB = 1 << 20  # bytes
DEFAULT = frozenset({"default"})
"""The tenant of the default token."""


def source_gate(settings: Settings) -> SourceGate:
    """Return the limits on source locations."""
    return SourceGate(
        workdir=settings.workdir,
        root=Path(settings.source_root) if settings.source_root else None,
        buckets=settings.source_buckets,
        tenants=frozenset(key.name for key in parse_api_keys(settings.api_keys)) if settings.api_keys else DEFAULT,
        max_bytes=settings.max_upload_mb * MIB,
    )


def make_language_model(settings: Settings) -> JsonModel | None:
    """Return the language model of extractions, None if none is configured.

    Raises:
        StartRefused: The file with its key cannot be read.
    """
    if settings.llm_url is None or settings.llm_model is None:
        return None
    key = None
    if settings.llm_key_file is not None:
        try:
            key = Path(settings.llm_key_file).read_text("utf-8").strip()
        except (OSError, UnicodeError):
            raise StartRefused("SVC_LLM_KEY_FILE: the file cannot be read") from None
    return JsonModel(settings.llm_url, settings.llm_model, key=key, timeout_s=settings.llm_timeout_s)


def schema_limits(settings: Settings) -> SchemaLimits:
    """Return the limits of a schema that a caller sends."""
    return SchemaLimits(settings.schema_values, settings.schema_pattern_cost)


def api_limits(settings: Settings) -> ApiLimits:
    """Return the API's limits in bytes. Behind HAProxy every caller looks local, so the loopback token is off."""
    return ApiLimits(
        max_upload_bytes=settings.max_upload_mb * MEGABYTE,
        max_batch_files=settings.max_batch_files,
        max_ingest_bytes=settings.max_ingest_mb * MEGABYTE,
        upload_url_s=settings.upload_url_s,
        max_waiters=settings.max_waiters,
        rate_limit_rpm=settings.rate_limit_rpm,
        metrics=settings.metrics,
        org_disk_bytes=settings.org_disk_mb * MEGABYTE,
        webhook_overlap_s=settings.webhook_overlap_s,
        sync_wait_s=settings.sync_wait_s,
        schema=schema_limits(settings),
        allowed_hosts=settings.allowed_hosts,
        trusted_proxies=settings.trusted_proxies,
        cors_origins=settings.cors_origins,
        root_path=settings.root_path,
        loopback_token=settings.proxy is Proxy.RAY,
    )


def read_options(settings: Settings) -> ReadOptions:
    """Return the reading options unless a request overrides them."""
    return ReadOptions(
        fast_mode=settings.fast_mode,
        ocr_langs=settings.ocr_langs,
        max_pages=settings.max_pages,
        max_cells=settings.max_cells,
        second_opinion=settings.second_opinion,
    )


def sandbox_limits(settings: Settings) -> SandboxLimits:
    """Return the limits of one document in the sandbox."""
    return SandboxLimits(
        readers=load_plugins(settings.plugins).readers,
        memory_bytes=settings.child_memory_mb * MIB,
        page_cpu_s=settings.page_cpu_s,
        total_cpu_s=settings.document_cpu_s,
    )


def make_redaction_scan(settings: Settings) -> RedactionScan:
    """Return the scan that a document needs before a redacted output is made of it. Loads no model."""
    engine = PiiEngineChoice(settings.redaction_engine)
    own = TreeFlagger(engine, settings.pii_languages, settings.pii_urls)
    plugged = load_plugins(settings.plugins).detectors
    return RedactionScan(engine, PluginFlagger(own, settings.plugins) if plugged else own)


def make_tree_flagger(settings: Settings) -> Callable[[Tree], Tree]:
    """Return a function that flags personal data with the configured engine and plugins; it pickles as its choices."""
    own = make_flagger(settings.pii_engine, settings.pii_languages, urls=settings.pii_urls)
    return PluginFlagger(own, settings.plugins) if load_plugins(settings.plugins).detectors else own
