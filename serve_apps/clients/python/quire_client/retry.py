"""Retry rules: when to send a request again, and after which pause. Pure except for the clock of Retry-After dates."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

AGAIN = frozenset({408, 429, 502, 503, 504})
"""Answers after which the same request may succeed."""


@dataclass(frozen=True, slots=True)
class Retry:
    """Up to `attempts` sends; pauses grow from `pause_s` to `most_s`; a Retry-After over `most_s` ends it."""

    attempts: int = 4
    pause_s: float = 0.5
    most_s: float = 60.0

    def delay(self, attempt: int, status: int | None, retry_after_s: float | None, *, repeatable: bool) -> float | None:
        """Return the seconds to pause after send number `attempt` (from 1), or None to give up.

        `status` None: there was no answer. A non-repeatable request is sent again only after 429, because the service
        did nothing then.
        """
        if attempt >= self.attempts or (status is not None and status not in AGAIN):
            return None
        if not repeatable and status != 429:
            return None
        if retry_after_s is not None:
            return retry_after_s if retry_after_s <= self.most_s else None
        return random.uniform(0.5, 1.0) * min(self.most_s, self.pause_s * 2.0 ** (attempt - 1))  # noqa: S311


def read_retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of a Retry-After header (a number or a date), or None."""
    text = headers.get("retry-after")
    if text is None:
        return None
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None
