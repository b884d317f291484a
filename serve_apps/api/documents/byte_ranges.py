"""Range requests of RFC 9110 for one range of bytes. Other ranges are ignored, as the RFC allows."""

import re
from collections.abc import Mapping

from quire.serve_apps.api.http.refusals import RangeRefused

_RANGE = re.compile(r"bytes=(?:(\d{1,18})-(\d{1,18})?|-(\d{1,18}))")


def find_range(headers: Mapping[str, str], size: int, etag: str) -> range | None:
    """Return the requested byte positions; None if the request is for the whole file.

    Args:
        headers: Request headers.
        size: Bytes of the file.
        etag: Its current entity tag. `If-Range` with another one, or with a date, requests the whole file.

    Raises:
        RangeRefused: The file has none of the requested bytes.
    """
    match = _RANGE.fullmatch(headers.get("range", "").strip().lower())
    if match is None or headers.get("if-range", etag) != etag:
        return None
    first, last, suffix = match.groups()
    if suffix is not None:
        positions = range(max(0, size - int(suffix)), size)
    else:
        positions = range(int(first), min(int(last) + 1 if last is not None else size, size))
        if last is not None and int(last) < int(first):
            return None
    if not positions:
        raise RangeRefused(size)
    return positions
