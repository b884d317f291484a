"""Key rings with secrets that are short enough to read in tests."""

from quire.serve_apps.access.keys import ApiKey, KeyRing, digest_secret
from quire.serve_apps.access.scopes import KeyScope


def ring_of(text: str) -> KeyRing:
    """Return the keys of `name[:scope]=secret,…`, which `parse_api_keys` refuses for their length."""
    return KeyRing(_key(*entry.split("=", 1)) for entry in text.split(","))


def _key(label: str, secret: str) -> ApiKey:
    name, colon, scope = label.partition(":")
    return ApiKey(name, KeyScope(scope or "admin"), digest_secret(secret), bool(colon))
