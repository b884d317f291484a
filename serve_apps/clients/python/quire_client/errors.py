"""Errors of a call. `ApiError` carries the service's answer; its `code` is stable, its text is not."""

import json
from typing import Any, Self

from quire_client import types


class QuireError(Exception):
    """Any failure of this client."""


class ConnectionFailed(QuireError):
    """No answer came from `url`, after all attempts."""

    def __init__(self, url: str, cause: Exception) -> None:
        super().__init__(f"{url}: {type(cause).__name__}: {cause}")
        self.url = url


class WaitTimeout(QuireError):
    """The job had not ended in time; it continues."""


class DocumentFailed(QuireError):
    """The service accepted the file but could not read it.

    `code` is one of docs/errors.md; `document` has the details.
    """

    def __init__(self, code: str, document: types.Document | types.DocumentAlone) -> None:
        detail = document["error_detail"]
        super().__init__(f"{document['source_file']}: {code}" + (f": {detail}" if detail else ""))
        self.code, self.document = code, document

    @classmethod
    def of(cls, document: types.Document | types.DocumentAlone) -> Self:
        """Return the failure of a document that ended without a tree."""
        return cls(document["error"] or document["status"], document)


class ApiError(QuireError):
    """The service refused. `request_id` identifies the request in its log; `retry_after` is in seconds.

    `body` is the whole answer if it was JSON: a 402 of the hosted console carries `resets_at`, a 422 every entry.
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        request_id: str | None = None,
        retry_after: float | None = None,
        body: Any = None,
    ) -> None:
        super().__init__(f"{status} {code}: {detail}")
        self.status, self.code, self.detail = status, code, detail
        self.request_id, self.retry_after, self.body = request_id, retry_after, body


class Unauthenticated(ApiError):
    """401: the key is missing, unknown or revoked."""


class PaymentRequired(ApiError):
    """402: the pages of this month are used up, or the licence has expired."""


class Forbidden(ApiError):
    """403: the key may not do this."""


class NotFound(ApiError):
    """404: the object does not exist, or belongs to another tenant."""


class Conflict(ApiError):
    """409: not in this state, or the idempotency key was used for something else."""


class TooLarge(ApiError):
    """413: a file is larger than the limit, or there are too many files."""


class Invalid(ApiError):
    """422: a parameter, the body or the file is not acceptable; `body` has the details."""


class TooManyRequests(ApiError):
    """429: send fewer requests or fewer documents at once; `retry_after` gives the pause."""


class ServerFailed(ApiError):
    """5xx: the service, or a component behind it, failed."""


_BY_STATUS: dict[int, type[ApiError]] = {
    401: Unauthenticated,
    402: PaymentRequired,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    413: TooLarge,
    422: Invalid,
    429: TooManyRequests,
}


def read_refusal(status: int, content: bytes, request_id: str | None, retry_after: float | None) -> ApiError:
    """Return an `ApiError` from a problem body, a 422 list, or a proxy's own answer."""
    try:
        body: Any = json.loads(content)
    except ValueError:
        body = None
    code, detail = "http-error", ""
    if isinstance(body, dict) and isinstance(body.get("code"), str):
        code, detail = body["code"], str(body.get("detail", ""))
    elif isinstance(body, dict) and isinstance(body.get("detail"), list) and body["detail"]:
        first = body["detail"][0]
        place = ".".join(str(part) for part in first.get("loc", ()))
        code, detail = str(first.get("type", code)), f"{place}: {first.get('msg', '')}"
    kind = _BY_STATUS.get(status, ServerFailed if status >= 500 else ApiError)
    return kind(status, code, detail, request_id, retry_after, body)
