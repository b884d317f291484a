"""Every environment variable of the service, once: its type, its safe default and what it allows.

One frozen object; parsing.py makes it from the environment. Imported by cluster/ only; everyone else is handed values.
"""

import os
import re
from pathlib import Path
from typing import Any, ClassVar, Self

from pydantic import Field, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from configs.kinds import (
    EmbedderSetting,
    Flag,
    Languages,
    MaybeCount,
    Names,
    OcrEngine,
    Pairs,
    PiiEngine,
    Proxy,
    Seconds,
    SignUpPolicy,
    Text,
    setting,
)

PREFIX = "SVC_"


def default_workdir() -> Path:
    """Where state lives when nothing is said."""
    return Path("/var/lib/quire") if os.geteuid() == 0 else Path.home() / ".local/share/quire"


class Settings(BaseSettings):
    """All values, checked alone and against each other."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="forbid")
    SECRET: ClassVar[frozenset[str]] = frozenset(
        {"license", "api_keys", "signing_key", "database_url", "vlm_key", "console_key", "otlp_headers"}
    )

    # what the interface names
    license: Text = setting(
        None,
        "a signed licence token",
        "Licence of this deployment. Required, except on loopback, where a development licence is made.",
    )
    api_keys: Text = setting(
        None,
        "name=secret pairs separated by commas; name may carry :read, :read+write or :admin",
        "Operator keys; they replace the default token.",
    )
    signing_key: Text = setting(
        None,
        "at least 32 characters",
        "Key of cursors, webhook secrets and stored passwords, the same on every machine. Unset: a file of the "
        "workdir, or made from SVC_API_KEYS where several machines share a service.",
        min_length=32,
    )
    require_auth: Flag = setting(False, "0 or 1", "1 refuses the start when no keys are configured.")
    workdir: Path = Field(
        default_factory=default_workdir,
        description="Job store, uploads, trees, usage ledger, secrets of this deployment.",
        json_schema_extra={"allowed": "an absolute path", "shown": "~/.local/share/quire (root: /var/lib/quire)"},
    )
    rag_db: Text = setting(
        None, "an absolute directory or s3://bucket/prefix", "Search index; enables GET /v1/search. `make up` sets it."
    )
    embedder: EmbedderSetting = setting(
        "minilm",
        "minilm, none or the absolute directory of a sentence-transformers model",
        "Model of the search index's vectors; none: searches are by words only. A directory needs torch (GPU lock).",
    )
    purge_deadline: float = setting(
        60.0,
        "seconds 5..86400",
        "Within this time no byte of a deleted document's text is left in the search index (a bucket may take longer).",
        ge=5,
        le=86_400,
    )
    search_memory_mb: int = setting(
        512,
        "a whole number 16..1000000",
        "Memory of one searcher for vectors; larger tenants are searched through an approximate index.",
        ge=16,
        le=1_000_000,
    )
    workers: MaybeCount = setting(
        None,
        "a whole number 0..64",
        "Readers started with the API; 0 = none.",
        shown="number of cores, at most 4",
        ge=0,
        le=64,
    )
    background: Flag = setting(
        False, "0 or 1", "1: the API enqueues only; readers are an application of their own that scales with the queue."
    )
    fast_mode: Flag = setting(
        True,
        "0 or 1",
        "1: born-digital pages take the model-free path. 0: all pages take the ML pipeline. Old alias: SVC_FAST_PDF.",
    )
    vlm_ocr: Text = setting(
        None,
        "paddleocr-vl, lightonocr, dots, a model directory, or http(s)://address#model",
        "GPU OCR tier: a vision-language model on an amd64 CUDA node, or at an OpenAI-compatible endpoint.",
    )
    vlm_key: Text = setting(None, "a bearer token", "Key of the endpoint that SVC_VLM_OCR names.")
    ocr_langs: Languages = setting(("en",), "language codes separated by commas", "Languages of the OCR recogniser.")
    ocr_engine: OcrEngine = setting(
        OcrEngine.RAPIDOCR, "rapidocr or tesseract", "OCR recogniser; tesseract must be installed on the machine."
    )
    second_opinion: Flag = setting(
        False,
        "0 or 1",
        "1: a layout detector looks at pages whose tables are doubted (needs its model: docs/operating.md).",
    )
    layout_model: Text = setting(
        None, "a folder with model.onnx and labels.txt", "Layout detector of your own for second opinions."
    )
    ocr_warmup: Flag = setting(False, "0 or 1", "1 loads the OCR models at the start instead of at the first scan.")
    pii_engine: PiiEngine = setting(
        PiiEngine.REGEX, "regex (or patterns), names or presidio", "Which engine looks for personal data."
    )
    pii_urls: bool = setting(False, "0 or 1", "Addresses on the web count as personal data.")
    pii_languages: Languages = setting(
        ("en",), "language codes separated by commas", "Languages of the presidio engine."
    )
    review_approvals: int = setting(
        1, "1 or 2", "2: a decision holds when the write key and the admin key said the same (four eyes).", ge=1, le=2
    )
    review_below: float = setting(
        0.5,
        "a number 0..1",
        "Documents with a block less sure than this are listed for a person, as are those with lost text; "
        "0: these alone.",
        ge=0,
        le=1,
    )
    rate_limit_rpm: int = setting(
        0, "a whole number 0..1000000", "Requests a minute per key; 0 = off.", ge=0, le=1_000_000
    )
    max_upload_mb: int = setting(
        50, "a whole number 1..10000", "Cap of one uploaded file, in MB of 1,048,576 bytes.", ge=1, le=10_000
    )
    metrics: Flag = setting(False, "0 or 1", "1 exposes GET /metrics.")
    otlp_endpoint: Text = setting(
        None,
        "an http:// or https:// URL",
        "OpenTelemetry traces go there by OTLP over HTTP (/v1/traces is added); unset = no traces.",
    )
    otlp_headers: Pairs = setting(
        (), "name=value pairs separated by commas", "Headers of that receiver, such as a key; they are secrets."
    )
    trace_sample: float = setting(
        1.0,
        "a number 0..1",
        "Share of traces that is kept; a caller's own traceparent decides for its trace.",
        ge=0,
        le=1,
    )
    plugins: Names = setting((), "entry-point names separated by commas, or *", "Plugins that may be loaded.")
    source_root: Text = setting(
        None,
        "an absolute path; {tenant} stands for the tenant",
        "Fence around registered source paths; with keys of several tenants it must name {tenant}.",
    )
    source_buckets: Names = setting(
        (),
        "s3://bucket/prefix separated by commas; {tenant} stands for the tenant",
        "Where S3 sources may lie; with keys of several tenants one must name {tenant}.",
    )

    # where it listens and who may call
    host: str = setting(
        "127.0.0.1", "an IP address of this machine", "Address the HTTP port is bound to.", pattern=r"^[0-9A-Fa-f.:]+$"
    )
    port: int = setting(8000, "a port number 1..65535", "The HTTP port.", ge=1, le=65535)
    proxy: Proxy = setting(
        Proxy.RAY,
        "ray or haproxy",
        "HTTP front: Ray's own proxy, or HAProxy (more requests, extra ports, no loopback token).",
    )
    allowed_hosts: Names = setting(
        (),
        "host names separated by commas",
        "Host headers, beside the loopback names, for which GET /v1/token answers an anonymous loopback caller.",
    )
    trusted_proxies: Names = setting(
        (),
        "IP addresses or networks separated by commas",
        "Reverse proxies whose forwarding headers are believed; setting it ends token disclosure to loopback.",
    )
    cors_origins: Names = setting(
        (),
        "origins such as https://app.example separated by commas, or *",
        "Sites whose pages may call /v1 from a browser, each with a key of its own; never with cookies.",
    )

    # other doors
    console: Flag = setting(False, "0 or 1", "1 serves the hosted console under /console; docs/console.md.")
    console_engine: Text = setting(
        None, "an http:// or https:// URL", "The engine behind the console; unset = this service."
    )
    console_key: Text = setting(
        None, "a key of the engine with the write scope", "What the console calls its engine with."
    )
    console_url: Text = setting(
        None,
        "an http:// or https:// URL",
        "How browsers reach the console; with https its cookies are sent over TLS only.",
    )
    console_sign_up: SignUpPolicy = setting(
        SignUpPolicy.OPEN,
        "open, approved or closed",
        "Who gets an account at the console: everybody, whom `quire console approve` lets in, nobody new.",
    )
    console_sign_ups_per_address: int = setting(
        5, "a whole number 0..10000", "Accounts one address may ask for in an hour; 0 = no limit.", ge=0, le=10_000
    )
    console_sign_ups_per_hour: int = setting(
        100, "a whole number 0..100000", "Accounts all together may ask for in an hour; 0 = no limit.", ge=0, le=100_000
    )
    console_sign_ins: int = setting(
        30, "a whole number 0..10000", "Passwords one address may try in a minute; 0 = no limit.", ge=0, le=10_000
    )
    console_rpm: int = setting(
        0, "a whole number 0..1000000", "Requests a minute and tenant at the console; 0 = off.", ge=0, le=1_000_000
    )
    compat: Flag = setting(
        False, "0 or 1", "1 serves docling-serve's POST /v1/convert/file under /compat; docs/compat.md."
    )

    # limits
    max_batch_files: int = setting(10, "a whole number 1..200", "Files in one POST /v1/jobs.", ge=1, le=200)
    max_ingest_mb: int = setting(
        100, "a whole number 1..10000", "Cap of a POST /v1/ingest body, in MB.", ge=1, le=10_000
    )
    max_waiters: int = setting(
        256,
        "a whole number 1..1000",
        "Long waits and event streams open at once per API replica; more get 503.",
        ge=1,
        le=1000,
    )
    max_pages: int = setting(
        2000, "a whole number 1..100000", "Pages of one document; more is too-many-pages.", ge=1, le=100_000
    )
    child_memory_mb: int = setting(
        1024,
        "a whole number 128..65536",
        "Memory a document may take in its sandboxed child, above the child's own base.",
        ge=128,
        le=65_536,
    )
    page_cpu_s: int = setting(10, "a whole number 1..3600", "CPU seconds one page may take.", ge=1, le=3600)
    document_cpu_s: int = setting(900, "a whole number 1..86400", "CPU seconds one document may take.", ge=1, le=86_400)

    # where state lives, queue and workers
    blobs: Text = setting(
        None,
        "s3://bucket or s3://bucket/prefix",
        "Originals and derived files in a bucket instead of the workdir; credentials in the AWS_* variables.",
    )
    request_log: Flag = setting(
        False, "0 or 1", "1 writes a JSON line per request to WORKDIR/log/requests.jsonl, without content."
    )
    webhook_allow: Names = setting(
        (),
        "host names or addresses, each also with :port, separated by commas",
        "Private receivers to which webhooks may be registered.",
    )
    webhook_overlap_s: int = setting(
        86_400,
        "a whole number 0..2592000",
        "Seconds for which a rotated webhook's old secret signs beside the new one, unless the request says otherwise.",
        ge=0,
        le=2_592_000,
    )
    sync_wait_s: int = setting(
        30,
        "a whole number 0..600",
        "Seconds a POST of a sync waits for its report, unless the request says otherwise; then it answers 202.",
        ge=0,
        le=600,
    )
    retention_days: int = setting(
        0, "a whole number 0..36500", "Finished jobs older than this are deleted; 0 = kept.", ge=0, le=36_500
    )
    org_disk_mb: int = setting(
        0,
        "a whole number 0..1000000000",
        "Originals one organisation may keep, in MB; uploads beyond it get 507. 0 = no cap.",
        ge=0,
        le=1_000_000_000,
    )
    database_url: Text = setting(
        None, "postgresql://user:password@host:port/name", "External PostgreSQL 15 or newer; unset = the embedded one."
    )
    documents_per_child: int = setting(
        16,
        "a whole number 1..64",
        "Documents of one job that one sandboxed process reads, one after the other. A hostile file can at most "
        "falsify later files of the same job. 1 keeps a fresh process for each document and costs CPU time.",
        ge=1,
        le=64,
    )
    inflight_docs: int = setting(
        8,
        "a whole number 1..256",
        "Documents one reader may hold open (being read, recognised, published); up to 16 small ones that wait for "
        "their turn come on top.",
        ge=1,
        le=256,
    )
    workers_min: int = setting(1, "a whole number 0..1000", "Fewest readers with SVC_BACKGROUND=1.", ge=0, le=1000)
    workers_max: MaybeCount = setting(
        None,
        "a whole number 1..1000",
        "Most readers with SVC_BACKGROUND=1.",
        shown="number of cores, at most 4",
        ge=1,
        le=1000,
    )
    lease_s: float = setting(
        30.0, "seconds 1..3600", "How long a claimed document belongs to its reader without a heartbeat.", ge=1, le=3600
    )
    beat_s: float = setting(
        10.0, "seconds 0.1..1200, at most half of SVC_LEASE_S", "Pause between heartbeats.", ge=0.1, le=1200
    )
    retry_delays_s: Seconds = setting(
        (10.0, 60.0),
        "two numbers of seconds separated by a comma",
        "Pause before the second and the third start of a document.",
        min_length=2,
        max_length=2,
    )
    crash_at: Text = setting(
        None,
        "a named crash point, with SVC_TESTING=1 only",
        "Tests only: end the process at this step of the commit protocol.",
    )
    cpu_flags: Names = setting(
        (), "processor features separated by commas", "Tests only: what the recogniser takes this processor for."
    )
    testing: Flag = setting(False, "0 or 1", "Tests only: permits SVC_CRASH_AT and SVC_CPU_FLAGS.")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        *_: PydanticBaseSettingsSource,
        **__: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only what is handed in: parsing.py reads the environment, so that tests and replicas need not have one."""
        return (init_settings,)

    @model_validator(mode="after")
    def _fit_together(self) -> Self:
        for wrong, message in _CROSS_CHECKS:
            if wrong(self):
                raise ValueError(message)
        return self


