"""Limits on source locations, set by the operator, and by tenant if keys of several tenants exist."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, assert_never

from quire.storage.sources.connectors.bucket import BucketConnector
from quire.storage.sources.connectors.contract import SourceRefused
from quire.storage.sources.connectors.directory import DirectoryConnector

TENANT = "{tenant}"
"""Placeholder of the tenant's name in a fence."""


class SourceKind(StrEnum):
    """Kind of a source's location."""

    DIRECTORY = "directory"
    S3 = "s3"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceGate:
    """Decides which locations may be sources.

    Attributes:
        workdir: Folder of the deployment, which is never a source.
        root: Fence around directories; may contain `{tenant}`. None: any directory.
        buckets: Prefixes that S3 sources must start with; may contain `{tenant}`. Empty: any bucket.
        tenants: Tenants of the configured keys. With several of them, fences without `{tenant}` are ignored.
        max_bytes: Size of the largest file taken.
        s3_options: Options for an S3-compatible store.
    """

    workdir: Path
    root: Path | None = None
    buckets: tuple[str, ...] = ()
    tenants: frozenset[str] = frozenset()
    max_bytes: int = 50 << 20
    s3_options: Mapping[str, Any] = field(default_factory=dict)

    def connect(
        self, kind: SourceKind, location: str, tenant: str, known: frozenset[str] = frozenset()
    ) -> DirectoryConnector | BucketConnector:
        """Return the connector of a location. Raises SourceRefused.

        `known` are tenants of keys that were added since the start.
        """
        shared = len(self.tenants | known | {tenant}) > 1
        match kind:
            case SourceKind.DIRECTORY:
                return DirectoryConnector(location, fence=self._fence(tenant, shared), workdir=self.workdir)
            case SourceKind.S3:
                self._check_bucket(location, tenant, shared)
                return BucketConnector(location, self.s3_options)
            case _:
                assert_never(kind)

    def _fence(self, tenant: str, shared: bool) -> Path | None:
        root = None if self.root is None else str(self.root)
        if shared and (root is None or TENANT not in root):
            raise SourceRefused(f"keys of several tenants are active: SVC_SOURCE_ROOT must name {TENANT}")
        return None if root is None else Path(root.replace(TENANT, tenant))

    def _check_bucket(self, location: str, tenant: str, shared: bool) -> None:
        fences = [fence for fence in self.buckets if TENANT in fence or not shared]
        if shared and not fences:
            raise SourceRefused(f"keys of several tenants are active: SVC_SOURCE_BUCKETS must name {TENANT}")
        inside = (fence.replace(TENANT, tenant).rstrip("/") + "/" for fence in fences)
        if self.buckets and not any(f"{location.rstrip('/')}/".startswith(place) for place in inside):
            raise SourceRefused("the bucket or prefix is outside SVC_SOURCE_BUCKETS")
