"""What happens to a document whose reading ended without a tree: another start, the end, or back to the queue for free.

In comes a `ReadOutcome`, out a disposition. Pure; counting starts is the queue's.
"""

import traceback
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from models.cdom.errors import RETRYABLE, ErrorCode
from models.cdom.ports import ReadOutcome
from storage.values.backoff import BackoffPolicy


class Disposition(StrEnum):
    """`release` is free and immediate, `retry` is charged and delayed, `fail` is final."""

    PUBLISH = "publish"
    RELEASE = "release"
    RETRY = "retry"
    FAIL = "fail"


def judge(outcome: ReadOutcome) -> Disposition:
    """Deterministic errors are final at once; the infrastructure's are retried, or free when nothing was read."""
    if outcome.error is None:
        return Disposition.PUBLISH
    if not outcome.charged:
        return Disposition.RELEASE
    return Disposition.RETRY if outcome.error in RETRYABLE else Disposition.FAIL


class Clock(Protocol):
    """Anything that can wait, cut short by a stop: `threading.Event.wait` of the stop event."""

    def __call__(self, timeout: float, /) -> bool: ...


class Backoff:
    """Growing pauses after consecutive faults of the infrastructure; one success ends them."""

    def __init__(self, wait: Clock, *, first_s: float = 0.2, most_s: float = 5.0) -> None:
        self._wait, self._policy = wait, BackoffPolicy(first_s, most_s)
        self.faults = 0

    def pause(self) -> None:
        """Wait longer than last time; returns early when the stop event is set."""
        self._wait(self._policy.pause_s(self.faults))
        self.faults += 1

    def reset(self) -> None:
        self.faults = 0


def as_error(error: ErrorCode | None) -> str:
    """The stored code of an outcome that failed."""
    return (error or ErrorCode.INTERNAL).value


def locate(error: BaseException) -> str:
    """Type and place of an exception, for logs: its text often quotes the document."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return type(error).__name__ + place
