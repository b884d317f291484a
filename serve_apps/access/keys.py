"""Operator keys: parse SVC_API_KEYS into a key ring that finds a caller's key in constant time.

Secrets are stored only as SHA-256 digests. Independent of HTTP; the keys can be replaced while requests run.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from hmac import compare_digest

from quire.serve_apps.access.scopes import KeyScope

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
MIN_SECRET = 20  # characters of an operator's secret
_SECRET = re.compile(r"[\x21-\x7e]+")  # characters that an HTTP header carries unchanged
_STRONGEST_FIRST = (KeyScope.ADMIN, KeyScope.WRITE, KeyScope.READ)


class InvalidApiKeys(ValueError):
    """SVC_API_KEYS cannot be used; the text names the entry, never its secret."""

    code = "invalid-api-keys"


@dataclass(frozen=True, slots=True)
class ApiKey:
    """One secret's digest. `name` is the tenant; `label` names the key in audit and meter rows."""

    name: str
    scope: KeyScope
    digest: bytes
    scoped: bool = True
    ends_at: datetime | None = None

    @property
    def label(self) -> str:
        """Return the key's name for logs and usage, with its scope if the name has several keys."""
        return f"{self.name}:{self.scope}" if self.scoped else self.name


def digest_secret(secret: str) -> bytes:
    """Return the SHA-256 digest of a secret as sent in a header."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).digest()


class KeyRing:
    """The keys in force. `replace` takes effect for the next request."""

    def __init__(self, keys: Iterable[ApiKey] = ()) -> None:
        self._keys = tuple(keys)
        self._uses: dict[bytes, datetime] = {}

    def __len__(self) -> int:
        return len(self._keys)

    def find(self, secret: str) -> ApiKey | None:
        """Return the key with this secret, or None. It compares all keys, so the duration reveals nothing."""
        digest, matching_key = digest_secret(secret), None
        for key in self:
            if compare_digest(digest, key.digest):
                matching_key = key
        if matching_key is not None:
            self._uses[digest] = datetime.now(UTC)
        return matching_key

    def __iter__(self) -> Iterator[ApiKey]:
        """Iterate over the keys that have not ended."""
        now = datetime.now(UTC)
        return (key for key in self._keys if key.ends_at is None or key.ends_at > now)

    def take_uses(self) -> dict[bytes, datetime]:
        """Return when each key was last found since the last call, by digest."""
        uses, self._uses = self._uses, {}
        return uses

    def replace(self, keys: Iterable[ApiKey]) -> None:
        """Replace all keys at once."""
        self._keys = tuple(keys)


def default_key(secret: str) -> ApiKey:
    """Return the full-scope key of a deployment without operator keys."""
    return ApiKey("default", KeyScope.ADMIN, digest_secret(secret), scoped=False)


def parse_api_keys(text: str) -> KeyRing:
    """Parse `name[:scope]=secret,…`; the secret is everything after the first `=`.

    Raises:
        InvalidApiKeys: An entry is malformed, a secret is short, or a name or secret occurs twice.
    """
    keys = [_parse_entry(entry.strip()) for entry in text.split(",") if entry.strip()]
    _refuse_duplicates(keys)
    return KeyRing(keys)


def _parse_entry(entry: str) -> ApiKey:
    label, equals, secret = entry.partition("=")
    name, colon, scope = label.strip().partition(":")
    shown = label.strip() if equals else "an entry without '='"
    if not equals or not _NAME.fullmatch(name):
        raise InvalidApiKeys(f"{shown}: expected name[:scope]=secret with a name of letters, digits, '.', '_' or '-'")
    if not secret:
        raise InvalidApiKeys(f"{shown}: the secret is empty")
    if not _SECRET.fullmatch(secret):
        raise InvalidApiKeys(f"{shown}: the secret must be printable ASCII without spaces")
    if len(secret) < MIN_SECRET:
        raise InvalidApiKeys(f"{shown}: the secret needs at least {MIN_SECRET} characters, e.g. openssl rand -hex 20")
    return ApiKey(name, _parse_scope(scope, shown) if colon else KeyScope.ADMIN, digest_secret(secret), bool(colon))


def _parse_scope(text: str, shown: str) -> KeyScope:
    try:
        named = {KeyScope(part) for part in text.split("+")}
    except ValueError:
        raise InvalidApiKeys(f"{shown}: unknown scope; allowed are read, write, read+write and admin") from None
    return next(scope for scope in _STRONGEST_FIRST if scope in named)


def _refuse_duplicates(keys: list[ApiKey]) -> None:
    names: set[tuple[str, KeyScope]] = set()
    digests: set[bytes] = set()
    for key in keys:
        if (key.name, key.scope) in names:
            raise InvalidApiKeys(f"{key.label}: the name has two keys with the same scope")
        if key.digest in digests:
            raise InvalidApiKeys(f"{key.label}: another key has the same secret")
        names.add((key.name, key.scope))
        digests.add(key.digest)
