"""Every environment variable of the service, once: its type, its safe default and what it allows.

One frozen object; parsing.py makes it from the environment. Imported by cluster/ only; everyone else is handed values.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, Self

from pydantic import Field, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from quire.configs.cross_checks import CROSS_CHECKS, PREFIX
from quire.configs.kinds import (
    EmbedderSetting,
    Flag,
    Languages,
    MaybeCount,
    Names,
    OcrEngine,
    Pairs,
    PiiEngine,
    Proxy,
    ProxyNodes,
    Seconds,
    SignUpPolicy,
    Text,
    setting,
)


def default_workdir() -> Path:
    """Return the default folder of the service's state."""
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
        "Signed licence of this deployment. Required, except on loopback, where a development licence is created.",
    )
    api_keys: Text = setting(
        None,
        "name=secret pairs separated by commas; name may carry :read, :read+write or :admin",
        "Operator keys. They replace the default token. Beyond loopback a secret needs at least 20 characters.",
    )
    signing_key: Text = setting(
        None,
        "at least 32 characters",
        "Key that signs cursors and encrypts webhook secrets and passwords. It must be the same on every machine. "
        "If unset, a file of the workdir is used, or it is derived from SVC_API_KEYS on a cluster.",
        min_length=32,
    )
    require_auth: Flag = setting(False, "0 or 1", "1 refuses to start without operator keys.")
    workdir: Path = Field(
        default_factory=default_workdir,
        description="Folder of the embedded database, originals, trees and secrets of this deployment.",
        json_schema_extra={"allowed": "an absolute path", "shown": "~/.local/share/quire (root: /var/lib/quire)"},
    )
    rag_db: Text = setting(
        None,
        "an absolute directory or s3://bucket/prefix",
        "Place of the search index. Enables GET /v1/search. `make up` sets it.",
    )
    embedder: EmbedderSetting = setting(
        "minilm",
        "minilm, none or the absolute directory of an ONNX or sentence-transformers model",
        "Embedding model of the search index. none: search by words only. Safetensors need torch (GPU lock).",
    )
    purge_deadline: float = setting(
        60.0,
        "seconds 5..86400",
        "Maximum time until no deleted text is left in the search index. A bucket may take longer.",
        ge=5,
        le=86_400,
    )
    search_memory_mb: int = setting(
        512,
        "a whole number 16..1000000",
        "Memory of one searcher for vectors. Larger tenants use an approximate index.",
        ge=16,
        le=1_000_000,
    )
    workers: MaybeCount = setting(
        None,
        "a whole number 0..64",
        "Readers started with the API. 0 = none.",
        shown="number of cores, at most 4",
        ge=0,
        le=64,
    )
    background: Flag = setting(
        False, "0 or 1", "1: the API only enqueues. Readers are a separate application that scales with the queue."
    )
    worker_template: Flag = setting(
        True, "0 or 1", "0: each Ray worker of `quire up` imports for itself instead of being forked from one process."
    )
    fast_mode: Flag = setting(
        True,
        "0 or 1",
        "1: pages with a text layer are read without models. 0: every page is recognised. Old alias: SVC_FAST_PDF.",
    )
    vlm_ocr: Text = setting(
        None,
        "paddleocr-vl, lightonocr, dots, granite-docling, glm-ocr, a model directory, or http(s)://address#model",
        "OCR by a vision-language model, on an amd64 CUDA node or at an OpenAI-compatible endpoint.",
    )
    vlm_key: Text = setting(None, "a bearer token", "Key of the endpoint in SVC_VLM_OCR.")
    llm_url: Text = setting(
        None,
        "an http:// or https:// URL, with its version path such as /v1",
        "OpenAI-compatible endpoint of the language model for POST /v1/extract with engine llm or auto. Texts of such "
        "documents are sent there. unset = no text leaves the service.",
    )
    llm_model: Text = setting(None, "a model name", "Model at SVC_LLM_URL. It must support JSON schemas as answers.")
    llm_key_file: Text = setting(None, "an absolute path", "File with the bearer token of SVC_LLM_URL.")
    llm_timeout_s: float = setting(
        60.0, "seconds 1..600", "Seconds for one request to SVC_LLM_URL with its retries.", ge=1, le=600
    )
    ocr_langs: Languages = setting(
        ("en",),
        "language codes separated by commas",
        "Languages of the OCR recogniser. Other scripts (ru, el, ar, he, hi, ko) need a Tesseract language pack. "
        "Without one the page warns ocr-language-missing.",
    )
    ocr_engine: OcrEngine = setting(
        OcrEngine.RAPIDOCR, "rapidocr or tesseract", "OCR recogniser. tesseract must be installed on the machine."
    )
    second_opinion: Flag = setting(
        False,
        "0 or 1",
        "1: a layout detector examines pages with doubtful tables (needs a model: docs/operating.md).",
    )
    layout_model: Text = setting(
        None, "a folder with model.onnx and labels.txt", "Own layout detector for second opinions."
    )
    ocr_warmup: Flag = setting(False, "0 or 1", "1 loads the OCR models at the start instead of at the first scan.")
    pii_engine: PiiEngine = setting(
        PiiEngine.REGEX, "regex (or patterns), names or presidio", "Engine that detects personal data."
    )
    redaction_engine: PiiEngine = setting(
        PiiEngine.NAMES,
        "regex (or patterns), names or presidio",
        "Engine that scans a document before the first redacted output is made of it. SVC_PII_ENGINE, if set, is the "
        "default.",
    )
    scan_ahead: bool = setting(
        True,
        "0 or 1",
        "1 searches finished documents with SVC_REDACTION_ENGINE while the machine has idle CPU, so that their first "
        "redacted output is ready at once.",
    )
    pii_urls: bool = setting(False, "0 or 1", "1 also reports web addresses as personal data.")
    pii_languages: Languages = setting(
        ("en",), "language codes separated by commas", "Languages of the presidio engine."
    )
    review_approvals: int = setting(
        1,
        "1 or 2",
        "Approvals that a review decision needs. 2 needs one from a write key and one from an admin key.",
        ge=1,
        le=2,
    )
    review_below: float = setting(
        0.5,
        "a number 0..1",
        "Documents with a block of lower confidence, or with lost text, are listed for review. 0 lists documents "
        "with lost text only.",
        ge=0,
        le=1,
    )
    rate_limit_rpm: int = setting(
        0, "a whole number 0..1000000", "Maximum requests per minute and key. 0 = no limit.", ge=0, le=1_000_000
    )
    max_upload_mb: int = setting(
        50, "a whole number 1..10000", "Maximum size of one uploaded file, in MB of 1,048,576 bytes.", ge=1, le=10_000
    )
    metrics: Flag = setting(False, "0 or 1", "1 enables GET /metrics.")
    otlp_endpoint: Text = setting(
        None,
        "an http:// or https:// URL",
        "Receiver of OpenTelemetry traces by OTLP over HTTP (/v1/traces is appended). unset = no traces.",
    )
    otlp_headers: Pairs = setting(
        (), "name=value pairs separated by commas", "Headers for that receiver, such as a key. They are secret."
    )
    trace_sample: float = setting(
        1.0,
        "a number 0..1",
        "Share of traces that is kept. A caller's own traceparent decides for its trace.",
        ge=0,
        le=1,
    )
    plugins: Names = setting((), "entry-point names separated by commas, or *", "Plugins to load. * loads all.")
    source_root: Text = setting(
        None,
        "an absolute path; {tenant} stands for the tenant",
        "Folder that must contain all source directories. With keys of several tenants it must contain {tenant}.",
    )
    source_buckets: Names = setting(
        (),
        "s3://bucket/prefix separated by commas; {tenant} stands for the tenant",
        "Allowed bucket prefixes of sources. With keys of several tenants one must contain {tenant}.",
    )

    # where it listens and who may call
    host: str = setting(
        "127.0.0.1",
        "an IP address of this machine",
        "Address to which the HTTP port is bound.",
        pattern=r"^[0-9A-Fa-f.:]+$",
    )
    port: int = setting(8000, "a port number 1..65535", "The HTTP port.", ge=1, le=65535)
    proxy: Proxy = setting(
        Proxy.RAY,
        "ray or haproxy",
        "HTTP front: Ray's own proxy, or HAProxy (more requests, extra ports, no token for loopback callers).",
    )
    proxy_nodes: ProxyNodes = setting(
        ProxyNodes.EVERY,
        "every or head",
        "Machines of a cluster that listen on the HTTP port. With the address of one machine in SVC_HOST only the head "
        "does.",
    )
    api_min: MaybeCount = setting(
        None,
        "a whole number 1..256",
        "Minimum number of API replicas.",
        shown="1, in a cluster of several machines 2",
        ge=1,
        le=256,
    )
    api_max: MaybeCount = setting(
        None,
        "a whole number 1..256",
        "Maximum number of API replicas. They are added by requests in progress.",
        shown="half the number of cores, at least 2, for each machine",
        ge=1,
        le=256,
    )
    allowed_hosts: Names = setting(
        (),
        "host names separated by commas",
        "Additional Host headers for which GET /v1/token answers an anonymous loopback caller.",
    )
    trusted_proxies: Names = setting(
        (),
        "IP addresses or networks separated by commas",
        "Reverse proxies whose forwarding headers are used. If set, the token is not shown to loopback callers.",
    )
    cors_origins: Names = setting(
        (),
        "origins such as https://app.example separated by commas, or *",
        "Sites whose pages may call /v1 from a browser, with a key and never with cookies.",
    )
    root_path: str = setting(
        "",
        "a path such as /quire",
        "Path prefix under which a reverse proxy publishes the service. The proxy may remove it or keep it; for the "
        "console and the docling-serve door it must keep it.",
        pattern=r"^(/[A-Za-z0-9._~-]+)*$",
    )

    # other doors
    console: Flag = setting(False, "0 or 1", "1 serves the hosted console under /console (docs/console.md).")
    console_engine: Text = setting(
        None, "an http:// or https:// URL", "Service behind the console. unset = this service."
    )
    console_key: Text = setting(
        None, "a key of the engine with the write scope", "Key with which the console calls that service."
    )
    console_url: Text = setting(
        None,
        "an http:// or https:// URL",
        "Address of the console for browsers. With https its cookies are sent over TLS only.",
    )
    console_sign_up: SignUpPolicy = setting(
        SignUpPolicy.OPEN,
        "open, approved or closed",
        "Sign-up at the console: for everyone, for people approved with `quire console approve`, or closed.",
    )
    console_sign_ups_per_address: int = setting(
        5, "a whole number 0..10000", "Sign-ups per hour from one address. 0 = no limit.", ge=0, le=10_000
    )
    console_sign_ups_per_hour: int = setting(
        100,
        "a whole number 0..100000",
        "Sign-ups per hour from all addresses together. 0 = no limit.",
        ge=0,
        le=100_000,
    )
    console_sign_ins: int = setting(
        30, "a whole number 0..10000", "Password attempts per minute from one address. 0 = no limit.", ge=0, le=10_000
    )
    console_rpm: int = setting(
        0,
        "a whole number 0..1000000",
        "Maximum requests per minute and tenant at the console. 0 = no limit.",
        ge=0,
        le=1_000_000,
    )
    compat: Flag = setting(False, "0 or 1", "1 serves the API of docling-serve under /compat (docs/compat.md).")

    # limits
    max_batch_files: int = setting(
        10, "a whole number 1..200", "Maximum number of files in one POST /v1/jobs.", ge=1, le=200
    )
    max_ingest_mb: int = setting(
        100, "a whole number 1..10000", "Maximum size of a POST /v1/ingest body, in MB.", ge=1, le=10_000
    )
    schema_values: int = setting(
        1000, "a whole number 10..100000", "Maximum values of a JSON Schema for extraction.", ge=10, le=100_000
    )
    schema_pattern_cost: int = setting(
        5000, "a whole number 1..1000000", "Maximum cost of its patterns, in units of 0.06 ms.", ge=1, le=1_000_000
    )
    upload_url_s: int = setting(
        900,
        "a whole number 60..604800",
        "Seconds for which a URL of POST /v1/uploads accepts a file and its upload id can be submitted. The files are "
        "deleted an hour later.",
        ge=60,
        le=604_800,
    )
    max_waiters: int = setting(
        512,
        "a whole number 1..1000",
        "Maximum number of long waits and event streams per API replica. One tenant has at most half. More get 503.",
        ge=1,
        le=1000,
    )
    max_pages: int = setting(
        2000, "a whole number 1..100000", "Maximum pages of one document. More end as too-many-pages.", ge=1, le=100_000
    )
    max_cells: int = setting(1_000_000, "a whole number 1000..50000000", "Most cells of a sheet file that are read.",
                             ge=1000, le=50_000_000)  # fmt: skip
    child_memory_mb: int = setting(
        1024,
        "a whole number 128..65536",
        "Memory that a document may use in its sandboxed process, above the process's own base.",
        ge=128,
        le=65_536,
    )
    page_cpu_s: int = setting(10, "a whole number 1..3600", "Maximum CPU seconds for one page.", ge=1, le=3600)
    document_cpu_s: int = setting(
        900, "a whole number 1..86400", "Maximum CPU seconds for one document.", ge=1, le=86_400
    )

    # where state lives, queue and workers
    blobs: Text = setting(
        None,
        "s3://bucket or s3://bucket/prefix",
        "Bucket for originals and derived files, instead of the workdir. Credentials are the AWS_* variables.",
    )
    request_log: Flag = setting(
        False, "0 or 1", "1 writes one JSON line per request, without content, to WORKDIR/log/requests.jsonl."
    )
    webhook_allow: Names = setting(
        (),
        "host names or addresses, each also with :port, separated by commas",
        "Internal receivers that may be registered for webhooks.",
    )
    target_allow: Names = setting(
        (),
        "host names or addresses, each also with :port, separated by commas",
        "Hosts that targets may send documents to. Targets of kind http may also reach every public address.",
    )
    url_downloads: bool = setting(
        True, "0 or 1", "0 refuses POST /v1/jobs and /v1/parse that name addresses instead of files."
    )
    download_allow: Names = setting(
        (),
        "host names or addresses, each also with :port, separated by commas",
        "Internal hosts whose files may be submitted by address. Every key with scope write can read them.",
    )
    webhook_overlap_s: int = setting(
        86_400,
        "a whole number 0..2592000",
        "Seconds for which a rotated webhook secret still signs, unless the request sets another value.",
        ge=0,
        le=2_592_000,
    )
    sync_wait_s: int = setting(
        30,
        "a whole number 0..600",
        "Seconds that POST of a sync waits for its report, unless the request sets another value. Then it answers 202.",
        ge=0,
        le=600,
    )
    retention_days: int = setting(
        0, "a whole number 0..36500", "Age in days at which finished jobs are deleted. 0 = never.", ge=0, le=36_500
    )
    org_disk_mb: int = setting(
        0,
        "a whole number 0..1000000000",
        "Maximum MB of originals per organisation. Further uploads get 507. 0 = no limit.",
        ge=0,
        le=1_000_000_000,
    )
    database_url: Text = setting(
        None,
        "postgresql://user:password@host:port/name",
        "External PostgreSQL, version 15 or newer. unset = the embedded one.",
    )
    documents_per_child: int = setting(
        16,
        "a whole number 1..64",
        "Documents of one job that one sandboxed process reads, one after the other. A hostile file can at most "
        "falsify later files of the same job. 1 keeps a fresh process for each document and costs CPU time.",
        ge=1,
        le=64,
    )
    keep_pages: bool = setting(
        True,
        "0 or 1",
        "1 keeps what was read of each page of a PDF of 20 pages or more, compressed. Of a later file of the same "
        "name in the organisation only the changed pages are read, with the same result.",
    )
    inflight_docs: int = setting(
        8,
        "a whole number 1..256",
        "Documents that one reader may hold (reading, recognition, publishing). Up to 16 waiting small documents "
        "come on top.",
        ge=1,
        le=256,
    )
    workers_min: int = setting(
        1, "a whole number 0..1000", "Minimum number of readers with SVC_BACKGROUND=1.", ge=0, le=1000
    )
    workers_max: MaybeCount = setting(
        None,
        "a whole number 1..1000",
        "Maximum number of readers with SVC_BACKGROUND=1.",
        shown="number of cores, at most 4",
        ge=1,
        le=1000,
    )
    lease_s: float = setting(
        30.0,
        "seconds 1..3600",
        "Seconds for which a claimed document belongs to its reader without a heartbeat.",
        ge=1,
        le=3600,
    )
    beat_s: float = setting(
        10.0, "seconds 0.1..1200, at most half of SVC_LEASE_S", "Seconds between heartbeats.", ge=0.1, le=1200
    )
    retry_delays_s: Seconds = setting(
        (10.0, 60.0),
        "two numbers of seconds separated by a comma",
        "Seconds before the second and the third attempt of a document.",
        min_length=2,
        max_length=2,
    )
    crash_at: Text = setting(
        None,
        "a named crash point, with SVC_TESTING=1 only",
        "Tests only: exit at this step of the commit protocol.",
    )
    cpu_flags: Names = setting(
        (), "processor features separated by commas", "Tests only: processor features that the recogniser assumes."
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

    @model_validator(mode="before")
    @classmethod
    def _redact_as_scanned(cls, values: Any) -> Any:
        """Use a chosen engine for redacted outputs too."""
        if isinstance(values, dict) and "pii_engine" in values:
            with suppress(ValueError):  # an invalid choice is reported once, for its own variable
                return {"redaction_engine": PiiEngine(values["pii_engine"]), **values}
        return values

    @model_validator(mode="after")
    def _fit_together(self) -> Self:
        for wrong, message in CROSS_CHECKS:
            if wrong(self):
                raise ValueError(message)
        return self