def _is_url(text: str) -> bool:
    return re.fullmatch(r"https?://[^\s/?#@]+(/[^\s?#]*)?", text) is not None


def _is_origin(text: str) -> bool:
    return re.fullmatch(r"\*|https?://[^\s/?#@,*]+", text) is not None


_CROSS_CHECKS: tuple[tuple[Any, str], ...] = (
    (lambda s: s.require_auth and not s.api_keys, "SVC_REQUIRE_AUTH: 1 needs SVC_API_KEYS"),
    (
        lambda s: s.console and not s.console_key and (s.api_keys or s.console_engine),
        "SVC_CONSOLE: needs SVC_CONSOLE_KEY where SVC_API_KEYS or SVC_CONSOLE_ENGINE is set",
    ),
    (
        lambda s: not all(map(_is_origin, s.cors_origins)),
        "SVC_CORS_ORIGINS: allowed are origins such as https://app.example (no path), separated by commas, or *",
    ),
    *(
        (
            lambda s, name=name: getattr(s, name) and not _is_url(getattr(s, name)),
            f"{PREFIX}{name.upper()}: allowed is an http:// or https:// URL",
        )
        for name in ("console_engine", "console_url", "otlp_endpoint")
    ),
    (lambda s: s.beat_s * 2 > s.lease_s, "SVC_BEAT_S: allowed is at most half of SVC_LEASE_S"),
    (
        lambda s: s.workers_max is not None and s.workers_min > s.workers_max,
        "SVC_WORKERS_MIN: allowed is at most SVC_WORKERS_MAX",
    ),
    (lambda s: not s.workdir.is_absolute(), "SVC_WORKDIR: allowed is an absolute path"),
    (
        lambda s: s.rag_db and not re.match(r"/|s3://[^/]+", s.rag_db),
        "SVC_RAG_DB: allowed is an absolute directory or s3://bucket/prefix",
    ),
    (lambda s: s.crash_at and not s.testing, "SVC_CRASH_AT: refused outside tests"),
    (lambda s: s.cpu_flags and not s.testing, "SVC_CPU_FLAGS: refused outside tests"),
    (lambda s: s.blobs and not re.match(r"s3://[^/]+", s.blobs), "SVC_BLOBS: allowed is s3://bucket/prefix"),
    (
        lambda s: s.database_url and not re.match(r"postgres(ql)?://", s.database_url),
        "SVC_DATABASE_URL: allowed is postgresql://user:password@host:port/name",
    ),
)
