"""Number of replicas that a pool needs: pure rules over measurements, and a damper against oscillation.

Measurements (counts and ages, each with its time in seconds) become replica counts. No clock, no Ray, no SQL: the
policies of autoscaling.py and the simulation in tests/lab/sim use the same rules.
"""

import math
from collections import deque
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueLook:
    """The queue at one moment, `measured_at` in seconds.

    `queued` are ready for a reader, `reading` are being read, `held` are claimed documents that wait elsewhere
    (recogniser, embedder, publisher); `oldest_wait_s` is the longest wait of the queued ones.
    """

    queued: int
    reading: int
    held: int
    oldest_wait_s: float
    measured_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderLaw:
    """Parameters of the reader pool.

    `per_replica`: waiting documents per reader; `inflight`: most documents one reader holds; `load`: share of readers
    that should be busy; `patience_s`: a longer wait is a backlog at any depth.
    """

    per_replica: int = 4
    inflight: int = 8
    load: float = 0.8
    patience_s: float = 5.0


def recommend_readers(look: QueueLook, busy: float, replicas: int, law: ReaderLaw) -> int:
    """Return the readers for running work (`busy`, smoothed) and, if there is a backlog, for waiting work.

    Depth alone would let a pool shrink under its own work and grow again, because a pool of the right size keeps the
    queue short. A backlog is a queue too deep for `replicas`, or too old.
    """
    if not look.queued + look.reading + look.held:
        return 0  # the damper accounts for recent work
    steady = busy / law.load
    backlog = look.queued > law.per_replica * replicas or look.oldest_wait_s > law.patience_s
    waiting = look.queued / law.per_replica if backlog else 0.0
    return math.ceil(max(steady + waiting, look.held / law.inflight) - 1e-9)


def recommend_replicas(ongoing: float, per_replica: float, limit: int | None = None) -> int:
    """Return replicas for calls that run or wait: at least one while there is a call, at most `limit`."""
    replicas = math.ceil(ongoing / per_replica - 1e-9)
    return replicas if limit is None else min(replicas, limit)


class Damper:
    """Grows at once, shrinks only to the highest recommendation of the last `window_s` seconds."""

    def __init__(self, window_s: float) -> None:
        self._window_s = window_s
        self._seen: deque[tuple[float, int]] = deque()  # falling counts: an older, lower one can never matter again

    def damp(self, measured_at: float, replicas: int) -> int:
        """Return the highest recommendation of the window, this one included. `measured_at` never decreases."""
        while self._seen and self._seen[-1][1] <= replicas:
            self._seen.pop()
        self._seen.append((measured_at, replicas))
        while self._seen[0][0] < measured_at - self._window_s:
            self._seen.popleft()
        return self._seen[0][1]


class Smoothed:
    """A count smoothed over `time_s` seconds (exponential); the first value is taken as it is."""

    def __init__(self, time_s: float) -> None:
        self._time_s, self._value, self._at = time_s, 0.0, -math.inf

    def update(self, measured_at: float, value: float) -> float:
        """Return the smoothed value; the same moment twice changes nothing."""
        share = 1 - math.exp(-(measured_at - self._at) / self._time_s) if measured_at > self._at else 0.0
        self._value += (value - self._value) * share
        self._at = max(measured_at, self._at)
        return self._value


class ReaderDemand:
    """The rule of the reader pool with its state: twenty seconds of smoothing, a minute before it shrinks."""

    def __init__(self, law: ReaderLaw | None = None, *, smooth_s: float = 20.0, window_s: float = 60.0) -> None:
        self.law = law or ReaderLaw()
        self._busy, self._damper = Smoothed(smooth_s), Damper(window_s)

    def want(self, look: QueueLook, replicas: int) -> int:
        """Return the number of readers needed now; `replicas` is the current number.

        A reader reads one document at a time, so at most `replicas` are busy: other claimed documents wait elsewhere.
        """
        busy = self._busy.update(look.measured_at, min(look.reading, replicas))
        return self._damper.damp(look.measured_at, recommend_readers(look, busy, replicas, self.law))
