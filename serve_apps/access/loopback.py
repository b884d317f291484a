"""Decide whether a caller is on this machine, by the socket's peer and never by a header's claim.

A proxy on the same host, a browser sent here by DNS rebinding, a page of another site and a forwarded request all look
local at first.
"""

from collections.abc import Collection, Iterable, Mapping
from ipaddress import IPv6Address, ip_address

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
_FORWARDING = frozenset({b"forwarded", b"via", b"x-real-ip", b"x-client-ip", b"true-client-ip", b"cf-connecting-ip"})


def is_loopback_peer(address: str) -> bool:
    """Return whether the address is in 127/8, ::1 or ::ffff:127/8."""
    try:
        ip = ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, IPv6Address) and ip.ipv4_mapped is not None:
        ip = ip.ipv4_mapped
    return ip.is_loopback


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
    said: dict[bytes, list[bytes]] = {}
    for name, value in headers:
        if name in _FORWARDING or name.startswith(b"x-forwarded-"):
            return False
        said.setdefault(name, []).append(value)
    hosts = said.get(b"host", [])
    if len(hosts) != 1 or _is_foreign_page(said, hosts[0]):
        return False
    return _host_name(hosts[0]) in LOOPBACK_NAMES.union(host.lower() for host in allowed_hosts)


def _is_foreign_page(said: Mapping[bytes, list[bytes]], host: bytes) -> bool:
    """Return whether the browser states that a page of another site sent the request, perhaps with a key."""
    if b"sec-fetch-site" in said:  # the page itself cannot write this header
        return any(site.strip().lower() not in (b"same-origin", b"none") for site in said[b"sec-fetch-site"])
    return any(origin.partition(b"://")[2].lower() != host.lower() for origin in said.get(b"origin", []))


def _host_name(value: bytes) -> str:
    """Return the host without its port, in lower case; `[::1]` keeps its brackets."""
    text = value.decode("latin-1").lower()
    name, colon, port = text.rpartition(":")
    return name if colon and port.isdigit() and not text.endswith("]") else text
