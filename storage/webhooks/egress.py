"""HTTP client for URLs that callers name: checked after resolving, and connected to the checked addresses only.

Takes a URL and a body, and returns the receiver's status. No redirects, no proxies of the environment, at most 15 s and
64 KiB per exchange. Knows nothing of webhooks.
"""

import http.client
import socket
import ssl
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from quire.storage.values.address import NetworkAddress, parse_address
from quire.storage.values.errors import UrlRefused

TIMEOUT_S = 15.0  # seconds a receiver may take, all in all
MAX_ANSWER_BYTES = 64 * 1024  # bytes of a receiver's answer that are read
PORTS = frozenset({80, 443, 8080, 8443})
"""Ports of public receivers; an allowed private receiver may use any port."""

_V4_DENIED = tuple(
    ip_network(text)
    for text in [
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "168.63.129.16/32",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    ]
)
_V6_GLOBAL = ip_network("2000::/3")
_V6_DENIED = tuple(
    ip_network(text) for text in ["2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"]
)
_NEVER = tuple(
    ip_network(text)
    for text in [
        "0.0.0.0/32",
        "100.100.100.200/32",
        "168.63.129.16/32",
        "169.254.0.0/16",
        "192.0.0.192/32",
        "224.0.0.0/4",
        "::/128",
        "fd00:ec2::/32",
        "fe80::/10",
        "ff00::/8",
    ]
)
"""Refused even for allowed receivers: the unspecified address, link-local, metadata services of clouds, multicast."""

Address = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Sequence[str]]


class Unreachable(Exception):
    """The receiver did not answer; `code` names the kind of failure."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class CheckedUrl:
    """A checked URL; `addresses` are all that its name resolves to now."""

    address: NetworkAddress
    addresses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """Answer of a receiver. `headers` by lower-case name."""

    status: int
    headers: Mapping[str, str]


def is_public(address: Address) -> bool:
    """Return whether this is provably an address of the public internet; embedded and unassigned ones are not."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        return address in _V6_GLOBAL and not any(address in network for network in _V6_DENIED) and address.is_global
    return not any(address in network for network in _V4_DENIED) and address.is_global


def system_resolve(host: str, port: int) -> Sequence[str]:
    """Return every address of a name by the system's resolver."""
    entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in entries]


class Egress:
    """Checks and calls URLs. `allow`: permitted private receivers, as `name` or `address`, either with `:port`."""

    def __init__(
        self, allow: Sequence[str] = (), *, resolve: Resolve = system_resolve, timeout_s: float = TIMEOUT_S
    ) -> None:
        self._allow = frozenset(entry.lower() for entry in allow)
        self._resolve, self._timeout_s = resolve, timeout_s

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        """The system's trusted certificates, loaded on the first TLS address, because that takes 27 ms."""
        return ssl.create_default_context()

    def check(self, url: str) -> CheckedUrl:
        """Return the target, resolved now. Raises `UrlRefused` if any part or any address is denied."""
        address = parse_address(url)
        allowed = not self._allow.isdisjoint({address.host, address.authority})
        if not allowed and address.port not in PORTS:
            raise UrlRefused(f"the port is not one of {', '.join(map(str, sorted(PORTS)))}")
        return CheckedUrl(address, self.resolve(address, allowed=allowed))

    def resolve(self, address: NetworkAddress, *, allowed: bool) -> tuple[str, ...]:
        """Return all addresses of a host. `allowed`: the operator permits it, so private ones are accepted.

        Raises:
            UrlRefused: The name has no address, or one that may not be called.
        """
        try:
            addresses = tuple(dict.fromkeys(self._resolve(address.host, address.port)))
        except (OSError, UnicodeError):
            raise UrlRefused("the host's name cannot be resolved") from None
        if not addresses or not all(_may_call(text, allowed) for text in addresses):
            raise UrlRefused("the host is or resolves to an address that is not public")
        return addresses

    def connect(self, target: CheckedUrl, timeout_s: float) -> "GuardedConnection":
        """Return a connection, not yet open, that will reach the checked addresses only."""
        return GuardedConnection(target, self._tls if target.address.scheme == "https" else None, timeout_s)

    def post(self, url: str, body: bytes, headers: Mapping[str, str], *, timeout_s: float | None = None) -> HttpAnswer:
        """Send one POST. Raises `UrlRefused` (the name may resolve differently by now) and `Unreachable`."""
        target = self.check(url)
        most_s = self._timeout_s if timeout_s is None else min(timeout_s, self._timeout_s)
        connection = self.connect(target, most_s)
        deadline = threading.Timer(most_s, connection.cut)
        deadline.daemon = True
        deadline.start()
        try:
            connection.request("POST", target.address.path, body, {"Host": target.address.netloc, **headers})
            response = connection.getresponse()
            response.read(MAX_ANSWER_BYTES)
            return HttpAnswer(response.status, {name.lower(): value for name, value in response.getheaders()})
        except (OSError, http.client.HTTPException, AttributeError) as error:
            raise Unreachable(describe_failure(error, connection.was_cut)) from None
        finally:
            deadline.cancel()
            connection.close()


class GuardedConnection(http.client.HTTPConnection):
    """Connects to the checked addresses only; TLS and Host keep the name."""

    def __init__(self, target: CheckedUrl, tls: ssl.SSLContext | None, timeout_s: float) -> None:
        super().__init__(target.address.host, target.address.port, timeout=timeout_s)
        self._target, self._tls, self._timeout_s = target, tls, timeout_s
        self.was_cut = False

    def connect(self) -> None:
        """Open the socket, with TLS for https."""
        self.sock = self._open()
        if self._tls is not None:
            self.sock = self._tls.wrap_socket(self.sock, server_hostname=self._target.address.host)

    def cut(self) -> None:
        """End the exchange from the deadline's thread, whichever step it is waiting in."""
        self.was_cut = True
        if self.sock is not None:
            try:
                socket.socket.shutdown(self.sock, socket.SHUT_RDWR)
            except OSError:
                return

    def _open(self) -> socket.socket:
        failure: OSError = ConnectionError()
        for text in self._target.addresses[:4]:
            try:
                opened = socket.create_connection((text, self._target.address.port), self._timeout_s)
            except OSError as error:
                failure = error
                continue
            if ip_address(opened.getpeername()[0]) != ip_address(text):
                opened.close()
                raise ConnectionError("another peer")
            return opened
        raise failure


def _may_call(text: str, allowed: bool) -> bool:
    try:
        address: Address = ip_address(text)
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    if any(address in network for network in _NEVER if network.version == address.version):
        return False
    return allowed or (is_public(address) and not _is_own(address))


def _is_own(address: Address) -> bool:
    """Return whether the address belongs to this machine, by binding to it."""
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((str(address), 0))
    except OSError:
        return False
    return True


def describe_failure(error: BaseException, was_cut: bool) -> str:
    """Return the stable code of a failed exchange."""
    if was_cut or isinstance(error, TimeoutError):
        return "timeout"
    if isinstance(error, ssl.SSLError):
        return "tls"
    if isinstance(error, http.client.HTTPException):
        return "not-http"
    return "connection-refused" if isinstance(error, ConnectionRefusedError) else "connection-lost"
