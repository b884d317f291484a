"""The full-scope token of a deployment without operator keys, created once in a file that only its owner may read."""

import secrets
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from quire.storage.objects.durable_files import create_file

PREFIX = "quire_"


@dataclass(frozen=True, slots=True)
class DefaultToken:
    """Default token that GET /v1/token returns to permitted callers."""

    token: str
    name: str = "default"


def load_default_token(path: Path) -> DefaultToken:
    """Return the token in `path` (mode 0600), created on first boot. Two racing processes get the same token."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.exists():
        with suppress(FileExistsError):  # another process was first
            create_file(path, f"{PREFIX}{secrets.token_urlsafe(32)}\n".encode())
    return DefaultToken(path.read_text().strip())
