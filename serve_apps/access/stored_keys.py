"""Keys in force: those of the environment and of the table, without revoked ones."""

from collections.abc import Iterable
from dataclasses import replace

from quire.serve_apps.access.keys import ApiKey
from quire.serve_apps.access.scopes import KeyScope
from quire.storage.access.api_keys import StoredKey


def keys_in_force(configured: Iterable[ApiKey], stored: Iterable[StoredKey]) -> list[ApiKey]:
    """Return configured and stored keys with their ends, without revoked ones from either source."""
    rows = {row.digest: row for row in stored}
    keys = [replace(key, ends_at=rows[key.digest].ends_at) if key.digest in rows else key for key in configured]
    keys += [
        ApiKey(row.name, KeyScope(row.scope), row.digest, ends_at=row.ends_at)
        for row in rows.values()
        if not row.configured
    ]
    return [key for key in keys if key.digest not in rows or rows[key.digest].revoked_at is None]
