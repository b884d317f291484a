"""True address of a request: the peer's, or the one that a trusted proxy reports. Pure.

None if it is unknown; then no limit by address applies, because unrelated callers would share it.
"""

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

Network = IPv4Network | IPv6Network
_IPV6_SITE = 64
"""A household has a whole /64 of IPv6; it counts as one address."""


def read_networks(names: Iterable[str]) -> tuple[Network, ...]:
    """Parse addresses and networks of the settings. Raises ValueError."""
    return tuple(ip_network(name, strict=False) for name in names)


def true_address(peer: str | None, forwarded: Sequence[str], trusted: Sequence[Network]) -> str | None:
    """Return the caller's address, or None if it is unknown.

    Args:
        peer: The socket's address.
        forwarded: Values of X-Forwarded-For; trusted proxies append to its right end.
        trusted: Networks of trusted proxies.
    """
    steps = [part.strip() for value in forwarded for part in value.split(",")]
    address = peer
    while _within(address, trusted) and steps:
        address = steps.pop()
    if _within(address, trusted):
        return None
    return _counted(address)


def _within(text: str | None, networks: Sequence[Network]) -> bool:
    try:
        address = ip_address(text or "")
    except ValueError:
        return False
    return any(address in network for network in networks)


def _counted(text: str | None) -> str | None:
    try:
        address = ip_address(text or "")
    except ValueError:
        return None
    mapped = getattr(address, "ipv4_mapped", None) or address
    if mapped.is_loopback:
        return None
    return str(mapped) if mapped.version == 4 else str(ip_network((mapped, _IPV6_SITE), strict=False))
