"""Delays between retries, which double up to a bound. Pure functions, shared by every retry without a fixed list.

The queue and webhooks follow lists of delays in the settings instead: those are promises to users.
"""

from dataclasses import dataclass
from typing import Final

_MOST_DOUBLINGS: Final = 30
"""Beyond it every bound is reached: 2^30 times a millisecond are twelve days."""


@dataclass(frozen=True, slots=True)
class BackoffPolicy:
    """Delays in seconds: `first_s` before the second attempt, then doubled each time up to `most_s`."""

    first_s: float
    most_s: float

    def pause_s(self, failures: int) -> float:
        """Return the seconds to wait after this many consecutive failures.

        >>> [BackoffPolicy(0.5, 3).pause_s(failures) for failures in (0, 1, 2, 3, 10**9)]
        [0.5, 1.0, 2.0, 3, 3]
        """
        return min(self.most_s, self.first_s * 2.0 ** min(failures, _MOST_DOUBLINGS))
