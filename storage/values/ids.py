"""Random identifiers: a kind prefix and 26 lower-case base32 characters of 128 random bits."""

import base64
import os
import re

from storage.values.rows import DocumentId, JobId, WorkerId

_BODY = re.compile(r"[a-z2-7]{26}\Z")


def new_job_id() -> JobId:
    return JobId(_new("job_"))


def new_document_id() -> DocumentId:
    return DocumentId(_new("doc_"))


def new_event_id() -> str:
    return _new("evt_")


def new_webhook_id() -> str:
    return _new("whk_")


def new_delivery_id() -> str:
    return _new("dlv_")


def new_source_id() -> str:
    return _new("src_")


def new_act_id() -> str:
    """One call of a reviewer, however many places it decided."""
    return _new("act_")


def new_worker_id() -> WorkerId:
    """A worker is one process start, never a host or pod name: those come back after a crash and look alive."""
    return WorkerId(_new("wrk_"))


def is_job_id(text: str) -> bool:
    return text.startswith("job_") and _BODY.match(text, 4) is not None


def is_document_id(text: str) -> bool:
    return text.startswith("doc_") and _BODY.match(text, 4) is not None


def is_id(kind: str, text: str) -> bool:
    """An id that begins with `kind` and an underscore."""
    return text.startswith(f"{kind}_") and _BODY.match(text, len(kind) + 1) is not None


def _new(prefix: str) -> str:
    return prefix + base64.b32encode(os.urandom(16)).decode().rstrip("=").lower()
