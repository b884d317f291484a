"""Who is calling: request headers in, a caller with its tenant, scope and organisation out.

The tenant comes from the key alone; `X-DE-Org` only narrows inside it. Knows no framework: headers are ASGI's pairs.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from serve_apps.access.errors import InvalidOrg, ScopeMissing, Unauthenticated
from serve_apps.access.keys import ApiKey, KeyRing
from serve_apps.access.scopes import KeyScope
from storage.values.rows import Actor, Scope

DEFAULT_ORG = "default"
_ORG = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}")
_LONGEST_SECRET = 4096  # bytes; ours have 40

RawHeaders = Iterable[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Caller:
    """`key_name` names the key (with its scope suffix) in audit and meter rows."""

    key_name: str
    tenant: str
    scope: KeyScope
    org: str

    @property
    def data(self) -> Scope:
        """Whose data this caller sees."""
        return Scope(tenant=self.tenant, org=self.org)

    def actor(self, request_id: str | None, traceparent: str | None = None) -> Actor:
        return Actor(key_name=self.key_name, request_id=request_id, traceparent=traceparent)

    def require(self, needed: KeyScope) -> None:
        """Raises `ScopeMissing`."""
        if not self.scope.covers(needed):
            raise ScopeMissing(f"this key carries {self.scope}, the operation needs {needed}")


def secret_of(headers: RawHeaders) -> str | None:
    """The one key sent as X-API-Key, Bearer or both. Raises `Unauthenticated` when doubled or differing."""
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
    """The organisation named by X-DE-Org, or the default one. Raises `InvalidOrg`."""
    values = [value for name, value in headers if name == b"x-de-org"]
    if not values:
        return DEFAULT_ORG
    text = values[0].decode("latin-1")
    if len(values) > 1 or not _ORG.fullmatch(text):
        raise InvalidOrg("X-DE-Org must be sent once and match [a-z0-9][a-z0-9._-]{0,62}")
    return text


def find_key(secret: str | None, keys: KeyRing) -> ApiKey:
    """The known key with that secret. Raises `Unauthenticated`."""
    if not secret or len(secret) > _LONGEST_SECRET:
        raise Unauthenticated("a key is required: send X-API-Key or Authorization: Bearer")
    key = keys.find(secret)
    if key is None:
        raise Unauthenticated("the key is not known")
    return key


def identify(headers: Sequence[tuple[bytes, bytes]], keys: KeyRing) -> Caller:
    """The caller behind these headers. Raises `Unauthenticated` first, then `InvalidOrg`."""
    key = find_key(secret_of(headers), keys)
    return Caller(key.label, key.name, key.scope, org_of(headers))
