"""Requests as values, and results other than plain JSON. Independent of sockets."""

import os
import uuid
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypedDict, TypeVar
from urllib.parse import quote

from quire_client import types

T = TypeVar("T")
DEFAULT_URL = "http://127.0.0.1:8000"
SPARE_S = 15.0
"""Seconds that the read timeout exceeds the time for which the service may delay its answer."""


class Parts(Protocol):
    """Opens the files of a multipart body for each send."""

    def __call__(self) -> AbstractContextManager[Sequence[tuple[str, Any]]]:
        """Return a context with the opened parts."""


@dataclass(frozen=True)
class Call(Generic[T]):
    """One operation with its values. `keyed`: the service accepts an Idempotency-Key here, so it may be repeated."""

    method: str
    path: str
    query: Mapping[str, Any] | None = None
    body: Mapping[str, Any] | None = None
    keyed: bool = False
    idempotency_key: str | None = None
    repeatable: bool = False
    parts: Parts | None = None
    fields: Mapping[str, str] | None = None

    @property
    def may_repeat(self) -> bool:
        """Return whether the request may be sent again."""
        return self.repeatable or self.keyed or self.method in {"GET", "DELETE"}

    @property
    def read_timeout_s(self) -> float | None:
        """Return the read timeout in seconds if the service was asked to delay its answer, otherwise None."""
        wait_s = (self.query or {}).get("wait") or (self.query or {}).get("timeout_s")
        return float(wait_s) + SPARE_S if wait_s else None

    def parameters(self) -> dict[str, str | list[str]]:
        """Return the query without missing values; a list is a repeated parameter."""
        return {name: _plain(value) for name, value in (self.query or {}).items() if value is not None}

    def json_body(self) -> dict[str, Any] | None:
        """Return the body without missing values."""
        return None if self.body is None else {name: v for name, v in self.body.items() if v is not None}

    def headers(self) -> dict[str, str]:
        """Return headers that stay the same for all sends of this call."""
        return {"Idempotency-Key": self.idempotency_key or uuid.uuid4().hex} if self.keyed else {}


class Page(list[T]):
    """One page of a listing; the last one has no `next_cursor`."""

    def __init__(self, items: Sequence[T], next_cursor: str | None) -> None:
        super().__init__(items)
        self.next_cursor = next_cursor


@dataclass(frozen=True, slots=True)
class Content:
    """A file or picture. `width` and `height` in points and `page_count` if the answer is a page."""

    data: bytes
    media_type: str
    width: float | None = None
    height: float | None = None
    page_count: int | None = None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the bytes to a file."""
        Path(path).write_bytes(self.data)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, bytes]:
        """Show a picture in a notebook."""
        return {self.media_type: self.data} if self.media_type.startswith("image/") else {}


SCAN_RUNNING, SCANS_S = "scan-running", 3600.0
"""Code while names are searched for, and the seconds for which a call waits for that."""


@dataclass(frozen=True, slots=True)
class JobEvent:
    """An event of a job. `job` carries the current job; `end` comes once, without it."""

    kind: Literal["job", "end"]
    job: types.Job | None = None


def fill(template: str, **values: str | int) -> str:
    """Return the path with its values, each quoted as one segment."""
    return template.format(**{name: quote(str(value), safe="") for name, value in values.items()})


class FinetuneOptions(TypedDict, total=False):
    """Options of the fine-tune export; all filters are off by default."""

    redacted: bool
    style: str
    dedup: bool
    min_chars: int
    max_chars: int
    language: str
    split: str
    val_ratio: float
    template: str


def finetune_call(job_id: str, options: FinetuneOptions) -> Call[str]:
    """Return the request of the export, to be read line by line."""
    return Call[str]("GET", fill("/v1/jobs/{job_id}/export/finetune", job_id=job_id), query=dict(options))


def _plain(value: Any) -> str | list[str]:
    if isinstance(value, list | tuple):
        return [str(part) for part in value]
    return str(value).lower() if isinstance(value, bool) else str(value)
