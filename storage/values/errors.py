"""storage's error family: each class has a stable `code`; `serve_apps/api/http/problems.py` maps them to HTTP."""


class StorageError(Exception):
    """Something a store could not do."""

    code = "storage-error"
    retryable = False


class NotFound(StorageError):
    """Unknown, deleted or foreign: these look the same on purpose."""

    code = "not-found"


class StoreUnavailable(StorageError):
    """The database or a blob store cannot be reached now."""

    code = "unavailable"
    retryable = True


class NoSpace(StoreUnavailable):
    """The disk is full, or has no room for new documents. Reads and deletions go on, and waiting work is retried."""

    code = "disk-full"


class CertificateRefused(StoreUnavailable):
    """One side rejects the other's certificate. Calls are retried, but an operator must renew the certificate."""

    code = "certificate-refused"


def unreachable(where: str, error: BaseException) -> StoreUnavailable:
    """Return the error for a failed connection. It names only the kind: a driver's text may hold host or file names."""
    if "certificate" in str(error).lower():
        reason = "a certificate is not accepted: it has expired, is another host's, or of an authority unknown here"
        return CertificateRefused(f"{where}: {reason}; renew it or name its authority (docs/operating.md)")
    return StoreUnavailable(f"{where}: {type(error).__name__}")


class QuotaExceeded(StorageError):
    """The page quota of this month is used or reserved."""

    code = "page-quota"


class Conflict(StorageError):
    """The act does not fit the state (running job deleted, finished document requeued…)."""

    code = "conflict"


class InvalidCursor(StorageError):
    """A page token that was not made by this deployment for this listing."""

    code = "invalid-cursor"


class SchemaMismatch(StorageError):
    """The database's schema is older or newer than this program."""

    code = "schema-mismatch"


class OtherModel(StorageError):
    """The search index holds vectors of another embedding model; the message says what to run."""

    code = "index-of-other-model"


class LostLease(StorageError):
    """Another worker holds the task now: the caller must stop and write nothing."""

    code = "lost-lease"


class OriginalMissing(Conflict):
    """The document's original is not stored any more, so it cannot be read again."""

    code = "original-missing"


class UrlRefused(ValueError):
    """The URL, or an address its name stands for, may not be called; the text is safe to show."""

    code = "url-refused"
