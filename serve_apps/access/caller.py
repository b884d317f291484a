"""Identify the caller: request headers in, a caller with tenant, scope and organisation out.

The tenant comes from the key alone; `X-DE-Org` and `X-DE-Principals` only narrow it. Independent of frameworks: headers
are ASGI pairs.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from quire.serve_apps.access.errors import InvalidOrg, InvalidPrincipals, ScopeMissing, Unauthenticated
from quire.serve_apps.access.keys import ApiKey, KeyRing
from quire.serve_apps.access.scopes import KeyScope
from quire.storage.values.rows import Actor, Scope

DEFAULT_ORG = "default"
_ORG = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}")
MAX_PRINCIPALS = 100  # of one document, and of one call
_PRINCIPAL = re.compile(r"[^\x00-\x1f,]{1,200}")
_LONGEST_SECRET = 4096  # bytes; keys of Quire have 40

RawHeaders = Iterable[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Caller:
    """`key_name` names the key (with its scope suffix) in audit and meter rows.

    `principals`: users and groups of whose documents alone this request may know; None for all documents.
    """

    key_name: str
    tenant: str
    scope: KeyScope
    org: str
    principals: tuple[str, ...] | None = None

    @property
    def data(self) -> Scope:
        """Return the tenant and organisation whose data the caller may see."""
        return Scope(tenant=self.tenant, org=self.org)

    def actor(self, request_id: str | None, traceparent: str | None = None) -> Actor:
        """Return the actor that audit rows name."""
        return Actor(key_name=self.key_name, request_id=request_id, traceparent=traceparent)

    def require(self, needed: KeyScope) -> None:
        """Check that the caller's scope covers `needed`.

        Raises:
            ScopeMissing: It does not.
        """
        if not self.scope.covers(needed):
            raise ScopeMissing(f"the key has the scope {self.scope}, but the operation needs {needed}")


def secret_of(headers: RawHeaders) -> str | None:
    """Return the key sent as X-API-Key, as Bearer token or as both; None if neither was sent.

    Raises:
        Unauthenticated: Several different keys, or one header twice.
    """
    keys: list[bytes] = []
    bearers: list[bytes] = []
    for name, value in headers:
        if name == b"x-api-key":
            keys.append(value)
        elif name == b"authorization" and value[:7].lower() == b"bearer ":
            bearers.append(value[7:])
    if len(keys) > 1 or len(bearers) > 1 or len({*keys, *bearers}) > 1:
        raise Unauthenticated("more than one key was sent")
    sent = keys or bearers
    return sent[0].decode("latin-1") if sent else None


def org_of(headers: RawHeaders) -> str:
    """Return the organisation named by X-DE-Org, or the default one.

    Raises:
        InvalidOrg: The header is malformed or was sent twice.
    """
    values = [value for name, value in headers if name == b"x-de-org"]
    if not values:
        return DEFAULT_ORG
    text = values[0].decode("latin-1")
    if len(values) > 1 or not _ORG.fullmatch(text):
        raise InvalidOrg("X-DE-Org must be sent once and match [a-z0-9][a-z0-9._-]{0,62}")
    return text


def principals_of(headers: RawHeaders) -> tuple[str, ...] | None:
    """Return the names of X-DE-Principals, separated by commas; None without the header.

    Raises:
        InvalidPrincipals: A name is malformed, there are too many, or the header was sent twice.
    """
    values = [value for name, value in headers if name == b"x-de-principals"]
    if not values:
        return None
    try:
        names = tuple(part.strip() for part in values[0].decode().split(",") if part.strip())
    except UnicodeDecodeError:
        names = ("",)
    well_formed = all(_PRINCIPAL.fullmatch(name) for name in names)
    if len(values) > 1 or len(names) > MAX_PRINCIPALS or not well_formed:
        raise InvalidPrincipals(
            f"X-DE-Principals must be sent once: at most {MAX_PRINCIPALS} names of at most 200 characters in UTF-8, "
            "separated by commas"
        )
    return names


def find_key(secret: str | None, keys: KeyRing) -> ApiKey:
    """Return the known key with that secret.

    Raises:
        Unauthenticated: The secret is missing or unknown.
    """
    if not secret or len(secret) > _LONGEST_SECRET:
        raise Unauthenticated("a key is required: send X-API-Key or Authorization: Bearer")
    key = keys.find(secret)
    if key is None:
        raise Unauthenticated("the key is unknown")
    return key


def identify(headers: Sequence[tuple[bytes, bytes]], keys: KeyRing) -> Caller:
    """Return the caller that sent these headers.

    Raises:
        Unauthenticated: The key is missing, ambiguous or unknown. Checked first.
        InvalidOrg: The organisation header is malformed.
        InvalidPrincipals: The principals' header is malformed.
    """
    key = find_key(secret_of(headers), keys)
    return Caller(key.label, key.name, key.scope, org_of(headers), principals_of(headers))
