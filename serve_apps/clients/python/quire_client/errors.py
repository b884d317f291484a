"""What a call may raise. `ApiError` carries what the service said; its `code` is stable, its text is not."""

import json
from typing import Any


class QuireError(Exception):
    """Any failure of this client."""


class ConnectionFailed(QuireError):
    """No answer came, after all attempts."""


class WaitTimeout(QuireError):
    """The job had not ended in time; it goes on."""


class ApiError(QuireError):
    """The service refused. `request_id` finds the request in its log; `retry_after` is in seconds."""

    def __init__(
        self, status: int, code: str, detail: str, request_id: str | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(f"{status} {code}: {detail}")
        self.status, self.code, self.detail = status, code, detail
        self.request_id, self.retry_after = request_id, retry_after


def read_refusal(status: int, content: bytes, request_id: str | None, retry_after: float | None) -> ApiError:
    """An `ApiError` from a problem body, a 422 list, or something a proxy made up."""
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
    return ApiError(status, code, detail, request_id, retry_after)
