"""Key scopes, `read` ⊂ `write` ⊂ `admin`. Each route of the API states the scope that it needs."""

from enum import StrEnum


class KeyScope(StrEnum):
    """Rights of a key; each includes the ones before it."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"

    def covers(self, needed: "KeyScope") -> bool:
        """Return whether a key of this scope may do everything that `needed` allows."""
        return _RANK[self] >= _RANK[needed]

    def included(self) -> list[str]:
        """Return the names of this scope and of all that it includes, weakest first."""
        return [scope.value for scope in KeyScope if self.covers(scope)]


_RANK = {KeyScope.READ: 0, KeyScope.WRITE: 1, KeyScope.ADMIN: 2}

READ, WRITE, ADMIN = KeyScope.READ, KeyScope.WRITE, KeyScope.ADMIN
DOCUMENT = "/v1/jobs/{job_id}/documents/{document_id}"
