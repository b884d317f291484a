"""Opens targets: the kinds that this service has, built-in ones and those of plug-ins."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pkgutil import resolve_name

from quire.storage.targets.contract import (
    TIMEOUT_S,
    OpenTarget,
    RecordRefused,
    SettingValue,
    Target,
    TargetNetwork,
    TargetRefused,
    TargetSettings,
    TargetUnavailable,
)
from quire.storage.values.native_panics import native_panics

BUILT_IN = {
    "http": "quire.storage.targets.kinds.http:HttpTarget",
    "postgres": "quire.storage.targets.kinds.postgres:PostgresTarget",
    "s3": "quire.storage.targets.kinds.s3:S3Target",
    "qdrant": "quire.storage.targets.kinds.qdrant:QdrantTarget",
    "opensearch": "quire.storage.targets.kinds.opensearch:OpenSearchTarget",
    "kafka": "quire.storage.targets.kinds.kafka:KafkaTarget",
}
"""Places of the built-in kinds. The last three need the libraries of configs/locks/targets.lock."""
CHECK_TIMEOUT_S = 5.0  # seconds for the calls of a check at registration, while the caller waits


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetKinds:
    """Kinds of targets and the addresses that they may reach. `plugged`: kinds of plug-ins by name."""

    network: TargetNetwork = field(default_factory=TargetNetwork)
    plugged: Mapping[str, OpenTarget] = field(default_factory=dict)

    def names(self) -> list[str]:
        """Return the names of all kinds."""
        return sorted({*BUILT_IN, *self.plugged})

    def open(
        self, kind: str, values: Mapping[str, SettingValue], secret: str | None, *, timeout_s: float = TIMEOUT_S
    ) -> Target:
        """Connect to a target. Raises TargetRefused for settings that the kind does not accept."""
        settings = TargetSettings(values, self.network, secret=secret, timeout_s=timeout_s)
        with native_panics():
            target = self._find(kind)(settings)
        if settings.unknown():
            target.close()
            raise TargetRefused(f"settings: {kind} has no setting {', '.join(settings.unknown())}")
        return target

    def check(self, kind: str, values: Mapping[str, SettingValue], secret: str | None) -> None:
        """Raise TargetRefused unless a target with these settings answers now."""
        try:
            target = self.open(kind, values, secret, timeout_s=CHECK_TIMEOUT_S)
            try:
                with native_panics():
                    target.check()
            finally:
                target.close()
        except TargetRefused:
            raise
        except (TargetUnavailable, RecordRefused) as error:
            raise TargetRefused(f"the target does not answer: {error.code}") from None
        except Exception as error:
            raise TargetRefused(f"the target does not answer: {type(error).__name__}") from None

    def _find(self, kind: str) -> OpenTarget:
        if kind in self.plugged:
            return self.plugged[kind]
        if kind not in BUILT_IN:
            raise TargetRefused(f"kind: expected one of {', '.join(self.names())}")
        try:
            found: OpenTarget = resolve_name(BUILT_IN[kind])
        except ImportError:
            raise TargetRefused(
                f"kind: {kind} needs pip install --require-hashes --no-deps -r configs/locks/targets.lock"
            ) from None
        return found
