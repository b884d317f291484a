"""The dispatcher of webhooks: fans events out, claims due deliveries, sends them and records the results.

Sends signed requests on threads, few per receiver, so that a hanging receiver does not delay the others. It may die at
any moment: an unfinished claim expires and is sent again under the same id.
"""

import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime

from quire.actors.background.claim_loop import ClaimLoop
from quire.storage.values.errors import UrlRefused
from quire.storage.webhooks.egress import HttpAnswer, Unreachable
from quire.storage.webhooks.outbox import DeliveryBatch, Outcome, StoreOutbox
from quire.storage.webhooks.signatures import sign_headers

THREADS = 32  # concurrent deliveries: each waits for an external server, none computes
PER_WEBHOOK = 2  # concurrent deliveries to one receiver, so that a slow one cannot hold all threads
POLL_S = 0.5  # seconds between looks at the outbox: an event leaves within one


Post = Callable[[str, bytes, Mapping[str, str]], HttpAnswer]


class Dispatcher(ClaimLoop[DeliveryBatch]):
    """Sends deliveries: one loop and `threads` senders."""

    def __init__(
        self,
        outbox: StoreOutbox,
        post: Post,
        *,
        threads: int = THREADS,
        per_webhook: int = PER_WEBHOOK,
        poll_s: float = POLL_S,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(
            "dispatcher", lambda delivery: delivery.webhook_id, threads=threads, per_receiver=per_webhook, poll_s=poll_s
        )
        self._outbox, self._post, self._clock = outbox, post, clock

    def turn(self) -> int:
        """Fan out and claim once; return the number of events and deliveries."""
        return self._outbox.fan_out() + super().turn()

    def claim(self, limit: int, busy: frozenset[str]) -> list[DeliveryBatch]:
        """Claim due deliveries."""
        return self._outbox.claim(limit, busy)

    def serve(self, work: DeliveryBatch) -> None:
        """Send a delivery and record the result."""
        self._outbox.settle(work, self._send(work))

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
