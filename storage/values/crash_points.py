"""Named points of the commit protocol at which a test kills this process. Armed once at start by a value handed down.

Unarmed (always, outside tests; `cluster` refuses the setting there) a point costs one comparison.
"""

import os
import signal
from enum import StrEnum


class CrashPoint(StrEnum):
    """Points at which a test can kill the process; each value is the name used in the setting."""

    AFTER_BLOB = "after-blob"
    BEFORE_INTAKE_COMMIT = "before-intake-commit"
    AFTER_INTAKE_COMMIT = "after-intake-commit"
    AFTER_CLAIM = "after-claim"
    BETWEEN_ARTIFACTS = "between-artifacts"
    AFTER_ARTIFACTS = "after-artifacts"
    AFTER_FENCE = "after-fence"
    BEFORE_COMMIT = "before-commit"
    AFTER_COMMIT = "after-commit"
    AFTER_PURGE_ARTIFACTS = "after-purge-artifacts"
    AFTER_PURGE_BLOB = "after-purge-blob"
    BEFORE_PURGE_COMMIT = "before-purge-commit"
    AFTER_INDEX_ROWS = "after-index-rows"
    AFTER_KEYWORDS = "after-keywords"
    AFTER_INDEX_REMOVAL = "after-index-removal"


_armed: CrashPoint | None = None
_passes_left = 0


def arm(spec: str | None) -> None:
    """`name` or `name:n` = die at the n-th passing; None or "" disarms. ValueError: unknown name."""
    global _armed, _passes_left
    name, _, count = (spec or "").partition(":")
    _armed = CrashPoint(name) if name else None
    _passes_left = int(count or "1")


def crash_point(point: CrashPoint) -> None:
    """Die here by SIGKILL when this is the armed point and its passing has come."""
    global _passes_left
    if point is not _armed:
        return
    _passes_left -= 1
    if _passes_left <= 0:
        os.kill(os.getpid(), signal.SIGKILL)
