"""How many replicas a pool is worth: pure laws over what was seen, and the damper that keeps a pool from swinging.

In come looks (counts and ages, each with its time in seconds), out go replica counts. No clock, no Ray, no SQL: the
policies of autoscaling.py and the simulation in tests/sim ask the same laws.
"""

import math
from collections import deque
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueLook:
    """The queue at one moment. `queued` are ready for a reader, `reading` are being read, `held` are claimed documents
    that wait elsewhere (recogniser, embedder, publisher); `oldest_wait_s` of the queued ones."""

    queued: int
    reading: int
    held: int
    oldest_wait_s: float
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderLaw:
    """`per_replica`: waiting documents one reader may work off; `inflight`: documents one reader may hold; `load`:
    share of readers that should be busy; `patience_s`: a wait above it is a backlog whatever its depth."""

    per_replica: int = 4
    inflight: int = 8
    load: float = 0.8
    patience_s: float = 5.0


def recommend_readers(look: QueueLook, busy: float, replicas: int, law: ReaderLaw) -> int:
    """Readers for what is being done (`busy`, smoothed) and, once there is a backlog, for what waits.

    Depth alone would let a pool shrink under its own work and grow again: a queue that is short because the pool is
    right says nothing. A backlog is a queue deeper than `replicas` are worth, or one that is too old.
    """
    if not look.queued + look.reading + look.held:
        return 0  # what was busy a moment ago is the damper's to remember
    steady = busy / law.load
    backlog = look.queued > law.per_replica * replicas or look.oldest_wait_s > law.patience_s
    waiting = look.queued / law.per_replica if backlog else 0.0
    return math.ceil(max(steady + waiting, look.held / law.inflight) - 1e-9)


def recommend_replicas(ongoing: float, per_replica: float, limit: int | None = None) -> int:
    """Replicas for calls that run or wait at callers: at least one while there is a call; `limit` caps it."""
    wanted = math.ceil(ongoing / per_replica - 1e-9)
    return wanted if limit is None else min(wanted, limit)


class Damper:
    """Grows at once, shrinks only to the highest recommendation of the last `window_s` seconds."""

    def __init__(self, window_s: float) -> None:
        self._window_s = window_s
        self._seen: deque[tuple[float, int]] = deque()  # falling counts: an older, lower one can never matter again

    def damp(self, at: float, wanted: int) -> int:
        """`at` never goes back."""
        while self._seen and self._seen[-1][1] <= wanted:
            self._seen.pop()
        self._seen.append((at, wanted))
        while self._seen[0][0] < at - self._window_s:
            self._seen.popleft()
        return self._seen[0][1]


class Smoothed:
    """A count smoothed over `time_s` seconds (exponential); the first value is taken as it is."""

    def __init__(self, time_s: float) -> None:
        self._time_s, self._value, self._at = time_s, 0.0, -math.inf

    def update(self, at: float, value: float) -> float:
        """The smoothed value; the same moment twice changes nothing."""
        share = 1 - math.exp(-(at - self._at) / self._time_s) if at > self._at else 0.0
        self._value += (value - self._value) * share
        self._at = max(at, self._at)
        return self._value


class ReaderDemand:
    """The law of the reader pool with its memory: twenty seconds of smoothing, a minute before it shrinks."""

    def __init__(self, law: ReaderLaw | None = None, *, smooth_s: float = 20.0, window_s: float = 60.0) -> None:
        self.law = law or ReaderLaw()
        self._busy, self._damper = Smoothed(smooth_s), Damper(window_s)

    def want(self, look: QueueLook, replicas: int) -> int:
        """Readers wanted now; `replicas` is how many are wanted so far. A reader reads one document at a time, so no
        more are busy than there are readers: what else is claimed waits for somebody else."""
        busy = self._busy.update(look.at, min(look.reading, replicas))
        return self._damper.damp(look.at, recommend_readers(look, busy, replicas, self.law))
