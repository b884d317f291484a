"""The full-scope token of a deployment without operator keys, created once in a file that only its owner may read."""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

PREFIX = "quire_"


@dataclass(frozen=True, slots=True)
class DefaultToken:
    """Default token that GET /v1/token returns to permitted callers."""

    token: str
    name: str = "default"


def load_default_token(path: Path) -> DefaultToken:
    """Return the token in `path` (mode 0600), created on first boot. Two racing processes get the same token."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    if not path.exists():
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(PREFIX + secrets.token_urlsafe(32) + "\n")
        try:
            os.link(fresh, path)  # fails when another process was first, so that its token stays
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    return DefaultToken(path.read_text().strip())
