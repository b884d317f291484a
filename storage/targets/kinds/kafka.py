"""Kafka target: one message for each record and deletion, in the order of a document because its id is the key."""

import json
from collections.abc import Sequence
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from quire.storage.targets.contract import RecordRefused, TargetRecord, TargetRefused, TargetSettings, TargetUnavailable
from quire.storage.values.address import parse_address
from quire.storage.values.errors import UrlRefused

_TOO_LARGE = frozenset({KafkaError.MSG_SIZE_TOO_LARGE, KafkaError.INVALID_MSG, KafkaError.INVALID_MSG_SIZE})


class KafkaTarget:
    """Settings: `servers` (`host:port,host:port`), `topic`, `user`. With a `user`, SASL over TLS takes the secret."""

    def __init__(self, settings: TargetSettings) -> None:
        brokers = [_find_broker(settings, server.strip()) for server in settings.text("servers").split(",")]
        self._topic, self._timeout_s = settings.text("topic", "quire-chunks"), settings.timeout_s
        user = settings.optional("user")
        login = {"security.protocol": "SASL_SSL", "sasl.mechanisms": "PLAIN", "sasl.username": user}
        self._producer = Producer(
            {
                "bootstrap.servers": ",".join(brokers),
                "enable.idempotence": True,
                "delivery.timeout.ms": int(settings.timeout_s * 1000),
                **(login | {"sasl.password": settings.secret or ""} if user else {}),
            }
        )
        self._failures: list[KafkaError] = []

    def check(self) -> None:
        """Ask the brokers for the topic."""
        try:
            self._producer.list_topics(self._topic, timeout=self._timeout_s)
        except KafkaException as error:
            raise TargetUnavailable(error.args[0].name()) from error

    def upsert(self, records: Sequence[TargetRecord]) -> None:
        """Send one message for each record: its payload and vector."""
        self._send(
            (
                record.document_id,
                record.payload() | {"vector": None if record.vector is None else [*map(float, record.vector)]},
            )
            for record in records
        )

    def delete(self, document_id: str, keep_run: str | None) -> None:
        """Send one message with the records that consumers must delete."""
        self._send([(document_id, {"deleted": True, "document_id": document_id, "keep_run": keep_run})])

    def close(self) -> None:
        """Drop messages that were not confirmed; they are sent again."""
        self._producer.purge()

    def _send(self, messages: Any) -> None:
        self._failures.clear()
        try:
            for key, value in messages:
                body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
                self._producer.produce(self._topic, key=key.encode(), value=body, on_delivery=self._delivered)
                self._producer.poll(0)
        except (KafkaException, BufferError) as error:
            raise _to_error(error.args[0] if isinstance(error, KafkaException) else None) from error
        unconfirmed = self._producer.flush(self._timeout_s)
        if self._failures or unconfirmed:
            raise _to_error(self._failures[0] if self._failures else None)

    def _delivered(self, error: KafkaError | None, _: Message) -> None:
        if error is not None:
            self._failures.append(error)


def _find_broker(settings: TargetSettings, server: str) -> str:
    try:
        address = parse_address(f"kafka://{server}", {"kafka": 0})
    except UrlRefused as error:
        raise TargetRefused(f"settings.servers: {error}") from None
    if not address.port or address.path != "/":
        raise TargetRefused("settings.servers: expected host:port, separated by commas")
    return settings.network.require(address).address.authority


def _to_error(error: KafkaError | None) -> Exception:
    if error is None:
        return TargetUnavailable("timeout")
    return RecordRefused(error.name()) if error.code() in _TOO_LARGE else TargetUnavailable(error.name())
