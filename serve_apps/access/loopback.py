"""Decide whether a caller is on this machine, by the socket's peer and never by a header's claim.

A proxy on the same host, a browser sent here by DNS rebinding, a page of another site and a forwarded request all look
local at first.
"""

import os
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from ipaddress import IPv4Address, IPv6Address, ip_address

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
_FORWARDING = frozenset(
    b"forwarded via cdn-loop x-real-ip x-client-ip x-cluster-client-ip x-proxyuser-ip true-client-ip fastly-client-ip"
    b" fly-client-ip cf-connecting-ip cloudfront-viewer-address x-envoy-external-address"
    b" x-original-forwarded-for".split()
)
_LISTENING = "0A"  # state of a listening socket in /proc/net/tcp


def is_loopback_peer(address: str) -> bool:
    """Return whether the address is in 127/8, ::1 or ::ffff:127/8."""
    try:
        return _parse_address(address).is_loopback
    except ValueError:
        return False


def _parse_address(address: str) -> IPv4Address | IPv6Address:
    """Return the address; an IPv4 address that is mapped to IPv6 becomes IPv4 again."""
    ip = ip_address(address)
    mapped = ip.ipv4_mapped if isinstance(ip, IPv6Address) else None
    return mapped or ip


def is_loopback_host(host: str) -> bool:
    """Return whether an address to listen on is reached from this machine only."""
    return host == "localhost" or is_loopback_peer(host.strip("[]"))


def is_local_caller(
    peer: str | None,
    headers: Iterable[tuple[bytes, bytes]],
    *,
    allowed_hosts: Collection[str] = (),
    trusted_proxies: Collection[str] = (),
) -> bool:
    """Return whether peer, headers and Host all show a local caller and proxies are not configured.

    Args:
        peer: The socket's address; None if unknown, which counts as not local.
        headers: ASGI header pairs.
        allowed_hosts: Further accepted host names, without port.
        trusted_proxies: Configured proxies; any makes the result False.
    """
    if peer is None or trusted_proxies or not is_loopback_peer(peer):
        return False
    values_by_name: dict[bytes, list[bytes]] = {}
    for name, value in headers:
        if name in _FORWARDING or name.startswith(b"x-forwarded-"):
            return False
        values_by_name.setdefault(name, []).append(value)
    hosts = values_by_name.get(b"host", [])
    if len(hosts) != 1 or _is_foreign_page(values_by_name, hosts[0]):
        return False
    return _host_name(hosts[0]) in LOOPBACK_NAMES.union(host.lower() for host in allowed_hosts)


def is_own_user(peer: str, port: int) -> bool:
    """Return whether a loopback caller runs as root or as the user of this process.

    Linux lists the owner of each socket. A caller whose socket is not listed, because it is closed or because the
    system lists no sockets, counts as an own user: the answer to a closed socket reaches no process.

    Args:
        peer: Address of the caller's socket.
        port: Port of the caller's socket.
    """
    return all(owner in (0, os.geteuid()) for owner in _iter_owners(peer, port))


def _iter_owners(peer: str, port: int) -> Iterator[int]:
    """Yield the user ids of the sockets with this local address and port, listening ones excepted (see proc(5))."""
    ip = _parse_address(peer)
    words = [int.from_bytes(ip.packed[start : start + 4], sys.byteorder) for start in range(0, len(ip.packed), 4)]
    address = "".join(f"{word:08X}" for word in words) + f":{port:04X}"
    try:
        with open("/proc/net/tcp" if isinstance(ip, IPv4Address) else "/proc/net/tcp6", encoding="ascii") as sockets:
            rows = [line.split() for line in sockets]
    except OSError:
        return
    for row in rows:
        if row[1] == address and row[3] != _LISTENING:
            yield int(row[7])


def _is_foreign_page(values_by_name: Mapping[bytes, list[bytes]], host: bytes) -> bool:
    """Return whether the browser states that a page of another site sent the request, perhaps with a key."""
    if b"sec-fetch-site" in values_by_name:  # the page itself cannot write this header
        return any(site.strip().lower() not in (b"same-origin", b"none") for site in values_by_name[b"sec-fetch-site"])
    return any(origin.partition(b"://")[2].lower() != host.lower() for origin in values_by_name.get(b"origin", []))


def _host_name(value: bytes) -> str:
    """Return the host without its port, in lower case; `[::1]` keeps its brackets."""
    text = value.decode("latin-1").lower()
    name, colon, port = text.rpartition(":")
    return name if colon and port.isdigit() and not text.endswith("]") else text
