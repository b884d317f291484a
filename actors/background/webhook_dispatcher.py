"""The dispatcher of webhooks: fans events out, claims due deliveries, sends them and records the results.

Sends signed requests on threads, few per receiver, so that a hanging receiver does not delay the others. It may die at
any moment: an unfinished claim expires and is sent again under the same id.
"""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Protocol

from quire.actors.background.claim_loop import ClaimLoop
from quire.storage.values.errors import StorageError, UrlRefused
from quire.storage.webhooks.egress import HttpAnswer, Unreachable
from quire.storage.webhooks.outbox import DeliveryBatch, Outcome
from quire.storage.webhooks.signatures import sign_headers

log = logging.getLogger(__name__)
THREADS = 32  # concurrent deliveries: each waits for an external server, none computes
PER_WEBHOOK = 2  # concurrent deliveries to one receiver, so that a slow one cannot hold all threads
POLL_S = 0.5  # seconds between looks at the outbox: an event leaves within one


class Outbox(Protocol):
    """`quire.storage.webhooks.outbox`, bound to a store."""

    def fan_out(self) -> int:
        """Create the deliveries of new events and return the number of events."""

    def claim(self, limit: int, busy: frozenset[str]) -> list[DeliveryBatch]:
        """Claim up to `limit` due deliveries of receivers that are not `busy`."""

    def settle(self, delivery: DeliveryBatch, outcome: Outcome) -> bool:
        """Record the result of an attempt; False if another worker holds the delivery now."""


Post = Callable[[str, bytes, Mapping[str, str]], HttpAnswer]


class Dispatcher:
    """Sends deliveries: one loop and `threads` senders."""

    def __init__(
        self,
        outbox: Outbox,
        post: Post,
        *,
        threads: int = THREADS,
        per_webhook: int = PER_WEBHOOK,
        poll_s: float = POLL_S,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._outbox, self._post, self._clock = outbox, post, clock
        self._limit, self._per_webhook = threads, per_webhook
        self._sending: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._loop = ClaimLoop("dispatcher", self.turn, threads=threads, poll_s=poll_s)

    def start(self) -> None:
        """Start the loop."""
        self._loop.start()

    def healthy(self) -> bool:
        """Return whether the loop turns."""
        return self._loop.healthy()

    def drain(self, timeout_s: float) -> bool:
        """Claim nothing new; calls in progress end within their time limit, or their claims expire."""
        return self._loop.drain(timeout_s)

    def turn(self) -> int:
        """Fan out and claim once; return the number of events and deliveries."""
        fanned = self._outbox.fan_out()
        with self._lock:
            room = self._limit - self._sending.total()
            busy = frozenset(hook for hook, sending in self._sending.items() if sending >= self._per_webhook)
        deliveries = self._outbox.claim(room, busy) if room > 0 else []
        for delivery in deliveries:
            with self._lock:
                self._sending[delivery.webhook_id] += 1
            self._loop.submit(partial(self._deliver, delivery))
        return fanned + len(deliveries)

    def _deliver(self, delivery: DeliveryBatch) -> None:
        try:
            self._outbox.settle(delivery, self._send(delivery))
        except StorageError as error:
            log.warning("delivery not settled: %s", error.code)
        finally:
            with self._lock:
                self._sending[delivery.webhook_id] -= 1
                self._sending += Counter()  # drops the zeros
            self._loop.wake()

    def _send(self, delivery: DeliveryBatch) -> Outcome:
        now = int(self._clock())
        headers = sign_headers(delivery.secrets, delivery.event, delivery.event_id, now, delivery.body)
        try:
            answer = self._post(delivery.url, delivery.body, headers)
        except (Unreachable, UrlRefused) as error:
            return Outcome(error=error.code)
        if 200 <= answer.status < 300:
            return Outcome(status=answer.status)
        asked = _seconds(answer.headers.get("retry-after", ""), self._clock())
        return Outcome(status=answer.status, error=f"http-{answer.status}", retry_after_s=asked)


def _seconds(text: str, now: float) -> float:
    """Return `Retry-After` in seconds, from either of its forms; 0 if it is unreadable."""
    if text.isdecimal():
        return float(text[:9])
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (ValueError, OverflowError):
        return 0.0
