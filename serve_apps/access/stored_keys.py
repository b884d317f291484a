"""Keys in force: those of the environment and of the table, without revoked ones."""

from collections.abc import Iterable

from quire.serve_apps.access.keys import ApiKey
from quire.serve_apps.access.scopes import KeyScope
from quire.storage.access.api_keys import StoredKey


def keys_in_force(configured: Iterable[ApiKey], stored: Iterable[StoredKey]) -> list[ApiKey]:
    """Return configured and stored keys, without revoked ones from either source."""
    rows = list(stored)
    revoked = {row.digest for row in rows if row.revoked_at is not None}
    added = [ApiKey(row.name, KeyScope(row.scope), row.digest) for row in rows]
    return [key for key in (*configured, *added) if key.digest not in revoked]
