"""HTTP target: one POST for each group of records or deletion, guarded like a webhook and signed like one."""

import json
import time
from collections.abc import Sequence
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from quire.storage.targets.contract import RecordRefused, TargetRecord, TargetRefused, TargetSettings, TargetUnavailable
from quire.storage.values.errors import UrlRefused
from quire.storage.webhooks.egress import Unreachable
from quire.storage.webhooks.signatures import sign_headers

REFUSED = frozenset({400, 413, 422})
"""Statuses with which a receiver says that it will never accept these records."""


class HttpTarget:
    """Settings: `url`. The secret signs each request; without one, requests are not signed."""

    def __init__(self, settings: TargetSettings) -> None:
        self._url, self._secret = settings.text("url"), settings.secret
        self._egress, self._timeout_s = settings.network.egress, settings.timeout_s
        try:
            self._egress.check(self._url)
        except UrlRefused as error:
            raise TargetRefused(f"settings.url: {error}") from None

    def check(self) -> None:
        """Send `{"check": true}`, which the receiver answers with a 2xx status."""
        self._post("target.check", {"check": True})

    def upsert(self, records: Sequence[TargetRecord]) -> None:
        """Send `{"upsert": [...]}`."""
        rows = [
            record.payload() | {"vector": None if record.vector is None else [*map(float, record.vector)]}
            for record in records
        ]
        self._post("target.upsert", {"upsert": rows})

    def delete(self, document_id: str, keep_run: str | None) -> None:
        """Send `{"delete": {"document_id": ..., "keep_run": ...}}`."""
        self._post("target.delete", {"delete": {"document_id": document_id, "keep_run": keep_run}})

    def close(self) -> None:
        """Do nothing: each request has its own connection."""

    def _post(self, event: str, message: dict[str, Any]) -> None:
        body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
        headers = {"Content-Type": "application/json", "User-Agent": "quire-targets", "X-Svc-Event": event}
        if self._secret is not None:
            event_id = str(uuid5(NAMESPACE_OID, body.decode()))
            headers = sign_headers([self._secret], event, event_id, int(time.time()), body)
        try:
            status = self._egress.post(self._url, body, headers, timeout_s=self._timeout_s).status
        except (Unreachable, UrlRefused) as error:
            raise TargetUnavailable(error.code) from None
        if status in REFUSED:
            raise RecordRefused(f"http-{status}")
        if not 200 <= status < 300:
            raise TargetUnavailable(f"http-{status}")
