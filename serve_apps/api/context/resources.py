"""Values and ports that the API is built from; the service's composition opens them. This module reads no setting."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from quire.models.cdom.original import ReadOptions
from quire.models.cdom.ports import (
    AskModel,
    ClusterState,
    IndexDocument,
    ReadOnce,
    RedactOriginal,
    RenderPage,
    RunSql,
    SearchIndex,
    Tokenizer,
    WatchIndexQueue,
)
from quire.models.cdom.tracing import TRACING_OFF, Tracing
from quire.models.cdom.tree import Tree
from quire.models.derive.chunks.chunks import ChunkSettings
from quire.models.derive.schema.checking import DEFAULT_LIMITS, SchemaLimits
from quire.models.export import Export
from quire.models.neural.embed.tokenizer import load_tokenizer
from quire.serve_apps.access.default_token import DefaultToken
from quire.serve_apps.access.keys import KeyRing
from quire.serve_apps.access.license_holder import LicenseHolder
from quire.serve_apps.api.context.limited_work import WorkLimits
from quire.serve_apps.api.context.redaction_scans import RedactionScan
from quire.storage.sources.gate import SourceGate
from quire.storage.store import Store
from quire.storage.targets.opening import TargetKinds
from quire.storage.webhooks.egress import Egress

MEGABYTE = 1024 * 1024  # bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiLimits:
    """Limits: sizes in bytes, times in seconds.

    Turn `loopback_token` off if all callers look local, as behind HAProxy.
    """

    max_upload_bytes: int = 50 * MEGABYTE
    max_batch_files: int = 10
    max_ingest_bytes: int = 100 * MEGABYTE
    max_inflight_bytes: int = 512 * MEGABYTE
    max_waiters: int = 512
    upload_idle_s: float = 60.0
    upload_url_s: int = 900
    read_timeout_s: float = 5.0
    allowed_hosts: tuple[str, ...] = ()
    trusted_proxies: tuple[str, ...] = ()
    cors_origins: tuple[str, ...] = ()
    root_path: str = ""
    loopback_token: bool = True
    rate_limit_rpm: int = 0
    metrics: bool = False
    org_disk_bytes: int = 0
    webhook_overlap_s: int = 86_400
    sync_wait_s: int = 30
    schema: SchemaLimits = DEFAULT_LIMITS


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """Services of other deployments; None if this deployment does not have them."""

    cluster_state: ClusterState | None = None
    render_page: RenderPage | None = None
    redact_original: RedactOriginal | None = None
    read_once: ReadOnce | None = None
    search: SearchIndex | None = None
    index_document: IndexDocument | None = None
    index_queue: WatchIndexQueue | None = None
    model: AskModel | None = None
    sql: RunSql | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """Values and ports of the API.

    `dsn` is for the one LISTEN connection; without it waiters poll. `options`: default reading options.
    `flag_tree` detects PII in external trees; None if readers do not detect it either. `review_approvals`: number of
    keys that must agree about a flag. `egress` guards webhooks, `download_egress` the addresses of submissions; None
    refuses them. `targets`: kinds of targets. `redaction_scan`: the scan that redacted outputs need; None accepts any.
    `review_below`: documents with a block below this confidence are listed for review.
    """

    store: Store
    keys: KeyRing
    license: LicenseHolder
    dsn: str | None = None
    default_token: DefaultToken | None = None
    limits: ApiLimits = field(default_factory=ApiLimits)
    options: ReadOptions = field(default_factory=ReadOptions)
    flag_tree: Callable[[Tree], Tree] | None = None
    redaction_scan: RedactionScan | None = None
    ports: Ports = field(default_factory=Ports)
    egress: Egress = field(default_factory=Egress)
    targets: TargetKinds = field(default_factory=TargetKinds)
    download_egress: Egress | None = field(default_factory=Egress)
    exports: Mapping[str, Export] = field(default_factory=dict)
    source_gate: SourceGate | None = None
    tokenizer: Tokenizer = field(default_factory=load_tokenizer)
    chunking: ChunkSettings = field(default_factory=ChunkSettings)
    tracing: Tracing = TRACING_OFF
    review_approvals: int = 1
    review_below: float = 0.5
    work_limits: WorkLimits = field(default_factory=WorkLimits)
