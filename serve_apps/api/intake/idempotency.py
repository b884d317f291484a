"""`Idempotency-Key`: a repeated key with the same content returns the first job; other content is answered with 409."""

import hashlib
import re
from collections.abc import Iterable
from typing import Annotated

from fastapi import Header
from pydantic import AfterValidator

from quire.serve_apps.api.http.refusals import InvalidField
from quire.storage.jobs.idempotency import IdempotencyKey
from quire.storage.values.rows import JobRow

REPLAYED = "Idempotency-Replayed"
_KEY = re.compile(r"[\x21-\x7e]{1,255}")


def _check_key(key: str | None) -> str | None:
    if key is not None and not _KEY.fullmatch(key):
        raise InvalidField("Idempotency-Key", "1 to 255 printable ASCII characters without spaces", "header")
    return key


IdempotencyKeyHeader = Annotated[
    str | None,
    AfterValidator(_check_key),
    Header(
        alias="Idempotency-Key",
        description="A repeated submission with the same key and content returns the first job.",
    ),
]


def replayed(job: JobRow) -> dict[str, str]:
    """Return the header that marks a repeated answer, or no header."""
    return {REPLAYED: "true"} if job.replayed else {}


def identify_submission(route: str, key: str | None, facts: Iterable[str]) -> IdempotencyKey | None:
    """Return the key with a digest of `facts`, which must cover everything sent: content hashes, names, fields."""
    if key is None:
        return None
    digest = hashlib.sha256()
    for fact in facts:
        digest.update(len(fact.encode()).to_bytes(8, "big") + fact.encode())
    return IdempotencyKey(route, key, digest.hexdigest())
