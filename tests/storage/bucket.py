"""A bucket of our own on a loopback S3 server, for the tests of what is stored in objects."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Bucket:
    """`url` for `open_bucket`, `options` to reach the server."""

    url: str
    options: dict[str, Any]
