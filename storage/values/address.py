"""Network addresses from settings and callers: split and checked once, then written again from the checked parts.

Parsers disagree on backslashes, user parts, blanks and default ports. A client therefore receives `NetworkAddress.url`
or its parts, never the text that was checked. Resolving names is the work of `quire.storage.webhooks.egress`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv6Address
from urllib.parse import urlsplit

from quire.storage.values.errors import UrlRefused

MAX_URL_BYTES = 8192  # bytes of an address
HTTP_PORTS: Mapping[str, int] = {"http": 80, "https": 443}
"""Schemes of HTTP and their usual ports."""

_PLAIN = re.compile(r"[!#-;=?-\[\]_a-z~]+")  # printable ASCII without " < > \ ^ ` { | } and space
_AUTHORITY = re.compile(r"(\[[0-9a-f:.]+\]|(?!-)[a-z0-9._-]{1,253})(:[0-9]{1,5})?")
_USER = re.compile(r"[A-Za-z0-9._~-]{1,63}")


@dataclass(frozen=True, slots=True)
class NetworkAddress:
    """A checked address. `host` is a lower-case name or an IP address without brackets; `path` includes the query."""

    scheme: str
    host: str
    port: int
    path: str
    user: str | None = None

    @property
    def authority(self) -> str:
        """`host:port`, with brackets around an IPv6 address."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def netloc(self) -> str:
        """The value of the Host header: the port is left out if it is the usual one."""
        return self.authority.removesuffix(f":{HTTP_PORTS.get(self.scheme, 0)}")

    @property
    def url(self) -> str:
        """The address written from its parts, always with the port and never with the user."""
        return f"{self.scheme}://{self.authority}{self.path if self.path != '/' else ''}"


def parse_address(text: str, ports: Mapping[str, int] = HTTP_PORTS, *, user_allowed: bool = False) -> NetworkAddress:
    """Return the parts of an address that is plain in every part.

    Args:
        text: The address as it was written.
        ports: Allowed schemes with the port of an address that states none.
        user_allowed: Accept a user name before the host. A password is never accepted.

    Raises:
        UrlRefused: The address is not plain, or it has another scheme, credentials or a fragment.
    """
    if len(text) > MAX_URL_BYTES or not _PLAIN.fullmatch(text.lower()):
        raise UrlRefused("the URL is too long or holds characters that need encoding")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise UrlRefused("not a URL") from None
    if parts.scheme not in ports:
        raise UrlRefused(f"the scheme is not {' or '.join(ports)}")
    user, separator, authority = parts.netloc.rpartition("@")
    if not _AUTHORITY.fullmatch(authority.lower()):
        raise UrlRefused("not a host name or address")
    if "#" in text or (separator and not (user_allowed and _USER.fullmatch(user))):
        raise UrlRefused("the URL holds credentials or a fragment")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        host = str(IPv6Address(parts.hostname)) if authority.startswith("[") else parts.hostname or ""
    except ValueError:
        raise UrlRefused("not a host name or address") from None
    return NetworkAddress(parts.scheme, host, ports[parts.scheme] if port is None else port, path, user or None)
