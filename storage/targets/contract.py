"""Interface of targets: the records that they receive, the calls that they answer, and their settings.

An entry point of the group `quire.targets` is a function from `TargetSettings` to a `Target` (docs/targets.md).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from quire.storage.values.address import HTTP_PORTS, NetworkAddress, parse_address
from quire.storage.values.errors import UrlRefused
from quire.storage.webhooks.egress import CheckedUrl, Egress

SettingValue = str | int | bool
TIMEOUT_S = 20.0  # seconds for one call of a target: a slow bulk write takes two


class TargetRefused(ValueError):
    """The settings cannot be used, or the target cannot be reached at registration. The text is shown to the caller."""

    code = "target-refused"


class TargetUnavailable(Exception):
    """The target cannot be reached now. The records are sent again later; `code` names the reason."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class RecordRefused(Exception):
    """The target is reachable and will never accept this record. `code` names the reason."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetRecord:
    """A chunk of a document. The same document, run and chunk always have the same `id` (a UUID).

    `run` names the reading and chunking of the document; `pages` is (first, last); `boxes` are `{page, bbox}` in
    points; `vector` is None in a service without an embedding model; `metadata` is that of the job; `principals` are
    the callers that may find the document, None for all.
    """

    id: str
    document_id: str
    run: str
    chunk_id: str
    index: int
    text: str
    source_file: str
    pages: tuple[int, int]
    headings: tuple[str, ...] = ()
    boxes: tuple[dict[str, Any], ...] = ()
    language: str | None = None
    metadata: Any = None
    principals: tuple[str, ...] | None = None
    vector: Sequence[float] | None = None

    def payload(self) -> dict[str, Any]:
        """Return everything except the vector as JSON values."""
        facts = asdict(self)
        del facts["vector"]
        lists = {name: list(facts[name]) for name in ("pages", "headings", "boxes")}
        return facts | lists | {"principals": None if self.principals is None else list(self.principals)}


class Target(Protocol):
    """A connection to a target. One thread uses it and closes it; every call may be repeated."""

    def check(self) -> None:
        """Raise an error unless the target answers now."""
        ...

    def upsert(self, records: Sequence[TargetRecord]) -> None:
        """Write records durably. A record with an id that is already stored replaces it."""
        ...

    def delete(self, document_id: str, keep_run: str | None) -> None:
        """Delete the document's records, except those of the run to keep. A missing document is accepted."""
        ...

    def close(self) -> None:
        """Release the connection."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetNetwork:
    """Addresses that targets may reach. `allow`: hosts, each also with `:port`. `egress` resolves their names."""

    allow: frozenset[str] = frozenset()
    egress: Egress = field(default_factory=Egress)

    def require(self, address: NetworkAddress) -> CheckedUrl:
        """Return the address with what its name resolves to.

        Raises:
            TargetRefused: The operator does not allow this host, or its name has no address that may be called.
        """
        if self.allow.isdisjoint({address.host, address.authority}):
            raise TargetRefused(f"SVC_TARGET_ALLOW does not list the host {address.host}")
        try:
            return CheckedUrl(address, self.egress.resolve(address, allowed=True))
        except UrlRefused as error:
            raise TargetRefused(f"{address.host}: {error}") from None


class TargetSettings:
    """Settings of one target as a kind reads them. Names that no call has read are unknown to the kind."""

    def __init__(
        self,
        values: Mapping[str, SettingValue],
        network: TargetNetwork,
        *,
        secret: str | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self._values, self._read = values, set[str]()
        self.network, self.secret, self.timeout_s = network, secret, timeout_s

    def text(self, name: str, default: str | None = None) -> str:
        """Return a setting as text. Raises TargetRefused if it is missing and has no default."""
        self._read.add(name)
        value = self._values.get(name, default)
        if not isinstance(value, str) or not value:
            raise TargetRefused(f"settings.{name}: a text is required")
        return value

    def optional(self, name: str) -> str | None:
        """Return a setting as text, or None if it is missing."""
        self._read.add(name)
        return self.text(name) if name in self._values else None

    def address(self, name: str, ports: Mapping[str, int] = HTTP_PORTS, *, user_allowed: bool = False) -> CheckedUrl:
        """Return an address whose host the operator allows. Clients receive its parts or its `url`, never the text.

        Args:
            name: Name of the setting.
            ports: Allowed schemes with the port of an address that states none.
            user_allowed: Accept a user name before the host. Passwords are the secret of the target.

        Raises:
            TargetRefused: The setting is missing, is not such an address, or names a host that is not allowed.
        """
        try:
            address = parse_address(self.text(name), ports, user_allowed=user_allowed)
        except UrlRefused as error:
            raise TargetRefused(f"settings.{name}: {error}; name one host and no password, which is `secret`") from None
        if "?" in address.path:
            raise TargetRefused(f"settings.{name}: name one host and no password or query")
        return self.network.require(address)

    def url(self, name: str, ports: Mapping[str, int] = HTTP_PORTS) -> str:
        """Return `address(name, ports)` as a URL that is written from the checked parts."""
        return self.address(name, ports).address.url

    def unknown(self) -> list[str]:
        """Return the names of settings that were never read."""
        return sorted(set(self._values) - self._read)


OpenTarget = Callable[[TargetSettings], Target]
