"""Browser rules of all pages: cookies, the site a request comes from, and the form token. Independent of frameworks.

The dashboard and the console store sessions differently (a signed cookie, a database row), but both use these rules.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from hmac import compare_digest
from typing import Final
from urllib.parse import urlsplit

CONTENT_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""The strictest policy that permits the page's own script."""


@dataclass(frozen=True, slots=True)
class BrowserCookie:
    """A cookie for this site only: scripts cannot read it, and other sites cannot send it.

    Over TLS its name (`__Host-` + `name`) forbids a domain, a path and plain HTTP.
    """

    name: str
    plain_name: str

    def name_for(self, *, tls: bool) -> str:
        """Return the cookie's name; over TLS it has the prefix `__Host-`."""
        return f"__Host-{self.name}" if tls else self.plain_name

    def write(self, value: str, *, tls: bool, lifetime_s: int) -> str:
        """Return the Set-Cookie header; a lifetime of 0 seconds removes the cookie."""
        flags = f"Path=/; Max-Age={lifetime_s}; HttpOnly; SameSite=Strict" + ("; Secure" if tls else "")
        return f"{self.name_for(tls=tls)}={value}; {flags}"

    def read(self, headers: Iterable[tuple[bytes, bytes]], *, tls: bool) -> str | None:
        """Return the cookie's value, or None if it is missing or sent twice, because one copy may have been planted."""
        cookie_name, values = self.name_for(tls=tls), []
        for name, value in headers:
            if name == b"cookie":
                pairs = (part.strip().partition("=") for part in value.decode("latin-1").split(";"))
                values += [text for key, _, text in pairs if key == cookie_name]
        return values[0] if len(values) == 1 else None


class Sender(Enum):
    """Origin of a request according to the browser: this site, another site, or not stated by a program."""

    OURS = auto()
    FOREIGN = auto()
    UNKNOWN = auto()


def find_sender(headers: Mapping[str, str], is_ours: Callable[[str], bool]) -> Sender:
    """Return where the request comes from.

    Args:
        headers: Request headers with lower-case names.
        is_ours: Decides about the host (with its port) of the sending page. A strict referrer policy makes the origin
            "null"; then it gets the requested host, if the browser states that the page has the same origin.
    """
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is None and origin is None:
        return Sender.UNKNOWN
    if site not in (None, "same-origin"):
        return Sender.FOREIGN
    if origin not in (None, "null"):
        host = urlsplit(origin).netloc
    else:
        host = headers.get("host", "") if site is not None else ""
    return Sender.OURS if host and is_ours(host) else Sender.FOREIGN


def is_token(sent: object, expected: str) -> bool:
    """Return whether the form's token equals the session's, in constant time."""
    return isinstance(sent, str) and compare_digest(sent.encode("utf-8", "replace"), expected.encode())
