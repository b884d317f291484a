"""Random identifiers: a kind prefix and 26 lower-case base32 characters of 128 random bits."""

import base64
import os
import re

from quire.storage.values.rows import DocumentId, JobId, WorkerId

_BODY = re.compile(r"[a-z2-7]{26}\Z")


def new_job_id() -> JobId:
    """Return a new random id of a job."""
    return JobId(_new("job_"))


def new_document_id() -> DocumentId:
    """Return a new random id of a document."""
    return DocumentId(_new("doc_"))


def new_event_id() -> str:
    """Return a new random id of an event."""
    return _new("evt_")


def new_webhook_id() -> str:
    """Return a new random id of a webhook."""
    return _new("whk_")


def new_delivery_id() -> str:
    """Return a new random id of a webhook delivery."""
    return _new("dlv_")


def new_source_id() -> str:
    """Return a new random id of a source."""
    return _new("src_")


def new_target_id() -> str:
    """Return a new random id of a target."""
    return _new("tgt_")


def new_act_id() -> str:
    """Return a new random id of one reviewer call, however many places it decides."""
    return _new("act_")


def new_worker_id() -> WorkerId:
    """Return a new random id of a worker, which is one process start.

    Host and pod names are not used: they return after a crash and look alive.
    """
    return WorkerId(_new("wrk_"))


def is_job_id(text: str) -> bool:
    """Return whether the text has the form of a job id."""
    return text.startswith("job_") and _BODY.match(text, 4) is not None


def is_document_id(text: str) -> bool:
    """Return whether the text has the form of a document id."""
    return text.startswith("doc_") and _BODY.match(text, 4) is not None


def is_id(kind: str, text: str) -> bool:
    """Return whether the text has the form of an id with the prefix `kind`."""
    return text.startswith(f"{kind}_") and _BODY.match(text, len(kind) + 1) is not None


def _new(prefix: str) -> str:
    return prefix + base64.b32encode(os.urandom(16)).decode().rstrip("=").lower()
