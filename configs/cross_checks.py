"""Checks of settings against each other, each with the message of its refusal."""

import re
from typing import Any

PREFIX = "SVC_"


_HOST = r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:\d{1,5})?"


def _is_url(text: str) -> bool:
    return re.fullmatch(rf"https?://{_HOST}(/[!-~]*)?", text) is not None and not re.search(r"[?#\\]", text)


def _is_origin(text: str) -> bool:
    return re.fullmatch(r"\*|https?://[^\s/?#@,*]+", text) is not None


CROSS_CHECKS: tuple[tuple[Any, str], ...] = (
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
        for name in ("console_engine", "console_url", "otlp_endpoint", "llm_url")
    ),
    (lambda s: (s.llm_url is None) != (s.llm_model is None), "SVC_LLM_URL: needs SVC_LLM_MODEL, and the other way"),
    (lambda s: s.llm_key_file and not s.llm_url, "SVC_LLM_KEY_FILE: needs SVC_LLM_URL"),
    (lambda s: s.beat_s * 2 > s.lease_s, "SVC_BEAT_S: allowed is at most half of SVC_LEASE_S"),
    (
        lambda s: s.workers_max is not None and s.workers_min > s.workers_max,
        "SVC_WORKERS_MIN: allowed is at most SVC_WORKERS_MAX",
    ),
    (
        lambda s: s.api_max is not None and (s.api_min or 1) > s.api_max,
        "SVC_API_MIN: allowed is at most SVC_API_MAX",
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
