"""Decides about a document whose reading ended without a tree: retry, fail, or release without charge.

A `ReadOutcome` becomes a disposition. Pure; the queue counts starts.
"""

import traceback
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path

from quire.models.cdom.errors import RETRYABLE, ErrorCode
from quire.models.cdom.ports import ReadOutcome
from quire.storage.values.backoff import BackoffPolicy


class Disposition(StrEnum):
    """Action on an outcome: `release` is free and immediate, `retry` is charged and delayed, `fail` is final."""

    PUBLISH = "publish"
    RELEASE = "release"
    RETRY = "retry"
    FAIL = "fail"


def judge(outcome: ReadOutcome) -> Disposition:
    """Return the disposition: deterministic errors are final, the infrastructure's are retried, or free if unread."""
    if outcome.error is None:
        return Disposition.PUBLISH
    if not outcome.charged:
        return Disposition.RELEASE
    return Disposition.RETRY if outcome.error in RETRYABLE else Disposition.FAIL


Clock = Callable[[float], bool]
"""A wait of some seconds that a stop cuts short, such as `threading.Event.wait`; true if the stop came."""


class Backoff:
    """Growing pauses after consecutive faults of the infrastructure; one success ends them."""

    def __init__(self, wait: Clock, *, first_s: float = 0.2, most_s: float = 5.0) -> None:
        self._wait, self._policy = wait, BackoffPolicy(first_s, most_s)
        self.faults = 0

    def pause(self) -> None:
        """Wait longer than last time; return early if the stop event is set."""
        self._wait(self._policy.pause_s(self.faults))
        self.faults += 1

    def reset(self) -> None:
        """Note a success: the next pause is the shortest again."""
        self.faults = 0


def as_error(error: ErrorCode | None) -> str:
    """Return the stored code of an outcome that failed."""
    return (error or ErrorCode.INTERNAL).value


def locate(error: BaseException) -> str:
    """Return type and source line of an exception, for logs: its text often quotes the document."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return type(error).__name__ + place
